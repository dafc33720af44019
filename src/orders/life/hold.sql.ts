/** The table `order_holds`: orders that are kept out of batches, and why; and orders that operators reject. */
import type { Queryable } from '../../db/database.ts'
import { onLostChain } from '../../db/lost-chains.sql.ts'
import type { Order } from '../order.ts'
import { type OrderRow, OWN_COLUMNS, orderFromRow } from '../row.sql.ts'
import { COUNTED_COLUMNS, earmarkCtes, USAGE_CTES } from './give-back.sql.ts'
import { lockSigningOf } from './signed.sql.ts'
import { MOVES, STATES } from './states.ts'

/** Orders `o` that may be held and released: in no batch. */
const IN_NO_BATCH = `o.status = '${STATES[MOVES.reject.from].stored}'
    and not exists (select from signed_orders f where f.order_id = o.order_id and f.batch_id is not null)`

/**
 * Orders `o` that may be rejected, because no batch with them can be executed any more. They were never signed; or all batches with them were abandoned,
 * and another one is final under the highest of their ids. Until then somebody may still have an abandoned one executed; from then on the contract
 * executes no batch with that id or a lower one.
 */
const CANNOT_SETTLE = `${IN_NO_BATCH}
    and not exists (select from signed_orders f where f.order_id = o.order_id and not exists (
      select from batches b where b.chain_id = o.chain_id and b.batch_id = f.abandoned_batch_id
        and b.status = '${MOVES.rejectAbandoned.batch}'))`

/** Keeps orders out of every batch until an operator releases them. Returns those that are held now and were not before. */
export async function holdOrders(
  tx: Queryable,
  held: readonly { orderId: bigint; reason: string }[],
): Promise<bigint[]> {
  const orderIds = held.map(({ orderId }) => orderId)
  await lockSigningOf(tx, orderIds)
  const rows = await tx.query<{ order_id: bigint }>(
    `insert into order_holds (order_id, reason)
     select o.order_id, s.reason from unnest($1::bigint[], $2::text[]) as s (order_id, reason)
     join orders o on o.order_id = s.order_id where ${IN_NO_BATCH}
     on conflict (order_id) do nothing returning order_id`,
    [orderIds, held.map(({ reason }) => reason)],
  )
  return rows.map((row) => row.order_id)
}

/**
 * Holds orders for a reason that replaces whatever else they are held for: it must not end when the other one does, as the end of a suspension
 * releases all that the suspension has held. Nothing is lost by it. What a person said before is in the audit log, and suspension and screening are
 * looked at again once the order is released. Whoever lets it go at the same time, with others that a suspension has held, has done so before.
 */
export async function holdAbove(tx: Queryable, held: readonly { orderId: bigint; reason: string }[]): Promise<void> {
  const orderIds = held.map(({ orderId }) => orderId)
  await lockSigningOf(tx, orderIds)
  await tx.query(
    `insert into order_holds as h (order_id, reason)
     select distinct on (o.order_id) o.order_id, s.reason from unnest($1::bigint[], $2::text[]) as s (order_id, reason)
     join orders o on o.order_id = s.order_id where ${IN_NO_BATCH} order by o.order_id
     on conflict (order_id) do update set reason = excluded.reason where h.reason <> excluded.reason`,
    [orderIds, held.map(({ reason }) => reason)],
  )
}

/** Whether an order is held already. If so, nobody releases it before this transaction ends, and its reason stays. */
export async function keepHeld(tx: Queryable, orderId: bigint): Promise<boolean> {
  const rows = await tx.query(
    `update order_holds h set reason = h.reason from orders o where h.order_id = $1 and o.order_id = h.order_id and ${IN_NO_BATCH}
     returning h.order_id`,
    [orderId],
  )
  return rows.length > 0
}

/** Keeps others from holding these once more, or letting them go, until the transaction ends: what they had said of them by then is there to be read. */
export async function lockHeld(tx: Queryable, orderIds: readonly bigint[]): Promise<void> {
  await tx.query(
    `with locked as materialized (select order_id from orders where order_id = any ($1::bigint[]) order by order_id for no key update)
     select from order_holds h where h.order_id in (select order_id from locked) order by h.order_id for update`,
    [orderIds],
  )
}

/** Lets a held order into batches again. Its row is locked first, as by whoever rejects it. Returns whether it was held. */
export async function releaseOrder(tx: Queryable, orderId: bigint): Promise<boolean> {
  const rows = await tx.query(
    `with locked as materialized (select order_id from orders o where o.order_id = $1 and ${IN_NO_BATCH} for no key update)
     delete from order_holds h using locked o where h.order_id = $1 and o.order_id = h.order_id
     returning h.order_id`,
    [orderId],
  )
  return rows.length > 0
}

/** Fails those of the orders `$1` of which a condition is true, and gives back what they took. */
function rejectText(reason: 'rejected' | 'chain_lost', condition: string): string {
  return `with moved as (
    update orders o set status = '${STATES[MOVES.reject.to].stored}', failure_reason = '${reason}', updated_at = now()
    where o.order_id = any ($1::bigint[]) and ${condition} returning ${OWN_COLUMNS}, ${COUNTED_COLUMNS}),
  unheld as (delete from order_holds where order_id in (select order_id from moved)),
  ${USAGE_CTES}, ${earmarkCtes('-')}
  select * from moved order by order_id`
}

const REJECT = rejectText('rejected', CANNOT_SETTLE)
const REJECT_ON_LOST = rejectText('chain_lost', `${onLostChain('o.chain_id')} and ${IN_NO_BATCH}`)

/** Fails an order that can never settle, and gives back its earmark and usage. Undefined when it may settle, or has ended. */
export async function rejectUnsettleable(tx: Queryable, orderId: bigint): Promise<Order | undefined> {
  await lockSigningOf(tx, [orderId])
  const [row] = await tx.query<OrderRow>(REJECT, [[orderId]])
  return row === undefined ? undefined : orderFromRow(row)
}

/** Fails those of the orders that await a batch on a chain that is gone for good, and gives back their earmarks and usage. */
export async function rejectOnLost(tx: Queryable, orderIds: readonly bigint[]): Promise<Order[]> {
  return (await tx.query<OrderRow>(REJECT_ON_LOST, [orderIds])).map(orderFromRow)
}
