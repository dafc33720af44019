/** Looks again for final batches: one that has vanished means a deep reorganisation or a lost chain state. */
import { agree } from '../../chain/quorum.ts'
import { readOutcome } from '../../chain/settlement-reads.ts'
import { underLease } from '../../leases/leases.sql.ts'
import type { FollowedHead } from '../finality.ts'
import { isNonceUsed } from '../memory.ts'
import { signLostAgain } from '../repair/sign-again.ts'
import { sendAttempt } from '../send.ts'
import { readRawTransaction } from '../tables/attempts.sql.ts'
import { readNewestFinal } from '../tables/final.sql.ts'
import type { Work } from '../work.ts'

const LOOKED_AT = 20

/**
 * Logs as fatal which final batches the chain no longer has, and sends their stored bytes again where the nonce is
 * free, for a higher fee where that does not help; otherwise they are signed anew.
 * @throws LeaseLostError
 */
export async function recheckFinal(work: Work, at: FollowedHead): Promise<void> {
  const { db, chain, lease, logger, memory, metrics, nowMs, times } = work
  if (nowMs() - memory.recheck.doneAtMs < times.recheckMs) return
  memory.recheck.doneAtMs = nowMs()
  const { chainId, quorum, settlement } = chain.config
  let areAnyLost = false
  for (const batch of await readNewestFinal(db, chainId, LOOKED_AT)) {
    const { value } = await agree(at.nodes, quorum, (node) =>
      readOutcome(node, settlement, batch.batchId, { blockHash: at.head.hash }),
    )
    const isThere = value.settled && value.digest === batch.digest
    if (isThere && value.successBitmap === batch.successBitmap) break
    // Who was frozen between its head and now would miss there what another one has settled since.
    await underLease(db, lease, async () => {})
    const fields = { chainId, batchId: String(batch.batchId), minedBlock: String(batch.minedBlock) }
    metrics.vanished(chainId)
    if (isThere) {
      const bitmaps = { told: String(batch.successBitmap), onChain: String(value.successBitmap) }
      logger.fatal({ ...fields, ...bitmaps }, OTHER_OUTCOME)
      continue
    }
    areAnyLost = true
    logger.fatal(fields, 'the chain has lost a batch that was final: its orders are decided, its coins are not there')
    const raw = await readRawTransaction(db, chainId, batch.txHash)
    const isFree = !isNonceUsed(memory, batch)
    if (raw !== undefined && isFree) await sendAttempt(work, batch.txHash, raw)
  }
  if (areAnyLost) await signLostAgain(work, at)
}

const OTHER_OUTCOME =
  'the chain had lost a batch that was final, and has executed it again with another outcome: orders were told otherwise, make them good'
