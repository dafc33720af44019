/** Decides the orders of a batch that is final on chain. */
import type { Hex } from 'viem'
import { type AgreedHead, agree, NoQuorumError } from '../../chain/quorum.ts'
import { readBlock } from '../../chain/reads.ts'
import { failureReasons, readReceipt } from '../../chain/settlement-reads.ts'
import { ChainError } from '../../chain-errors.ts'
import { LeaseLostError, underLease } from '../../leases/leases.sql.ts'
import { decideBatch } from '../../payouts/decide-batch.ts'
import { messageOf } from '../holds.ts'
import type { Hold } from '../memory.ts'
import { markFinal } from '../tables/batches.sql.ts'
import { noteFenced } from '../tables/fences.sql.ts'
import type { Work } from '../work.ts'
import type { FinalOutcome } from './moves.ts'

/**
 * One batch that cannot be decided stops no other, and nothing else: it is said, and tried again in each round.
 * @returns whether all are decided
 */
export async function decideAll(work: Work, at: AgreedHead, final: readonly FinalOutcome[]): Promise<boolean> {
  const { chain, logger, memory } = work
  const failed: Hold[] = []
  for (const outcome of final) {
    try {
      await decideFinal(work, at, outcome)
    } catch (error) {
      // Of nodes, and of a lease, the whole round depends.
      if (error instanceof LeaseLostError || error instanceof ChainError) throw error
      const batchId = String(outcome.batch.batchId)
      logger.error(
        { chainId: chain.config.chainId, batchId, err: error },
        'a final batch could not be decided; it is tried again',
      )
      failed.push({ reason: 'batch-undecided', details: { batchId, error: messageOf(error) } })
    }
  }
  memory.holds.undecided = failed[0]
  return failed.length === 0
}

/** In one transaction the batch becomes final and every order gets its outcome, usage, payout and event. */
async function decideFinal(work: Work, at: AgreedHead, outcome: FinalOutcome): Promise<void> {
  const { batch, mined, successBitmap } = outcome
  const { db, chain, lease, logger, metrics } = work
  const { chainId } = chain.config
  const [reasons, minedAtMs] = await Promise.all([readReasons(work, at, outcome), readMinedAt(work, at, outcome)])
  const decided = await underLease(db, lease, async (tx) => {
    const final = await markFinal(tx, chainId, batch.batchId, successBitmap)
    if (final === undefined) return undefined
    const isFenced = await noteFenced(tx, chainId, batch.batchId)
    const { orderIds, source, now } = final
    // Blocks may be dated ahead, and the books know of nothing that is still to come.
    const effectiveAt = new Date(Math.min(now.getTime(), minedAtMs))
    await decideBatch(
      tx,
      { chainId, batchId: batch.batchId, orderIds, successBitmap, reasons },
      { source, effectiveAt },
    )
    return { isFenced, orders: orderIds.length }
  })
  if (decided === undefined) return
  if (decided.isFenced) work.memory.holds.fence = undefined
  metrics.finalized(chainId, decided.orders)
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

/** Reads from receipts that agree why orders failed. Reasons only explain: without them the bitmap still says which orders failed. */
async function readReasons(work: Work, at: AgreedHead, outcome: FinalOutcome): Promise<Map<number, string>> {
  const { batch, mined, successBitmap } = outcome
  if (successBitmap === (1n << BigInt(batch.orderCount)) - 1n) return new Map()
  try {
    const { quorum, settlement } = work.chain.config
    const { value } = await agree(at.nodes, quorum, async (node) => {
      const receipt = await readReceipt(node, mined.txHash as Hex)
      if (receipt === undefined) throw new NoQuorumError(`${node.label}: has no receipt`)
      return [...failureReasons(receipt, settlement, mined.batchId)]
    })
    return new Map(value)
  } catch {
    return new Map()
  }
}

/**
 * When the block was mined, for the books, in milliseconds. No clock of ours stands in for it: the same nodes have just named the block.
 * @throws NoQuorumError
 */
async function readMinedAt({ chain }: Work, { head, nodes }: AgreedHead, { mined }: FinalOutcome): Promise<number> {
  if (mined.blockHash === head.hash) return Number(head.timestamp) * 1_000
  const { value: seconds } = await agree(nodes, chain.config.quorum, async (node) => {
    const block = await readBlock(node, mined.blockNumber)
    if (block?.hash !== mined.blockHash) throw new NoQuorumError(`${node.label}: has another block`)
    return block.timestamp
  })
  return Number(seconds) * 1_000
}
