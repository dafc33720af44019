/** Looks again for final batches: one that has vanished means a deep reorganisation or a lost chain state. */
import { type AgreedHead, agree } from '../../chain/quorum.ts'
import { readOutcome } from '../../chain/settlement-reads.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { isNonceUsed } from '../memory.ts'
import { sendAttempt } from '../send.ts'
import { readRawTransaction } from '../tables/attempts.sql.ts'
import { readNewestFinal } from '../tables/batches.sql.ts'
import type { Work } from '../work.ts'

const LOOKED_AT = 20

/**
 * Logs as fatal which final batches the chain no longer has, and sends their stored bytes again where the nonce is
 * free.
 * @throws LeaseLostError
 */
export async function recheckFinal(work: Work, at: AgreedHead): Promise<void> {
  const { db, chain, lease, logger, memory, metrics, nowMs, times } = work
  if (nowMs() - memory.recheck.doneAtMs < times.recheckMs) return
  memory.recheck.doneAtMs = nowMs()
  const { chainId, quorum, settlement } = chain.config
  for (const batch of await readNewestFinal(db, chainId, LOOKED_AT)) {
    const { value } = await agree(at.nodes, quorum, (node) =>
      readOutcome(node, settlement, batch.batchId, { blockHash: at.head.hash }),
    )
    if (value.settled && value.digest === batch.digest) return
    // Who was frozen between its head and now would miss there what another one has settled since.
    await underLease(db, lease, async () => {})
    const fields = { chainId, batchId: String(batch.batchId), minedBlock: String(batch.minedBlock) }
    logger.fatal(fields, 'the chain has lost a batch that was final: its orders are decided, its coins are not there')
    metrics.vanished(chainId)
    const raw = await readRawTransaction(db, chainId, batch.txHash)
    const isFree = !isNonceUsed(memory, batch)
    if (raw !== undefined && isFree) await sendAttempt(work, batch.txHash, raw)
  }
}
