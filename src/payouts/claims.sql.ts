/** What the payer writes: claims of due payouts, and what the rail answered. */
import type { Queryable } from '../db/database.ts'
import { startsFrom } from './moves.ts'
import type { PayoutInstruction } from './rail.ts'

/**
 * A payout to ask the rail about, and the bank account it goes to; no instruction when the customer has none, or no
 * longer has one.
 */
export type ClaimedPayout = {
  payoutId: string
  orderId: bigint
  integrationId: string
  amountSen: bigint
  attempts: number
  instruction: PayoutInstruction | undefined
}

/**
 * Claims due payouts for one attempt each at this rail: those for which no rail was asked yet, and those for which this
 * one was. The first claim fixes rail and bank account, so that one payout id always means one payment at one bank.
 * @param claimMs how long nobody else claims them; longer than a rail call takes
 */
export async function claimDuePayouts(
  db: Queryable,
  { rail, limit, claimMs }: { rail: string; limit: number; claimMs: number },
): Promise<ClaimedPayout[]> {
  const rows = await db.query<{
    payout_id: string
    order_id: bigint
    attempts: number
    amount_sen: bigint
    integration_id: string
    bank_bic: string | null
    bank_account: string | null
    bank_name: string | null
    reference: string
  }>(
    `with claimed as (
      update payouts p set rail = $1, attempts = p.attempts + 1, updated_at = now(),
        next_attempt_at = now() + $3 * interval '1 millisecond', bank_bic = coalesce(p.bank_bic, u.bank_bic),
        bank_account = coalesce(p.bank_account, u.bank_account), bank_name = coalesce(p.bank_name, u.bank_name)
      from customers u
      where u.customer_id = p.customer_id and p.payout_id in (
        select payout_id from payouts where status = 'queued' and (rail is null or rail = $1) and next_attempt_at <= now()
        order by next_attempt_at limit $2 for update skip locked)
      returning p.payout_id, p.order_id, p.attempts, p.amount_sen, p.bank_bic, p.bank_account, p.bank_name)
    select c.payout_id, c.order_id, c.attempts, c.amount_sen, c.bank_bic, c.bank_account, c.bank_name,
      coalesce(o.bank_reference, o.reference_id) as reference, o.integration_id
    from claimed c join orders o using (order_id)`,
    [rail, limit, claimMs],
  )
  return rows.map((row) => {
    const { payout_id: payoutId, order_id: orderId, attempts, amount_sen: amountSen, reference } = row
    const { bank_bic: bic, bank_account: account, bank_name: name } = row
    const complete = bic !== null && account !== null && name !== null
    return {
      payoutId,
      orderId,
      integrationId: row.integration_id,
      amountSen,
      attempts,
      instruction: complete ? { payoutId, amountSen, bic, account, name, reference } : undefined,
    }
  })
}

/** Records that the rail has the payout, whatever was believed before. Returns false when that was known already. */
export async function markSent(
  tx: Queryable,
  payoutId: string,
  { rail, railReference }: { rail: string; railReference: string },
): Promise<boolean> {
  const rows = await tx.query(
    `update payouts set status = 'sent', hold_reason = null, rail = $2, rail_reference = $3, last_error = null,
       updated_at = now()
     where payout_id = $1 and status ${startsFrom('send')} returning payout_id`,
    [payoutId, rail, railReference],
  )
  return rows.length > 0
}

/** Records a refusal. Returns false, and changes nothing, when the payout was claimed again or decided since. */
export async function markRejected(db: Queryable, claim: ClaimedPayout, reason: string): Promise<boolean> {
  const rows = await db.query(
    `update payouts set status = 'rejected', last_error = $3, updated_at = now()
     where payout_id = $1 and attempts = $2 and status ${startsFrom('reject')} returning payout_id`,
    [claim.payoutId, claim.attempts, reason],
  )
  return rows.length > 0
}

/** Schedules the next attempt, unless the payout was claimed again or decided since. */
export async function postponePayout(
  db: Queryable,
  claim: ClaimedPayout,
  { afterMs, reason }: { afterMs: number; reason: string },
): Promise<void> {
  await db.query(
    `update payouts set next_attempt_at = now() + $3 * interval '1 millisecond', last_error = $4, updated_at = now()
     where payout_id = $1 and attempts = $2 and status = 'queued'`,
    [claim.payoutId, claim.attempts, afterMs, reason],
  )
}

/** What tending did: how many payouts now wait for another rail, and how many no longer wait for this one. */
export type Tended = { held: number; released: number }

/**
 * Holds due payouts for which another rail was asked, because only that rail can say what became of them, and releases
 * those that were held because this one was missing. Those whose attempt is under way are left alone.
 */
export async function tendPayouts(tx: Queryable, rail: string): Promise<Tended> {
  const held = await tx.query(
    `update payouts set status = 'held', hold_reason = 'rail_not_configured', updated_at = now()
     where status ${startsFrom('hold')} and rail <> $1 and next_attempt_at <= now() returning payout_id`,
    [rail],
  )
  const released = await tx.query(
    `update payouts set status = 'queued', hold_reason = null, updated_at = now()
     where status ${startsFrom('release')} and hold_reason = 'rail_not_configured' and rail = $1 returning payout_id`,
    [rail],
  )
  return { held: held.length, released: released.length }
}
