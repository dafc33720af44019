/** Whether the bank's statements in a proof of reserves say what there is today (pure). */
import type { SignedReserves, StatedAccount } from './statement.ts'

const DAY_MS = 86_400_000
/** Of UTC. Their clocks were not changed since 1982. */
const BANKS_AHEAD_MS = 8 * 3_600_000
/** No weekend with holidays around it keeps a bank's statement back for longer. */
export const STATEMENT_AGE_MS = 7 * DAY_MS
/** So far the clocks of whoever makes a proof and whoever checks it may be apart. */
export const APART_MS = 300_000

/**
 * A balance may be true of its day, and long gone: the service itself takes the reserve for unknown then. Of an account without money an old one
 * says enough. @returns a sentence for each that says nothing of today
 */
export function checkDays({ statements }: SignedReserves, nowMs: number, maxAgeMs: number): string[] {
  return statements
    .filter((statement) => holdsAnything(statement) && !isRecent(statement, nowMs, maxAgeMs))
    .map(
      ({ account, closedOn }) => `The statement of ${account} closes ${closedOn}: it does not say what there is today.`,
    )
}

const holdsAnything = ({ closingMicro, creditsSinceMicro }: StatedAccount): boolean =>
  BigInt(closingMicro) !== 0n || BigInt(creditsSinceMicro) !== 0n

/** By the clocks of Malaysia's banks. None is taken in that closes later than tomorrow, and no month has 30 days because a parser lets it. */
function isRecent({ closedOn }: StatedAccount, nowMs: number, maxAgeMs: number): boolean {
  const inUtcMs = /^\d{4}-\d\d-\d\d$/.test(closedOn) ? Date.parse(closedOn) : Number.NaN
  if (Number.isNaN(inUtcMs) || !new Date(inUtcMs).toISOString().startsWith(closedOn)) return false
  const beganMs = inUtcMs - BANKS_AHEAD_MS
  return beganMs <= nowMs + DAY_MS + APART_MS && nowMs - (beganMs + DAY_MS) <= maxAgeMs
}
