/** Orders that were completed by batches which the chain has lost, and which were given up: the table `lost_orders`. */
import type { Queryable } from '../../db/database.ts'
import { REMINTS } from '../../values/order-tag.ts'

/**
 * Notes what the batches, which were given up just now, had completed: those of ours, and those of others of which orders have taken the outcome.
 * Before what the latter have done is forgotten.
 */
export async function noteLostOrders(tx: Queryable, chainId: number, batchIds: readonly bigint[]): Promise<void> {
  await tx.query(
    `insert into lost_orders (order_id, chain_id, batch_id)
     select o.order_id, b.chain_id, b.batch_id
     from batches b cross join lateral (
         select unnest(b.order_ids) as order_id
         union select i.order_id from foreign_instructions i
         where b.is_foreign and i.chain_id = b.chain_id and i.batch_id = b.batch_id and i.succeeded) s
       join orders o on o.order_id = s.order_id
     where b.chain_id = $1 and b.batch_id = any ($2::bigint[]) and o.status = 'completed' and (b.is_foreign or o.batch_id = b.batch_id)
     on conflict (order_id) do nothing`,
    [chainId, batchIds],
  )
}

/** Forgets those for which a batch of others, between two ids, has moved what they were about. */
export async function forgetFound(
  tx: Queryable,
  chainId: number,
  { first, last }: { first: bigint; last: bigint },
): Promise<void> {
  await tx.query(
    `delete from lost_orders where order_id in (select order_id from foreign_instructions
       where chain_id = $1 and batch_id between $2 and $3 and succeeded and order_id is not null)`,
    [chainId, first, last],
  )
}

/** `remint`: the latest order that mints it again, and how far that is. */
export type LostOrder = { remint: string | null; remintStatus: string | null; isClosed: boolean }

/** Locks what is known of a lost order; undefined when it is not lost. */
export async function lockLost(tx: Queryable, orderId: bigint): Promise<LostOrder | undefined> {
  const [lost] = await tx.query<{ remint: string | null; is_closed: boolean }>(
    'select remint, closed_at is not null as is_closed from lost_orders where order_id = $1 for update',
    [orderId],
  )
  if (lost === undefined) return undefined
  // Read only now: it may have ended while another transaction had the row.
  const [order] = await tx.query<{ status: string }>(
    `select status from orders where integration_id = '${REMINTS}' and reference_id = $1`,
    [lost.remint],
  )
  return { remint: lost.remint, remintStatus: order?.status ?? null, isClosed: lost.is_closed }
}

/** Names the order that is about to mint it again. */
export async function setRemint(tx: Queryable, orderId: bigint, remint: string): Promise<void> {
  await tx.query('update lost_orders set remint = $2 where order_id = $1', [orderId, remint])
}

/** Notes that it was made good otherwise. */
export async function closeLost(tx: Queryable, orderId: bigint): Promise<void> {
  await tx.query('update lost_orders set closed_at = now() where order_id = $1', [orderId])
}

/** Whether what it moved was lost, however that was made good. */
export async function isLost(db: Queryable, orderId: bigint): Promise<boolean> {
  return (await db.query('select from lost_orders where order_id = $1', [orderId])).length > 0
}
