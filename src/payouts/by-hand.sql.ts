/** Payments that operators make outside of every rail, and their money when a bank gives it back. */
import type { Queryable } from '../db/database.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { entryOfPayout } from '../ledger/postings.ts'
import { completeRedeems } from '../orders/life/outcome.ts'
import { type LockedPayout, lockPayout } from './attempts.sql.ts'
import { mayMake } from './moves.ts'
import { applySteps } from './news.sql.ts'
import { planUnrefunded } from './news.ts'
import { hasCameBack } from './payout.ts'
import { BY_HAND } from './rail.ts'

/** An operator has paid a payout that came back. @returns false when it did not, or its coin is being minted back */
export async function payByHand(tx: Queryable, locked: LockedPayout, reference: string): Promise<boolean> {
  const { payoutId, orderId, status, isRefunding } = locked
  if (!hasCameBack(status) || isRefunding) return false
  const [row] = await tx.query<{ by_hand: number }>(
    `update payouts set status = 'paid_by_hand', status_since = now(), rail_reference = $2, by_hand = by_hand + 1, updated_at = now()
     where payout_id = $1 and ${mayMake('payByHand')} returning by_hand`,
    [payoutId, reference],
  )
  await book(tx, locked, 'byHand', { timesSent: row?.by_hand ?? 1, effectiveAt: new Date() })
  if (orderId !== null) await completeRedeems(tx, [orderId])
  return true
}

const PAID_BY_HAND = `select by_hand from payouts where payout_id = $1 and status || '' = 'paid_by_hand'`

/** How often operators have paid a payout by hand, the payment that counts now included; undefined when that is not by hand. */
export async function findByHand(db: Queryable, payoutId: string): Promise<number | undefined> {
  const [row] = await db.query<{ by_hand: number }>(PAID_BY_HAND, [payoutId])
  return row?.by_hand
}

/** The same, and it stays so until the transaction ends. */
export async function lockByHand(tx: Queryable, payoutId: string): Promise<number | undefined> {
  const [row] = await tx.query<{ by_hand: number }>(`${PAID_BY_HAND} for update`, [payoutId])
  return row?.by_hand
}

/** How often operators have paid a payout by hand, also where another payment counts now. */
export async function countByHand(db: Queryable, payoutId: string): Promise<number> {
  const [row] = await db.query<{ by_hand: number }>('select by_hand from payouts where payout_id = $1', [payoutId])
  return row?.by_hand ?? 0
}

/** Names the payment by hand of which a line of a statement speaks. */
export function byHandName(payoutId: string, number: number): string {
  return number === 1 ? `${payoutId}/by_hand` : `${payoutId}/by_hand/${number}`
}

/** SQL: the same of a payout and a number that are SQL themselves. */
export function byHandNameIn(payoutId: string, number: string): string {
  return `${payoutId} || '/by_hand' || case when ${number} > 1 then '/' || ${number} else '' end`
}

/**
 * What operators have paid came back: the payout is an operator's case again, or settled by a payment that had been one too
 * many. Its reference is again what its rail called it: the operators' own stays in the audit log. @returns false when they had not paid it
 */
export async function returnByHand(
  tx: Queryable,
  payoutId: string,
  reason: string,
  effectiveAt: Date,
): Promise<boolean> {
  const timesSent = await lockByHand(tx, payoutId)
  const locked = await lockPayout(tx, payoutId)
  if (timesSent === undefined || locked === undefined) return false
  await tx.query(
    `update payouts p set status = 'returned', status_since = now(), last_error = left($2, 500), updated_at = now(),
       rail_reference = (select a.rail_reference from payout_attempts a where a.payout_id = p.payout_id and a.attempt = p.attempt)
     where payout_id = $1 and ${mayMake('giveBackByHand')}`,
    [payoutId, reason],
  )
  await book(tx, locked, 'byHandReturned', { timesSent, effectiveAt })
  const { steps } = planUnrefunded({ ...locked, status: 'returned' })
  await applySteps(tx, { ...locked, status: 'returned' }, steps, {
    news: { kind: 'rejected', reason, effectiveAt },
    attempt: 0,
  })
  return true
}

async function book(
  tx: Queryable,
  { payoutId, attempt, integrationId, amountSen }: LockedPayout,
  what: 'byHand' | 'byHandReturned',
  at: { timesSent: number; effectiveAt: Date },
): Promise<void> {
  const payment = { payoutId, attempt, integrationId, amountSen, rail: BY_HAND }
  await recordEntries(tx, [entryOfPayout({ ...payment, ...at, what })])
}
