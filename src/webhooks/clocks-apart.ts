/** Tells when the clocks of the database and this process differ by more than receivers can do with. */
import type { Logger } from 'pino'

/** Receivers allow 300 seconds in all, and their own clocks and the way are in it, too. */
const APART_MS = 60_000
const TELL_EVERY_MS = 60_000

/** @returns hears what time it was in the database just now, and warns of a difference once a minute */
export function createClockComparison(logger: Pick<Logger, 'warn'>, ownNow: () => Date): (databaseNow: Date) => void {
  let tellFromMs = 0
  return (databaseNow) => {
    const aheadMs = databaseNow.getTime() - ownNow().getTime()
    if (Math.abs(aheadMs) < APART_MS || performance.now() < tellFromMs) return
    tellFromMs = performance.now() + TELL_EVERY_MS
    logger.warn(
      { databaseAheadSeconds: Math.round(aheadMs / 1000) },
      "the clocks of the database and this process differ; webhooks are signed by this process's, and receivers refuse them where it is five minutes off",
    )
  }
}
