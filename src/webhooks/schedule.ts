/** When a delivery is attempted: the schedule as data, and the pure function that follows it. */

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** The wait after each failed attempt: 23 h 36 min in all. The first attempt is made at once. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  1 * MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
]

/** How long after its creation (or a replay) a delivery may be attempted (contract "Delivery rules"). */
export const RETRY_WINDOW_MS = 24 * HOUR_MS

/** A retry that would fall after the window is made this long before its end; no attempt begins in the last five seconds. */
const LAST_RETRY_MARGIN_MS = 30 * SECOND_MS
const CLOSING_MS = 5 * SECOND_MS

const MAX_JITTER = 0.1

/** Whether it is too late to begin an attempt at `now`, so that none is made after the window. */
export function isWindowOver(scheduledFrom: Date, now: Date): boolean {
  return now.getTime() >= scheduledFrom.getTime() + RETRY_WINDOW_MS - CLOSING_MS
}

/**
 * When to try again after a failed attempt.
 * @param failedAttempts how many have failed since `scheduledFrom`, this one included (1…)
 * @param endedAt when this attempt ended
 * @param random from 0 (as scheduled) to 1 (10 % earlier), so that retries of one outage do not come back together
 * @returns the next attempt, or undefined when the schedule is used up. An attempt that the delays before it would
 *   carry past the window is made at its end instead, and is the last
 */
export function nextAttemptAt(
  failedAttempts: number,
  scheduledFrom: Date,
  endedAt: Date,
  random: number,
): Date | undefined {
  const delayMs = RETRY_DELAYS_MS[failedAttempts - 1]
  const last = new Date(scheduledFrom.getTime() + RETRY_WINDOW_MS - LAST_RETRY_MARGIN_MS)
  if (delayMs === undefined || endedAt >= last) return undefined
  const next = new Date(endedAt.getTime() + Math.round(delayMs * (1 - MAX_JITTER * random)))
  return next < last ? next : last
}
