/**
 * Which payment of a payout somebody means who says that it was never made: the one that a letter of the bank is about. Two people may have that letter. Once
 * one of them has had the payout paid again, what the other says must not be taken for the next payment, which is on its way.
 */
import type { Queryable } from '../db/database.ts'
import { listPayments, lockPayout, type Payment } from '../payouts/attempts.sql.ts'
import { byHandName, countByHand } from '../payouts/by-hand.sql.ts'
import type { Payout, PayoutStatus } from '../payouts/payout.ts'
import { findPayout } from '../payouts/payouts.sql.ts'
import { readNewestOf } from './audit.sql.ts'
import { OperatorError } from './errors.ts'

/** The payment that counts now, as people can name it. */
export type Counting = {
  /** Its number and id, for people. */
  says: string
  /** Whether the payout never had another one, so that nobody can mean another. */
  isOnlyOne: boolean
  /** Of one by hand, what lines of statements call it: its own also where its reference is that of an earlier payment. */
  byHand: string | undefined
}

/** The payment of a payout that counts now. */
export async function describeCounting(db: Queryable, payout: Payout): Promise<Counting> {
  const { payoutId, status, attempt, endToEndId, railReference } = payout
  const times = await countByHand(db, payoutId)
  const byHand = status === 'paid_by_hand' ? byHandName(payoutId, times) : undefined
  const says =
    byHand === undefined
      ? `payment ${attempt}, ${endToEndId}`
      : `the payment by hand that is recorded under ${railReference}, ${byHand}`
  return { says, isOnlyOne: attempt === 1 && times === 0, byHand }
}

const CALLED_MADE: ReadonlySet<PayoutStatus> = new Set(['sent', 'paid', 'paid_by_hand'])

/**
 * Locks the payout and compares the payment that is named with the one that counts.
 * @param named its end-to-end id, or what its bank or rail, whoever paid by hand, or lines of statements call it; undefined: not said
 * @throws OperatorError CONFLICT where it is another, or is not named although there were several
 */
export async function requirePaymentMeant(tx: Queryable, payoutId: string, named: string | undefined): Promise<void> {
  await lockPayout(tx, payoutId)
  const payout = await findPayout(tx, payoutId)
  // Whatever is named, its state does not allow it, and that says more.
  if (payout === undefined || !CALLED_MADE.has(payout.status)) return
  const { says, isOnlyOne, byHand } = await describeCounting(tx, payout)
  if (named === undefined && !isOnlyOne) throw new OperatorError('CONFLICT', sayUnnamed(payoutId))
  const payments = await listPayments(tx, payoutId)
  if (named === undefined || isSame(byHand ?? null, named) || isMeant(payout, payments, named)) return
  const other = payments.find(({ endToEndId }) => isSame(endToEndId, named))
  const what =
    other === undefined
      ? `${named} is not the payment of ${payoutId} that counts now`
      : `${named} is payment ${other.attempt} of ${payoutId}, which is ${other.status}`
  throw new OperatorError(
    'CONFLICT',
    `${what}; the one that counts is ${says}. Nothing was done: see "coin payout show ${payoutId}".`,
  )
}

const sayUnnamed = (payoutId: string) =>
  `Of ${payoutId} more than one payment may be meant. Say which was never made, by its end-to-end id in the bank's letter, or, of one by hand, by the reference under which it was recorded: "coin payout mark-unpaid ${payoutId} --payment … --reason …".`

/**
 * One payment by hand under one reference: it came back, or was never made, and whoever reads of it late on the same paper would call the payout paid by it again.
 * @throws OperatorError CONFLICT
 */
export async function requireNewReference(tx: Queryable, payoutId: string, reference: string): Promise<void> {
  const before = await readNewestOf(tx, ['payout.mark-paid'], { target: payoutId, details: { reference } })
  if (before === undefined) return
  throw new OperatorError(
    'CONFLICT',
    `${before.actor} has recorded ${reference} as the payment of ${payoutId} at ${before.at.toISOString()}, and that has come back since, or was said never to have been made: see "coin audit list --target ${payoutId}". If the bank has paid it again, or all the same, add its date to the reference.`,
  )
}

/** Letters are typed by people. */
const isSame = (one: string | null, other: string) => one?.toUpperCase() === other.trim().toUpperCase()

/** A reference that the rail has given to an earlier payment too names neither. */
function isMeant(payout: Payout, payments: readonly Payment[], named: string): boolean {
  const { status, attempt, endToEndId, railReference } = payout
  const isByHand = status === 'paid_by_hand'
  if (!isByHand && isSame(endToEndId, named)) return true
  const isEarliers = (each: Payment) =>
    (isByHand || each.attempt !== attempt) && (isSame(each.railReference, named) || isSame(each.endToEndId, named))
  return isSame(railReference, named) && !payments.some(isEarliers)
}
