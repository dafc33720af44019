/** Whether a claimed delivery is over before it is attempted. */
import type { ClaimedDelivery } from './queue/claimed-delivery.ts'
import { isWindowOver } from './schedule.ts'

/** How long one waits whose time is over by the database's clock, and not by this process's. */
const DOUBTFUL_PAUSE_MS = 60_000
/**
 * How long one waits at a time until the clock is believed. A longer wait would be taken for one that a clock has put off (`hurryDeliveries`): made
 * due again each minute, with its schedule put off by the whole wait each time, it would be sent although its time is over.
 */
const UNPROVEN_PAUSE_MS = 300_000

const DIFFERING =
  'the clocks of the database and this process differ by hours; a webhook waits that one of them would give up'
const UNPROVEN =
  'a webhook would be given up, and waits: the clock has not run evenly for an hour yet, and may be ahead'

/**
 * Undefined when it is to be attempted. What is over by one clock alone is not given up, nor by two that may have been wrong together since their
 * machine began: clocks that are ahead come back, and a delivery that was given up does not.
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
