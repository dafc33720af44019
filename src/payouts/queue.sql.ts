/** Queues the payouts of burnt redeems, and keeps what customers are owed below one sen. */
import { endToEndIdOf } from '../bank-files/end-to-end-id.ts'
import { PAYOUTS_DUE } from '../db/channels.ts'
import type { Queryable } from '../db/database.ts'
import { type NewPayout, planPayouts, type Redeem } from './split.ts'

/**
 * Queues the payouts of redeems whose burn is final, in the given order, and wakes the payer. A redeem that has its
 * payout is left alone, so that repeating this changes nothing.
 * @returns the payouts of these orders, in sen; for the others less than one sen is owed, which goes out with a later
 * payout
 */
export async function queuePayouts(tx: Queryable, redeems: readonly Redeem[]): Promise<ReadonlyMap<bigint, bigint>> {
  if (redeems.length === 0) return new Map()
  const owedMicro = await lockResiduals(
    tx,
    redeems.map(({ customerId }) => customerId),
  )
  const earlier = await findAmounts(
    tx,
    redeems.map(({ orderId }) => orderId),
  )
  const plan = planPayouts(
    redeems.filter(({ orderId }) => !earlier.has(orderId)),
    owedMicro,
  )
  await storeResiduals(tx, plan.owedMicro)
  await insertPayouts(tx, plan.payouts)
  return new Map([...earlier, ...plan.payouts.map(({ orderId, amountSen }) => [orderId, amountSen] as const)])
}

/** Wakes the payers when the transaction commits. */
export async function wakePayer(tx: Queryable): Promise<void> {
  await tx.query(`select pg_notify('${PAYOUTS_DUE}', '')`)
}

/** Locks what each customer is owed, creating missing rows. Others that queue for the same customer wait here. */
async function lockResiduals(tx: Queryable, customerIds: readonly string[]): Promise<Map<string, bigint>> {
  const ids = [...new Set(customerIds)]
  await tx.query(
    `insert into customer_residuals (customer_id, owed_micro) select id, 0 from unnest($1::text[]) as s (id)
     order by id on conflict do nothing`,
    [ids],
  )
  const rows = await tx.query<{ customer_id: string; owed_micro: bigint }>(
    'select customer_id, owed_micro - reserved_micro as owed_micro from customer_residuals where customer_id = any ($1::text[]) order by customer_id for update',
    [ids],
  )
  return new Map(rows.map((row) => [row.customer_id, row.owed_micro]))
}

/** The amounts of the payouts that these orders have already, whatever became of them. */
async function findAmounts(tx: Queryable, orderIds: readonly bigint[]): Promise<Map<bigint, bigint>> {
  const rows = await tx.query<{ order_id: bigint; amount_sen: bigint }>(
    'select order_id, amount_sen from payouts where order_id = any ($1::bigint[])',
    [orderIds],
  )
  return new Map(rows.map((row) => [row.order_id, row.amount_sen]))
}

/** Nobody ever reserves more than half of what the column holds. Where it is so, somebody has written it past the service, and may not keep a batch from being recorded. */
async function storeResiduals(tx: Queryable, owedMicro: ReadonlyMap<string, bigint>): Promise<void> {
  await tx.query(
    `update customer_residuals r set owed_micro = s.owed_micro + (r.reserved_micro & 4611686018427387903),
       reserved_micro = r.reserved_micro & 4611686018427387903
     from unnest($1::text[], $2::bigint[]) as s (customer_id, owed_micro) where r.customer_id = s.customer_id`,
    [[...owedMicro.keys()], [...owedMicro.values()]],
  )
}

/**
 * SQL: a payout's id. It follows from its order's reference alone, so that a redeem which is decided again after a restore, or posted
 * again, gets the id under which its coin may have been minted back. References are used once for ever.
 */
export const payoutIdOf = (integrationId: string, referenceId: string): string =>
  `'po_' || left(encode(sha256(convert_to(${integrationId} || '/' || ${referenceId}, 'UTF8')), 'hex'), 40)`

/**
 * One payout per redeem, without a rail: the rail is chosen when the payout is first claimed. That of a redeem which a foreign
 * batch has burnt may have been paid in a history that the database has lost, so that the rail is asked first.
 */
async function insertPayouts(tx: Queryable, payouts: readonly NewPayout[]): Promise<void> {
  if (payouts.length === 0) return
  const orders = await tx.query<{ order_id: bigint; integration_id: string; reference_id: string }>(
    'select order_id, integration_id, reference_id from orders where order_id = any ($1::bigint[])',
    [payouts.map(({ orderId }) => orderId)],
  )
  const ids = new Map(
    orders.map(({ order_id: orderId, integration_id: integrationId, reference_id: referenceId }) => [
      orderId,
      endToEndIdOf({ integrationId, referenceId, attempt: 1 }),
    ]),
  )
  await tx.query(
    `insert into payouts (payout_id, order_id, integration_id, customer_id, amount_sen, status, end_to_end_id, ask_first)
     select ${payoutIdOf('o.integration_id', 'o.reference_id')}, o.order_id, o.integration_id, s.customer_id, s.amount_sen, 'queued', s.end_to_end_id, coalesce(b.is_foreign, false)
     from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[]) as s (order_id, customer_id, amount_sen, end_to_end_id)
     join orders o on o.order_id = s.order_id
     left join batches b on b.chain_id = o.chain_id and b.batch_id = o.batch_id`,
    [
      payouts.map(({ orderId }) => orderId),
      payouts.map(({ customerId }) => customerId),
      payouts.map(({ amountSen }) => amountSen),
      payouts.map(({ orderId }) => ids.get(orderId) ?? ''),
    ],
  )
  await wakePayer(tx)
}
