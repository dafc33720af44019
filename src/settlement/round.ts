/** One round of settling a chain: look, record, repair, form. Everything it needs is in the database and on chain. */
import { headOf, isQuiet, keepHead } from './follow/head.ts'
import { reconcileNonces } from './follow/nonces.ts'
import { isNews, observe } from './follow/observe.ts'
import { recheckFinal } from './follow/recheck.ts'
import { tellSeen } from './follow/seen.ts'
import { noteFenceState } from './form/fence.ts'
import { formBatches } from './form/form-batches.ts'
import { tellHeld } from './holds.ts'
import { publishLimits } from './limits.ts'
import { countNodeLag } from './node-lag.ts'
import { publishHold } from './publish-hold.ts'
import { abandonDead } from './repair/abandon.ts'
import { bumpLate } from './repair/bump.ts'
import { fillGaps } from './repair/gaps.ts'
import { handOver } from './repair/hand-over.ts'
import { catchUpWithForeign, forgetOtherTimeline, lookForForeign } from './repair/history.ts'
import { resendUnmined } from './send.ts'
import { findChain } from './tables/chains.sql.ts'
import { noteTimelineOf } from './tables/fences.sql.ts'
import { type InFlightBatch, readInFlight } from './tables/in-flight.sql.ts'
import { readOldestByIntegration, readOldestUnminedSeconds } from './tables/waiting.sql.ts'
import { noteUnmined } from './unmined.ts'
import { stopOnChain } from './watch/stop-chain.ts'
import { watchChain } from './watch/watch.ts'
import type { Work } from './work.ts'

export type Round = { waiting: boolean; isMore?: boolean }

/**
 * Runs one round.
 * @returns `waiting` when a batch waits for its block, so that new orders can wait for the next poll; `isMore` when there is more to
 * form behind a block that may have come by now, so that the next round must not wait
 * @throws LeaseLostError when another process took over; NoQuorumError and others when a later round can help
 */
export async function runRound(work: Work): Promise<Round> {
  try {
    const result = await runSteps(work)
    tellHeld(work)
    await publishHold(work)
    return result
  } catch (error) {
    // Which of its nodes are gone is asked for most when too many are for a round.
    countNodeLag(work)
    tellHeld(work)
    await publishHold(work, error)
    throw error
  }
}

async function runSteps(work: Work): Promise<Round> {
  const { db, chain, memory } = work
  const { chainId } = chain.config
  const at = await headOf(work)
  const row = await findChain(db, chainId)
  if (row === undefined) throw new Error(`chain ${chainId} is not registered`)
  await tellSeen(work, at, row)
  memory.watch.isPaused = row.isPaused
  forgetOtherTimeline(work, row)
  if (!row.isTimelineNoted) await noteTimelineOf(db)
  noteFenceState(work, row)
  const before = await readInFlight(db, chainId)
  const hasNews = isNews(work, at)
  const { dead, foreign } = await observe(work, at, row, before)
  await reconcileNonces(work)
  if (foreign.length > 0) await catchUpWithForeign(work, at, before)
  else await abandonDead(work, dead)
  if (hasNews || memory.follow.readOn === undefined) await lookForForeign(work, at, before)

  if (hasNews) await watchChain(work, at)
  stopOnChain(work)
  const isOther = hasNews || dead.length + foreign.length > 0
  let inFlight = isOther ? await readInFlight(db, chainId) : before
  await resendUnmined(work, inFlight)
  await bumpLate(work, at, inFlight)
  if (await handOver(work, at, inFlight)) inFlight = await readInFlight(db, chainId)
  await fillGaps(work, at, inFlight)
  noteUnmined(work, at, inFlight)
  await recheckFinal(work, at)
  publishLimits(work, at)
  countNodeLag(work)
  // What is behind a block that nobody has looked at yet would be cut for the wrong one.
  let isMore = await formBatches(work, at, inFlight)
  while (isMore && (isQuiet(work) || !memory.form.isCutting)) {
    inFlight = await readInFlight(db, chainId)
    isMore = await formBatches(work, at, inFlight)
  }
  if (isMore) inFlight = await readInFlight(db, chainId)
  await reportNumbers(work, inFlight)
  keepHead(work, at)
  const waiting = inFlight.some(({ status }) => status === 'signed')
  return isMore ? { waiting, isMore } : { waiting }
}

async function reportNumbers(
  { db, chain, metrics, memory, nowMs }: Work,
  inFlight: readonly InFlightBatch[],
): Promise<void> {
  const { chainId } = chain.config
  for (const status of ['signed', 'mined'] as const) {
    metrics.inFlight(chainId, status, inFlight.filter((batch) => batch.status === status).length)
  }
  if (nowMs() - memory.numbers.countedAtMs < NUMBERS_EVERY_MS) return
  memory.numbers.countedAtMs = nowMs()
  const { oldest, byIntegration } = await readOldestByIntegration(db, chainId)
  metrics.oldestPendingSeconds(chainId, oldest)
  metrics.oldestByIntegration(chainId, byIntegration)
  metrics.oldestUnminedSeconds(chainId, await readOldestUnminedSeconds(db, chainId))
}

const NUMBERS_EVERY_MS = 5_000
