/** Looks again for final batches: one that has vanished, or has done something else, means a deep reorganisation or a lost chain state. */
import type { BatchRecord } from '../../chain/settlement-reads.ts'
import { underLease } from '../../leases/leases.sql.ts'
import type { FollowedHead } from '../finality.ts'
import { isNonceUsed } from '../memory.ts'
import { tellReplaced } from '../repair/replaced.ts'
import { signLostAgain } from '../repair/sign-again.ts'
import { sendAttempt } from '../send.ts'
import { readRawTransaction } from '../tables/attempts.sql.ts'
import { deleteGivenUp, isAnyGivenUp } from '../tables/explanations.sql.ts'
import { noteLost } from '../tables/fences.sql.ts'
import { type FinalBatch, findFinal, readNewestFinal } from '../tables/final.sql.ts'
import { readPlan } from '../tables/plan.sql.ts'
import type { Work } from '../work.ts'
import { isSame, pairsOf, RECORDS_AT_ONCE, type Recorded, readRecords } from './final-records.ts'
import { compareOutcomes, compareUnexplained } from './other-outcomes.ts'
import { compareOlder } from './recheck-older.ts'

/**
 * Logs as fatal which final batches the chain no longer has. Their stored bytes are sent again where the nonce is free, for a higher fee where
 * that does not help; otherwise they are signed anew. Also which of them it has executed again with another outcome: each is compared, however
 * many have become final behind it, because those say nothing about it.
 * @throws LeaseLostError
 */
export async function recheckFinal(work: Work, at: FollowedHead): Promise<void> {
  const { memory, nowMs, times } = work
  const { doneAtMs, lostAtHead } = memory.recheck
  if (nowMs() - doneAtMs < times.recheckMs) {
    // The chain may have them again, and have done otherwise: that is known before anything follows them.
    if (lostAtHead === undefined || lostAtHead === at.head.hash || (await areAnyLost(work, at))) return
  }
  const areLost = await compareFinal(work, at)
  // Not reached where nodes did not tell, so that the next round does it: until then nobody knows that a fence was lost.
  memory.recheck.doneAtMs = nowMs()
  if (areLost) await signLostAgain(work, at)
  else memory.recheck.gone = undefined
}

/** Whether any is still lost. Until then nothing is formed behind others (form/form-batches). */
async function areAnyLost(work: Work, at: FollowedHead): Promise<boolean> {
  const batches = await readNewestFinal(work.db, work.chain.config.chainId, RECORDS_AT_ONCE)
  await noteLostAt(work, at, batches, await readRecords(work, at, batches))
  return work.memory.recheck.lostAtHead !== undefined
}

/** Remembers at which head any was lost. What somebody has only written into the database, under an id that is still to come, is none: nothing is behind it. */
async function noteLostAt(
  { db, chain, memory }: Work,
  at: FollowedHead,
  batches: readonly FinalBatch[],
  records: readonly BatchRecord[],
): Promise<void> {
  const lost = batches.filter((batch, index) => !isSame(batch, records[index] as BatchRecord))
  const { nextBatchId } = lost.length === 0 ? { nextBatchId: 0n } : await readPlan(db, chain.config.chainId)
  memory.recheck.lostAtHead = lost.some(({ batchId }) => batchId < nextBatchId) ? at.head.hash : undefined
}

/** @returns whether any is lost */
async function compareFinal(work: Work, at: FollowedHead): Promise<boolean> {
  const { db, chain, lease, logger, memory, metrics } = work
  const { chainId } = chain.config
  const batches = await readNewestFinal(db, chainId, RECORDS_AT_ONCE)
  const records = await readRecords(work, at, batches)
  let areLost = false
  const replaced: Recorded[] = []
  for (const [index, batch] of batches.entries()) {
    const record = records[index] as BatchRecord
    const { settled } = record
    if (isSame(batch, record)) continue
    // Who was frozen between its head and now would miss there what another one has settled since.
    await underLease(db, lease, (tx) => noteLost(tx, chainId, batch.batchId))
    metrics.vanished(chainId)
    areLost = true
    if (settled) replaced.push({ batch, record })
    const fields = { chainId, batchId: String(batch.batchId), minedBlock: String(batch.minedBlock) }
    logger.fatal(fields, 'the chain has lost a batch that was final: its orders are decided, its coins are not there')
    const raw = await readRawTransaction(db, chainId, batch.txHash)
    const isFree = !isNonceUsed(memory, batch)
    if (raw !== undefined && isFree) await sendAttempt(work, batch.txHash, raw)
  }
  await noteLostAt(work, at, batches, records)
  await compareOutcomes(work, at, pairsOf(batches, records))
  await compareUnexplained(work, at, batches)
  if (!areLost && records.every(({ blockNumber }) => blockNumber <= at.finalBlock)) await keepGivenUp(work)
  if (areLost) memory.recheck.older = undefined
  else await compareOlder(work, at, { batches, records })
  const older = await findOlderLost(work, at, batches, records)
  if (older?.record.settled) replaced.push(older)
  await tellReplaced(work, at, replaced)
  return areLost
}

/**
 * The chain has all of them for good, and so what is before them: what operators have said of one that it had lost would give it up without another
 * word should it be lost once more.
 */
async function keepGivenUp({ db, chain, lease, logger }: Work): Promise<void> {
  const { chainId } = chain.config
  if (!(await isAnyGivenUp(db, chainId))) return
  const kept = await underLease(db, lease, (tx) => deleteGivenUp(tx, chainId))
  for (const { batchId, reason } of kept)
    logger.error(
      { chainId, batchId: String(batchId), reason },
      'a batch that was to be given up is given up no more: the chain has it again',
    )
}

/**
 * The first batch that the chain does not have, where that is older than all that were looked at: it may have others there. What is behind one
 * that is lost is lost, too, so it is looked for by halves.
 */
async function findOlderLost(
  work: Work,
  at: FollowedHead,
  batches: readonly FinalBatch[],
  records: readonly BatchRecord[],
): Promise<Recorded | undefined> {
  const lost = batches.findLast((batch, index) => !isSame(batch, records[index] as BatchRecord))
  if (lost === undefined) return undefined
  let first = lost.batchId
  // The fence, if it is older.
  let there = batches.find(({ batchId }) => batchId < first)?.batchId ?? 0n
  let found: Recorded | undefined
  while (first - there > 1n) {
    const batch = await findFinal(work.db, work.chain.config.chainId, (there + first) / 2n)
    if (batch === undefined) return found
    const [record] = (await readRecords(work, at, [batch])) as [BatchRecord]
    if (isSame(batch, record)) there = batch.batchId
    else {
      first = batch.batchId
      found = { batch, record }
    }
  }
  return found
}
