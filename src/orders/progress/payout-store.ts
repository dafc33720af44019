/** Queues payouts of burned redeems, and keeps what customers are owed below one sen. */
import { PAYOUTS_DUE } from '../../db/channels.ts'
import type { Queryable } from '../../db/database.ts'

/** Locks what each customer is owed, making the rows that are missing. */
export async function lockResiduals(tx: Queryable, customerIds: readonly string[]): Promise<Map<string, bigint>> {
  const ids = [...new Set(customerIds)].sort()
  await tx.query(
    `insert into customer_residuals (customer_id, owed_micro) select id, 0 from unnest($1::text[]) as s (id)
     order by id on conflict do nothing`,
    [ids],
  )
  const rows = await tx.query<{ customer_id: string; owed_micro: bigint }>(
    'select customer_id, owed_micro from customer_residuals where customer_id = any ($1::text[]) order by customer_id for update',
    [ids],
  )
  return new Map(rows.map((row) => [row.customer_id, row.owed_micro]))
}

export type NewPayout = { orderId: bigint; customerId: string; amountSen: bigint; rail: string }

/**
 * A payout's id follows from its order alone, so that a redeem decided again after a restore has the id that the bank knows.
 * The order's number is not enough: a restored database gives it out again, and the bank would take the new payout for the
 * one it has paid.
 */
const PAYOUT_ID = `'po_' || o.order_id || '_' || left(encode(sha256(convert_to(
  o.integration_id || '/' || o.reference_id || '/' || (extract(epoch from o.created_at) * 1000)::bigint, 'UTF8')), 'hex'), 10)`

/** Stores residuals and queues payouts, one per redeem under its id, and wakes the payer. */
export async function queuePayouts(
  tx: Queryable,
  owedMicro: ReadonlyMap<string, bigint>,
  payouts: readonly NewPayout[],
): Promise<void> {
  await tx.query(
    `update customer_residuals r set owed_micro = s.owed_micro
     from unnest($1::text[], $2::bigint[]) as s (customer_id, owed_micro) where r.customer_id = s.customer_id`,
    [[...owedMicro.keys()], [...owedMicro.values()]],
  )
  if (payouts.length === 0) return
  await tx.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, rail, status)
     select ${PAYOUT_ID}, o.order_id, s.customer_id, s.amount_sen, s.rail, 'queued'
     from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[]) as s (order_id, customer_id, amount_sen, rail)
     join orders o on o.order_id = s.order_id`,
    [
      payouts.map(({ orderId }) => orderId),
      payouts.map(({ customerId }) => customerId),
      payouts.map(({ amountSen }) => amountSen),
      payouts.map(({ rail }) => rail),
    ],
  )
  await tx.query(`select pg_notify('${PAYOUTS_DUE}', '')`)
}
