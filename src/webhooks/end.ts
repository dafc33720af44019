/** Whether a claimed delivery is over before it is attempted. */
import type { ClaimedDelivery } from './queue/claimed-delivery.ts'
import { isWindowOver } from './schedule.ts'

/** How long one waits whose time is over by the database's clock, and not by this process's. */
const DOUBTFUL_PAUSE_MS = 60_000
/**
 * The longest that one waits at a time until the clock is believed. To `hurryDeliveries` a longer wait would look as if a clock that was ahead had
 * put the delivery off: it would be made due again each minute, with its schedule moved by the whole wait each time, and would at last be sent
 * although its time is over.
 */
const UNPROVEN_PAUSE_MS = 300_000

const DIFFERING =
  'the clocks of the database and this process differ by hours; a webhook waits that one of them would give up'
const UNPROVEN =
  'a webhook would be given up, and waits: the clock has not run evenly for an hour yet, and may be ahead'

/**
 * How a claimed delivery ends without an attempt, or the doubt for which it waits; undefined when it is to be attempted. It is given up only when its
 * time is over by the clocks of the database and of this process, and this process's has run evenly for long enough: both may have been wrong
 * together since their machine began. A clock that is ahead is put right one day; a delivery that was given up does not come back.
 */
export function endOf(
  claimed: ClaimedDelivery,
  ownNow: Date,
  untilSteadyMs: number,
): 'exhausted' | 'dropped' | { doubt: string; pauseMs: number } | undefined {
  if (claimed.endpointStatus !== 'enabled') return 'dropped'
  if (!isWindowOver(claimed.scheduledFrom, claimed.claimedAt)) return undefined
  if (!isWindowOver(claimed.scheduledFrom, ownNow)) return { doubt: DIFFERING, pauseMs: DOUBTFUL_PAUSE_MS }
  if (untilSteadyMs === 0) return 'exhausted'
  return { doubt: UNPROVEN, pauseMs: Math.min(Math.ceil(untilSteadyMs), UNPROVEN_PAUSE_MS) }
}
