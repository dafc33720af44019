/** SQL of the tables `payouts` and `simulated_rail_payments`. */
import { PAYOUTS_DUE } from '../db/channels.ts'
import type { Queryable } from '../db/database.ts'
import type { Payout, PayoutStatus } from './payout.ts'
import type { PayoutInstruction } from './rail.ts'

const COLUMNS = `p.payout_id, p.order_id, p.customer_id, p.amount_sen, p.rail, p.status, p.attempts, p.next_attempt_at,
  p.rail_reference, p.last_error, p.created_at, p.updated_at`

type PayoutRow = {
  payout_id: string
  order_id: bigint
  customer_id: string
  amount_sen: bigint
  rail: string
  status: PayoutStatus
  attempts: number
  next_attempt_at: Date
  rail_reference: string | null
  last_error: string | null
  created_at: Date
  updated_at: Date
}

function payoutFromRow(row: PayoutRow): Payout {
  return {
    payoutId: row.payout_id,
    orderId: row.order_id,
    customerId: row.customer_id,
    amountSen: row.amount_sen,
    rail: row.rail,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    railReference: row.rail_reference,
    lastError: row.last_error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** A payout to ask the rail about, and the bank account it goes to; no instruction when the customer has none (any more). */
export type ClaimedPayout = {
  payoutId: string
  orderId: bigint
  attempts: number
  instruction: PayoutInstruction | undefined
}

/**
 * Claims due payouts of a rail: nobody else claims them for `claimMs`, and whoever dies in between only delays them.
 * The first claim fixes the bank account: a payout whose fate is unknown is never asked about with another one.
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
    bank_bic: string | null
    bank_account: string | null
    bank_name: string | null
    reference: string
  }>(
    `with claimed as (
      update payouts p set attempts = p.attempts + 1, updated_at = now(),
        next_attempt_at = now() + $3 * interval '1 millisecond', bank_bic = coalesce(p.bank_bic, u.bank_bic),
        bank_account = coalesce(p.bank_account, u.bank_account), bank_name = coalesce(p.bank_name, u.bank_name)
      from customers u
      where u.customer_id = p.customer_id and p.payout_id in (
        select payout_id from payouts where status = 'queued' and rail = $1 and next_attempt_at <= now()
        order by next_attempt_at limit $2 for update skip locked)
      returning p.payout_id, p.order_id, p.attempts, p.amount_sen, p.bank_bic, p.bank_account, p.bank_name)
    select c.payout_id, c.order_id, c.attempts, c.amount_sen, c.bank_bic, c.bank_account, c.bank_name,
      coalesce(o.bank_reference, o.reference_id) as reference
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
      attempts,
      instruction: complete ? { payoutId, amountSen, bic, account, name, reference } : undefined,
    }
  })
}

/** Records that the rail has the payout. Returns false when that was known already. */
export async function acceptPayout(tx: Queryable, payoutId: string, railReference: string): Promise<boolean> {
  const rows = await tx.query(
    `update payouts set status = 'accepted', rail_reference = $2, last_error = null, updated_at = now()
     where payout_id = $1 and status <> 'accepted' returning payout_id`,
    [payoutId, railReference],
  )
  return rows.length > 0
}

/** Records a refusal, unless the payout was claimed again or decided since. */
export async function refusePayout(db: Queryable, claim: ClaimedPayout, reason: string): Promise<void> {
  await db.query(
    `update payouts set status = 'refused', last_error = $3, updated_at = now()
     where payout_id = $1 and attempts = $2 and status = 'queued'`,
    [claim.payoutId, claim.attempts, reason],
  )
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

/** At most `limit` payouts, oldest first, of one status when given, after the payout `after` when given. */
export async function listPayouts(
  db: Queryable,
  { status, after, limit }: { status: PayoutStatus | undefined; after: string | undefined; limit: number },
): Promise<Payout[]> {
  const rows = await db.query<PayoutRow>(
    `select ${COLUMNS} from payouts p where ($1::text is null or p.status = $1)
       and ($2::text is null or (p.created_at, p.payout_id) >
         (select a.created_at, a.payout_id from payouts a where a.payout_id = $2))
     order by p.created_at, p.payout_id limit $3`,
    [status ?? null, after ?? null, limit],
  )
  return rows.map(payoutFromRow)
}

/** One payout. */
export async function findPayout(db: Queryable, payoutId: string): Promise<Payout | undefined> {
  const [row] = await db.query<PayoutRow>(`select ${COLUMNS} from payouts p where p.payout_id = $1`, [payoutId])
  return row === undefined ? undefined : payoutFromRow(row)
}

/**
 * Makes a payout due now that was refused or waits; undefined when there is none such. A refused one goes to the bank
 * account that the customer has now: the rail did not take the earlier one.
 */
export async function requeuePayout(tx: Queryable, payoutId: string): Promise<Payout | undefined> {
  const [row] = await tx.query<PayoutRow>(
    `update payouts p set status = 'queued', next_attempt_at = now(), updated_at = now(),
       bank_bic = case p.status when 'refused' then null else p.bank_bic end,
       bank_account = case p.status when 'refused' then null else p.bank_account end,
       bank_name = case p.status when 'refused' then null else p.bank_name end
     where p.payout_id = $1 and p.status <> 'accepted' returning ${COLUMNS}`,
    [payoutId],
  )
  if (row === undefined) return undefined
  await tx.query(`select pg_notify('${PAYOUTS_DUE}', '')`)
  return payoutFromRow(row)
}

/** The simulated bank's book. Returns what is booked under the id: this payment, or an earlier one. */
export async function bookSimulatedPayment(db: Queryable, payment: PayoutInstruction): Promise<PayoutInstruction> {
  const { payoutId, amountSen, bic, account, name, reference } = payment
  await db.query(
    `insert into simulated_rail_payments (payout_id, amount_sen, bank_bic, bank_account, bank_name, reference)
     values ($1, $2, $3, $4, $5, $6) on conflict (payout_id) do nothing`,
    [payoutId, amountSen, bic, account, name, reference],
  )
  const [row] = await db.query<{
    amount_sen: bigint
    bank_bic: string
    bank_account: string
    bank_name: string
    reference: string
  }>(
    `select amount_sen, bank_bic, bank_account, bank_name, reference from simulated_rail_payments where payout_id = $1`,
    [payoutId],
  )
  if (row === undefined) throw new Error(`the simulated bank lost the payment ${payoutId}`)
  return {
    payoutId,
    amountSen: row.amount_sen,
    bic: row.bank_bic,
    account: row.bank_account,
    name: row.bank_name,
    reference: row.reference,
  }
}
