/** What holds a chain, that is, why nothing is formed. Logged once per change. */
import { forgetMarket } from './market.ts'
import type { Hold, Memory } from './memory.ts'
import type { HoldReason } from './metrics.ts'
import type { Work } from './work.ts'

/** Reasons under which the chain may have settled what the database does not know. */
export const NOT_CAUGHT_UP: readonly HoldReason[] = ['batch-conflict', 'chain-behind', 'chain-mismatch', 'round-failed']

/** What a hold shows of the error that is its reason. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown'
}

/** Remembers why nothing is formed (`none`: nothing holds it any more). Returns false, for "nothing was formed". */
export function setHeld(work: Work, reason: HoldReason, details: Hold['details'] = {}): false {
  const { memory, times, nowMs } = work
  if (reason !== 'none') {
    memory.holds.notBeforeMs = nowMs() + times.retryMs
    forgetMarket(work)
  }
  memory.holds.held = { reason, details }
  return false
}

/**
 * What holds the chain now. Batches of others that are not read yet hide every reason but those of `NOT_CAUGHT_UP`. Where forming says
 * nothing, the first of these counts: a final batch that cannot be decided, an order that cannot be ended, a settled batch whose
 * transaction cannot be found, the first batch under way if no block takes it, a fence that is due or not final.
 */
export function holdOf({ follow, holds: { held, undecided, unended, unlocated, unmined, fence } }: Memory): Hold {
  const isUnread = follow.hasUnread === true || follow.hasForeignBatch
  const isKnown = !isUnread || NOT_CAUGHT_UP.includes(held.reason)
  if (!isKnown) return { reason: 'batch-conflict', details: {} }
  return held.reason === 'none' ? (undecided ?? unended ?? unlocated?.hold ?? unmined ?? fence ?? held) : held
}

/** Why some orders wait while the others go on. */
export function blockedReasons({ form }: Memory): HoldReason[] {
  const ofBuckets = [...form.blocked]
    .sort()
    .map((bucket): HoldReason => (bucket === 'mint' && form.shortOfReserve ? 'reserve' : `${bucket}-limit`))
  return [
    ...ofBuckets,
    ...(form.unanswered.sinceMs.size === 0 ? [] : ['sanctions-oracle' as const]),
    ...(form.areSomeUnfenced ? ['other-chain-unfenced' as const] : []),
  ]
}

/** Logs, once per change, what holds the chain. Call it at the end of a round, when all steps have reported. */
export function tellHeld({ chain, logger, memory }: Work): void {
  const { chainId } = chain.config
  const { reason, details } = holdOf(memory)
  if (reason === memory.holds.told) return
  if (reason === 'none') logger.info({ chainId, before: memory.holds.told }, 'settlement goes on')
  else logger.warn({ chainId, reason, ...details }, 'settlement is held; orders stay pending')
  memory.holds.told = reason
}
