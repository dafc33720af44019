/** The life of a payout as pure decisions. */
import type { RailAnswer } from './rail.ts'

export const PAYOUT_STATUSES = ['queued', 'accepted', 'refused'] as const
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

/** A payout as operators see it. Amounts are sen. */
export type Payout = {
  payoutId: string
  orderId: bigint
  customerId: string
  amountSen: bigint
  rail: string
  status: PayoutStatus
  attempts: number
  nextAttemptAt: Date
  railReference: string | null
  lastError: string | null
  createdAt: Date
  updatedAt: Date
}

/** What to write after the rail was asked. */
export type PayoutStep =
  | { kind: 'accept'; railReference: string }
  | { kind: 'refuse'; reason: string }
  | { kind: 'ask again'; afterMs: number; reason: string }

const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 5 * 60_000
const MAX_REASON_LENGTH = 500

/** How long to wait after the given number of attempts without an answer: doubling from 1 s up to 5 minutes. */
export function retryDelayMs(attempts: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** Math.min(Math.max(attempts - 1, 0), 30), LONGEST_DELAY_MS)
}

/**
 * What an answer of the rail means for a payout that was asked for `attempts` times.
 * Not knowing never ends a payout: it is asked about for ever, under the same id.
 */
export function stepOf(answer: RailAnswer, attempts: number): PayoutStep {
  if (answer.result === 'accepted') return { kind: 'accept', railReference: storable(answer.railReference, 200) }
  const reason = storable(answer.reason, MAX_REASON_LENGTH)
  if (answer.result === 'refused') return { kind: 'refuse', reason }
  return { kind: 'ask again', afterMs: retryDelayMs(attempts), reason }
}

/** PostgreSQL stores no NUL, and what cannot be stored would be asked for again for ever. */
function storable(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/\p{Cc}/gu, ' ')
}
