/** Publishes what holds a chain, so that every process can say why an order waits. */
import { underLease } from '../leases/leases.sql.ts'
import { blockedReasons, holdOf, messageOf, NOT_CAUGHT_UP } from './holds.ts'
import { writeHold } from './tables/holds.sql.ts'
import type { Work } from './work.ts'

/** How often an unchanged hold is published again, for its details. */
const AGAIN_MS = 30_000
/** How long rounds must fail before that is told: a single failure is made good by the next round. */
const FAILING_MS = 5_000

/**
 * Publishes the hold when it has changed, and counts it. Never throws: what cannot be written is written later.
 * @param failure why the round failed; undefined when it did not
 */
export async function publishHold(work: Work, failure?: unknown): Promise<void> {
  const { db, chain, lease, logger, memory, metrics, nowMs } = work
  const { chainId } = chain.config
  if (failure === undefined) memory.holds.failingSinceMs = undefined
  else memory.holds.failingSinceMs ??= nowMs()
  const since = memory.holds.failingSinceMs
  const isFailing = since !== undefined && nowMs() - since >= FAILING_MS
  const { reason, details } = isFailing
    ? { reason: 'round-failed' as const, details: { error: messageOf(failure) } }
    : holdOf(memory)
  const blocked = blockedReasons(memory)
  // After a restore people wait for `none`: it is not said before the chain was asked for what the database has lost.
  if (reason !== 'none' || memory.follow.hasUnread !== undefined) metrics.held(chainId, reason, blocked)
  // What is published says that the chain's batches are known, unless its reason says that they are not.
  const isUnsure = failure !== undefined || memory.follow.hasUnread === undefined
  if (isUnsure && !NOT_CAUGHT_UP.includes(reason)) return
  const historyReadOn = memory.follow.readOn
  const key = [reason, historyReadOn, ...blocked].join()
  if (key === memory.holds.published.key && nowMs() - memory.holds.published.atMs < AGAIN_MS) return
  try {
    const text = Object.keys(details).length === 0 ? null : JSON.stringify(details)
    await underLease(db, lease, (tx) => writeHold(tx, chainId, { reason, details: text, blocked, historyReadOn }))
    memory.holds.published = { key, atMs: nowMs() }
  } catch (error) {
    logger.debug({ chainId, err: error }, 'what holds settlement could not be published')
  }
}
