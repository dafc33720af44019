/**
 * The table `signed_orders`: pending orders that were signed, from then until their batch is final, and in which batch they
 * are. Being in it makes an order `processing`, so that its own row need not be written before it ends. Whoever signs orders of
 * a chain, and whoever keeps an order from being signed, locks the chain's row first, and looks only then.
 */
import type { Queryable } from '../../db/database.ts'
import { earmarkCtes } from './give-back.sql.ts'
import { MOVES, STATES } from './states.ts'

/** A batch of a chain. */
export type BatchKey = { chainId: number; batchId: bigint }

/** Orders were not in the state from which a move starts. The transaction must be rolled back. */
export class OrdersMovedError extends Error {
  override readonly name = 'OrdersMovedError'
}

async function lockSigning(tx: Queryable, chainId: number): Promise<void> {
  await tx.query('select from chains where chain_id = $1 for no key update', [chainId])
}

/** Waits for whoever signs or adopts orders of the chains of these, and keeps others from it until the transaction ends. */
export async function lockSigningOf(tx: Queryable, orderIds: readonly bigint[]): Promise<void> {
  await tx.query(
    `select from chains where chain_id in (select chain_id from orders where order_id = any ($1::bigint[]))
     order by chain_id for no key update`,
    [orderIds],
  )
}

/** Each listed order is looked up by primary key, whatever the planner believes about the table. */
const SUBMIT = `with listed as materialized (
    select s.order_id, b.batch_id, (s.position - 1)::smallint as batch_index, f.order_id is not null as is_again
    from batches b cross join lateral unnest(b.order_ids) with ordinality as s (order_id, position)
    cross join lateral (select * from orders where order_id = s.order_id limit 1) o
    left join lateral (select order_id, batch_id from signed_orders where order_id = s.order_id limit 1) f on true
    where b.chain_id = $1 and b.batch_id = $2 and b.status = '${MOVES.submit.batch}' and o.chain_id = b.chain_id
      and o.status = '${STATES[MOVES.submit.from].stored}' and f.batch_id is null
      and not exists (select from order_holds h where h.order_id = o.order_id)),
  signed as (
    insert into signed_orders (order_id, batch_id, batch_index)
    select order_id, batch_id, batch_index from listed where not is_again returning order_id),
  signed_again as (
    update signed_orders f set batch_id = l.batch_id, batch_index = l.batch_index, since = now()
    from listed l where l.is_again and f.order_id = l.order_id and f.batch_id is null returning f.order_id)
  select b.order_count - (select count(*) from signed) - (select count(*) from signed_again) as missing
  from batches b where b.chain_id = $1 and b.batch_id = $2`

/**
 * Puts orders into their batch, in the transaction that stores it with its signed bytes: those that were in none before, and
 * those whose batch was abandoned.
 * @throws OrdersMovedError when one of its orders no longer awaits settlement
 */
export async function submitOrders(tx: Queryable, { chainId, batchId }: BatchKey): Promise<void> {
  await lockSigning(tx, chainId)
  const [row] = await tx.query<{ missing: bigint }>(SUBMIT, [chainId, batchId])
  if (row?.missing !== 0n) throw new OrdersMovedError(`batch ${batchId}: ${row?.missing ?? 'all'} orders moved`)
}

const REQUEUE = `update signed_orders f set batch_id = null, batch_index = null, since = now(),
    abandoned_batch_id = greatest(f.batch_id, f.abandoned_batch_id)
  from batches b cross join lateral unnest(b.order_ids) as s (order_id)
  where b.chain_id = $1 and b.batch_id = $2 and b.status = '${MOVES.requeue.batch}' and f.order_id = s.order_id
    and f.batch_id = b.batch_id`

/**
 * Takes orders out of an abandoned batch, so that they await another one. They stay `processing`, and keep earmarks and
 * usage.
 */
export async function requeueOrders(tx: Queryable, { chainId, batchId }: BatchKey): Promise<void> {
  await tx.query(REQUEUE, [chainId, batchId])
}

const ADOPT = `with adopted as (
    insert into signed_orders as f (order_id, batch_id, batch_index)
    select o.order_id, b.batch_id, $4 from batches b, orders o
    where b.chain_id = $1 and b.batch_id = $2 and b.is_foreign and b.status = '${MOVES.adopt.batch}' and o.order_id = $3
      and o.chain_id = b.chain_id and o.status in ('payment_pending', 'pending')
    on conflict (order_id) do update set batch_id = excluded.batch_id, batch_index = excluded.batch_index, since = now()
      where f.batch_id is null
    returning order_id),
  moved as (select o.chain_id, o.debit_address, o.amount_micro from adopted join orders o using (order_id)),
  ${earmarkCtes('-')}
  select count(*) as orders from moved`

/**
 * Puts an order into the final foreign batch that has settled it, as the instruction of this index, and gives its
 * earmark back. It must be decided in the same transaction.
 * @returns for what it was held until then; undefined where it was not
 * @throws OrdersMovedError when it no longer awaits settlement
 */
export async function adoptOrder(
  tx: Queryable,
  { chainId, batchId }: BatchKey,
  orderId: bigint,
  index: number,
): Promise<string | undefined> {
  await lockSigning(tx, chainId)
  // Its partner may be confirming or cancelling it.
  await tx.query('select from orders where order_id = $1 for no key update', [orderId])
  const [held] = await tx.query<{ reason: string }>('delete from order_holds where order_id = $1 returning reason', [
    orderId,
  ])
  const [row] = await tx.query<{ orders: bigint }>(ADOPT, [chainId, batchId, orderId, index])
  if (row?.orders !== 1n) throw new OrdersMovedError(`order ${orderId} moved`)
  return held?.reason
}
