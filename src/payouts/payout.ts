/** The life of a payout as pure decisions. */
import { maskAccounts } from '../bank-details/mask.ts'
import { onOneLine } from '../values/on-one-line.ts'
import type { RailAnswer } from './rail.ts'

/**
 * queued: to be initiated, or asked about again · held: waits for a stated reason · sent: the rail has it · paid: the rail
 * or a statement says so · rejected: not taken, or not carried out · returned: paid, and given back · paid_by_hand: by an
 * operator, outside of every rail · refunded: its coin was minted back
 */
export const PAYOUT_STATUSES = [
  'queued',
  'held',
  'sent',
  'paid',
  'rejected',
  'returned',
  'paid_by_hand',
  'refunded',
] as const
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

/** Those in which the ringgit is not known to be with the customer, and the coin not with its holder. */
export const UNPAID_STATUSES: ReadonlySet<PayoutStatus> = new Set(['queued', 'held', 'sent', 'rejected', 'returned'])

/** Whether it came back: the rail has not taken or carried it out, or the bank has given it back. */
export function hasCameBack(status: PayoutStatus | AttemptStatus): status is 'rejected' | 'returned' {
  return status === 'rejected' || status === 'returned'
}

/** An attempt is one payment at one rail, under an end-to-end id of its own. asked: nobody knows what became of it. */
export const ATTEMPT_STATUSES = ['asked', 'sent', 'paid', 'rejected', 'returned'] as const
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number]

/** Why a payout is held. */
export const HOLD_REASONS = {
  rail_not_configured:
    'the rail that was asked to pay it is not configured now, and no other may be asked: set PAYOUT_RAIL and PAYOUT_URL to that one again, and the payout goes on by itself; where that connector has another address now, set PAYOUT_CONNECTOR to its name, which follows "http-" in "rail", and that of the address, as "NAME@ADDRESS": the start says what the address is called',
  maybe_paid_before:
    'its redeem was settled in a history that the database has lost, and the rail cannot be asked whether it has paid, or another one may have been asked then (see lastError): look at the bank, then run "coin payout release" or "coin payout mark-paid"',
  burn_not_seen:
    'the chain does not show the burn that it pays: see lastError, "coin batch show CHAIN ID", and who can write to the database; "coin payout release" has the chain asked again; if the coin was never burnt, "coin payout resettle" has it burnt',
  by_operator: 'an operator holds it: run "coin payout release" when it may go on',
  other_attempt:
    'an earlier attempt was carried out after all, while the rail may be carrying out the newest: see "coin payout show" and look at the bank; if only the earlier one was paid, run "coin payout mark-paid"; once the earlier one has failed or come back, run "coin payout release"',
} as const
export type HoldReason = keyof typeof HOLD_REASONS

/** A payout as operators see it. Amounts are sen. */
export type Payout = {
  payoutId: string
  /** The redeem that it pays; null for parts of a sen, and then the reference is a name of its own. */
  orderId: bigint | null
  integrationId: string
  referenceId: string
  customerId: string
  amountSen: bigint
  /** Null until a rail is first asked. */
  rail: string | null
  status: PayoutStatus
  statusSince: Date
  /** Set while it is held, and only then. */
  holdReason: HoldReason | null
  owner: string | null
  /** The number of the attempt that counts, from 1, and the id under which the bank knows it. */
  attempt: number
  endToEndId: string
  /** The burn that it pays, as a payer has seen it on the chain (`burnOf`); null until then, and for parts of a sen. */
  burn: string | null
  /** How often a rail was asked. */
  timesAsked: number
  nextAttemptAt: Date
  /** Names the account that it goes to in `bank_details`; null until it is first claimed. */
  bankId: string | null
  bankBic: string | null
  /** The last four digits. */
  accountEnding: string | null
  railReference: string | null
  lastError: string | null
  createdAt: Date
  updatedAt: Date
  /** The newest order that mints its coin back, or did; null when nobody has asked for that. */
  refundOrder: string | null
  /** That order is not decided yet, so that nothing else can settle the payout. */
  isBeingRefunded: boolean
}

/** What to write after the rail was asked. */
export type PayoutStep =
  | { kind: 'sent'; railReference: string }
  | { kind: 'rejected'; reason: string }
  | { kind: 'ask again'; afterMs: number; reason: string }

const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 5 * 60_000
const MAX_REASON_LENGTH = 500
const MAX_REFERENCE_LENGTH = 200

/** How long to wait after so many times without an answer: doubling from 1 s up to 5 minutes. */
export function retryDelayMs(timesAsked: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** Math.min(Math.max(timesAsked - 1, 0), 30), LONGEST_DELAY_MS)
}

/**
 * What the rail's answer means for a payout that was asked for `timesAsked` times. An unknown answer never ends a payout:
 * it is asked about for ever, under the same id.
 */
export function stepOf(answer: RailAnswer, timesAsked: number): PayoutStep {
  if (answer.result === 'accepted') return { kind: 'sent', railReference: keptReference(answer.railReference) }
  const reason = reasonOf(answer.reason)
  if (answer.result === 'refused') return { kind: 'rejected', reason }
  return { kind: 'ask again', afterMs: retryDelayMs(timesAsked), reason }
}

/** Why a rail did not pay, in its words, as they are kept: without account numbers, also where they are cut. */
export function reasonOf(words: string): string {
  return onOneLine(maskAccounts(words), MAX_REASON_LENGTH)
}

/** What a rail calls a payment, as it is kept: an answer that cannot be stored would be asked for again for ever. */
export function keptReference(words: string): string {
  return onOneLine(words, MAX_REFERENCE_LENGTH)
}
