/** Which orders are due for a batch now. */
import { ofEachBucket } from '../../chain/instructions.ts'
import type { FollowedHead } from '../finality.ts'
import { setHeld } from '../holds.ts'
import { readMarket } from '../market.ts'
import type { InFlightBatch } from '../tables/in-flight.sql.ts'
import { type PendingOrder, type PerBucket, readQueues } from '../tables/queues.sql.ts'
import { anyAwaits, countOversized, readOversized, readUnminedTotals } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'
import { chooseOrders } from './choose.ts'
import { withoutUnfenced } from './other-chains.ts'
import { batchSizeFor, shouldForm, unminedLimitFor } from './pace.ts'
import { holdForReserve, withinReserve } from './reserve.ts'
import { searchAfter, searchFrom } from './search.ts'
import { splitIntoBatches } from './select.ts'
import { endSettled } from './settled-tags.ts'
import { NOTHING_UNANSWERED } from './unanswered.ts'

/** How many batches are simulated, signed and stored together, because round trips to nodes take most of the time. */
const BATCHES_AT_ONCE = 4

/**
 * The orders of the next batches, one list for each, when it is time to form any. When nothing can be formed although
 * orders wait, the reason is reported.
 */
export async function selectDue(
  work: Work,
  at: FollowedHead,
  inFlight: readonly InFlightBatch[],
): Promise<PendingOrder[][]> {
  const { db, chain, memory, nowMs } = work
  const { chainId, pollIntervalMs } = chain.config
  // Most of the time nothing waits, and providers of nodes bill every call.
  if (!(await anyAwaits(db, chainId))) {
    memory.form.unanswered = NOTHING_UNANSWERED
    memory.form.areSomeUnfenced = false
    memory.holds.unended = undefined
    reportIdle(work, 0)
    return []
  }
  const batchSize = batchSizeFor(memory.form.gasPerOrder, at.head.gasLimit)
  const unminedLimit = unminedLimitFor(memory.form.gasPerOrder, at.head.gasLimit)
  const unmined = inFlight.filter(({ status }) => status === 'signed').length
  const limit = batchSize * Math.max(Math.min(BATCHES_AT_ONCE, unminedLimit - unmined), 1)
  const { buckets } = await readMarket(work, at)
  const capacity = ofEachBucket((name) => buckets[name].capacityMicro)
  const marks = searchFrom(memory.form.search, nowMs())
  const without = [...memory.form.unanswered.sinceMs.keys()]
  const found = await readQueues(db, chainId, { capacity, limit, marks, without })
  memory.form.search = searchAfter(memory.form.search, marks, found, nowMs())
  const pending = await withoutUnfenced(work, found)
  if (pending.length === 0 && found.length > 0) return []
  const sinceHeadMs = nowMs() - memory.blocks.seenAtMs
  const { intervalMs: blockIntervalMs } = memory.blocks
  const waiting = pending.length
  if (!shouldForm({ waiting, batchSize, unmined, unminedLimit, sinceHeadMs, blockIntervalMs, pollIntervalMs })) {
    if (waiting === 0) await endOrCountOversized(work, at, capacity)
    return []
  }
  const taken = await readUnminedTotals(db, chainId)
  const inBuckets = ofEachBucket((name) => buckets[name].availableMicro - taken[name])
  const room = await withinReserve(work, inBuckets, pending)
  const { shortOfReserve, turns } = memory.form
  const chosen = chooseOrders(pending, { inBuckets, room, maxCount: limit, turns, shortOfReserve })
  memory.form.blocked = chosen.blocked
  if (chosen.orders.length > 0) return splitIntoBatches(chosen.orders, batchSize)
  if (chosen.waitsFor === 'reserve') holdForReserve(work)
  else setHeld(work, `${chosen.waitsFor}-limit`)
  return []
}

/** What waits is larger than its bucket can ever hold: it is counted, and ended where a foreign batch has settled it before. */
async function endOrCountOversized(work: Work, at: FollowedHead, capacity: PerBucket): Promise<void> {
  const { db, chain, memory, nowMs } = work
  const { chainId } = chain.config
  if (nowMs() - memory.form.oversizedCountedAtMs < 10_000) return reportIdle(work, undefined)
  const counted = await countOversized(db, chainId, capacity)
  const ended = counted > 0 ? await endSettled(work, at, await readOversized(db, chainId, capacity)) : undefined
  reportIdle(work, ended?.areAny ? await countOversized(db, chainId, capacity) : counted)
}

/** @param oversized orders too large for a bucket, which are logged as errors; undefined when they were counted just before */
function reportIdle(work: Work, oversized: number | undefined): void {
  const { chain, logger, metrics, memory, nowMs } = work
  const { chainId } = chain.config
  memory.form.blocked = new Set()
  setHeld(work, 'none')
  // Without the pause that follows a hold: others' orders may come.
  const unanswered = memory.form.unanswered.sinceMs.size
  if (unanswered > 0) memory.holds.held = { reason: 'sanctions-oracle', details: { unanswered } }
  if (oversized === undefined) return
  memory.form.oversizedCountedAtMs = nowMs()
  metrics.oversizedOrders(chainId, oversized)
  if (oversized > 0) {
    logger.error({ chainId, count: oversized }, 'orders are larger than an on-chain limit and wait until it is raised')
  }
}
