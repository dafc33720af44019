/** Decides the orders of a batch that is final on chain. */
import type { Hex } from 'viem'
import type { AgreedHead } from '../../chain/quorum.ts'
import { failureReasons, readReceipt } from '../../chain/settlement-reads.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { decideBatch } from '../../payouts/decide-batch.ts'
import { perOrder } from '../form/simulate.ts'
import { oneNode } from '../market.ts'
import { markFinal } from '../tables/batches.sql.ts'
import type { Work } from '../work.ts'
import type { FinalOutcome } from './moves.ts'

/** In one transaction the batch becomes final and every order gets its outcome, usage, payout and event. */
export async function decideFinal(work: Work, at: AgreedHead, outcome: FinalOutcome): Promise<void> {
  const { batch, mined, successBitmap } = outcome
  const { db, chain, lease, logger, metrics } = work
  const { chainId } = chain.config
  const reasons = await readReasons(work, at, outcome)
  const decided = await underLease(db, lease, async (tx) => {
    const orderIds = await markFinal(tx, chainId, batch.batchId, successBitmap)
    if (orderIds === undefined) return false
    await decideBatch(tx, { chainId, batchId: batch.batchId, orderIds, successBitmap, reasons })
    return true
  })
  if (!decided) return
  metrics.finalized(chainId, batch.orderCount)
  logger.info(
    {
      chainId,
      batchId: String(batch.batchId),
      block: String(mined.blockNumber),
      txHash: mined.txHash,
      failed: reasons.size,
    },
    'batch final',
  )
  await work.onStep('outcome-decided')
}

/**
 * Reads from the receipt why orders failed and what the batch cost. Reasons only explain: without them the bitmap still
 * says which orders failed.
 */
async function readReasons(work: Work, at: AgreedHead, { batch, mined }: FinalOutcome): Promise<Map<number, string>> {
  try {
    const receipt = await readReceipt(oneNode(work, at), mined.txHash as Hex)
    if (receipt === undefined) return new Map()
    const used = perOrder(receipt.gasUsed, batch.orderCount)
    if (used !== undefined) work.memory.form.gasPerOrder = { ...work.memory.form.gasPerOrder, used }
    return failureReasons(receipt, work.chain.config.settlement, mined.batchId)
  } catch {
    return new Map()
  }
}
