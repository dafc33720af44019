/** Orders that were completed by batches which the chain has lost, and which were given up, or of which it has done the contrary: the table `lost_orders`. */
import type { Queryable } from '../../db/database.ts'
import type { Order } from '../../orders/order.ts'
import { lockPayoutsIn } from '../../payouts/lock-settled.sql.ts'
import type { Burnt } from '../../payouts/lost-burn.sql.ts'
import { refundNameOf } from '../../payouts/payouts.sql.ts'
import { REFUNDS, REMINTS } from '../../values/house.ts'
import { orderTag } from '../../values/order-tag.ts'
import type { Kept } from './ended-alike.sql.ts'
import { isRefusedNow } from './outcomes.sql.ts'
import { remintStatusOf } from './remint-status.sql.ts'

/**
 * Notes what the batches, which were given up just now, had completed: those of ours, and those of others of which orders have taken the outcome.
 * Before what the latter have done is forgotten. A redeem counts from when a payer has seen its burn, which is never looked for again, and also
 * where its coin was minted back; not where what did that is lost under its own tag, while its burn is there.
 * @returns those that were not lost before
 */
export async function noteLostOrders(tx: Queryable, chainId: number, batchIds: readonly bigint[]): Promise<bigint[]> {
  await lockPayoutsIn(tx, chainId, batchIds)
  const rows = await tx.query<{ order_id: bigint }>(
    `insert into lost_orders (order_id, chain_id, batch_id)
     select o.order_id, b.chain_id, b.batch_id
     from batches b cross join lateral (
         select unnest(b.order_ids) as order_id, null as direction
         union select i.order_id, i.direction from foreign_instructions i
         where b.is_foreign and i.chain_id = b.chain_id and i.batch_id = b.batch_id and i.succeeded) s
       join orders o on o.order_id = s.order_id
     where b.chain_id = $1 and b.batch_id = any ($2::bigint[]) and (b.is_foreign or o.batch_id = b.batch_id) and coalesce(s.direction = o.direction, true)
       and (o.status = 'completed' or o.direction = 'REDEEM' and o.status in ('processing', 'failed')
         and exists (select from payouts p where p.order_id = o.order_id and p.burn is not null))
     on conflict (order_id) do nothing returning order_id`,
    [chainId, batchIds],
  )
  return rows.map(({ order_id: orderId }) => orderId)
}

const FOUND = `select order_id from foreign_instructions where chain_id = $1 and batch_id between $2 and $3 and succeeded and order_id is not null
  and ($4::int[] is null or instruction_index = any ($4::int[]))`

/**
 * Forgets those for which a batch of others, between two ids, has moved what they were about. What was made good otherwise before stays.
 * @returns those that are forgotten, and those that were made good
 */
export async function forgetFound(
  tx: Queryable,
  chainId: number,
  { first, last, indexes }: Kept,
): Promise<{ found: bigint[]; madeGood: bigint[] }> {
  const found = await tx.query<{ order_id: bigint }>(
    `delete from lost_orders where closed_at is null and order_id in (${FOUND}) returning order_id`,
    [chainId, first, last, indexes ?? null],
  )
  const madeGood = await tx.query<{ order_id: bigint }>(
    `select order_id from lost_orders where closed_at is not null and order_id in (${FOUND})`,
    [chainId, first, last, indexes ?? null],
  )
  return { found: found.map((row) => row.order_id), madeGood: madeGood.map((row) => row.order_id) }
}

/**
 * `remint`: the latest order that mints it again, and how far that is; `lost` where the chain has lost that, too. `isExecuted`: it had failed, and the
 * chain has executed it after all. `isUndone`: the chain has done it as it was told since.
 */
export type LostOrder = {
  remint: string | null
  remintStatus: string | null
  isClosed: boolean
  isExecuted: boolean
  isUndone: boolean
}

/** Locks what is known of a lost order; undefined when it is not lost. */
export async function lockLost(
  tx: Queryable,
  { orderId, integrationId, referenceId }: Pick<Order, 'orderId' | 'integrationId' | 'referenceId'>,
): Promise<LostOrder | undefined> {
  const [lost] = await tx.query<Pick<LostOrder, 'isClosed' | 'isExecuted' | 'isUndone'>>(
    'select closed_at is not null as "isClosed", executed as "isExecuted", undone as "isUndone" from lost_orders where order_id = $1 for update',
    [orderId],
  )
  if (lost === undefined) return undefined
  // What was to mint another one again is minted again for that one.
  if (integrationId === REMINTS) return { remint: null, remintStatus: null, ...lost }
  // By its name, and only now: it may have been lost, found and lost once more, and its row forgotten meanwhile; another transaction may have had it.
  const [order] = await tx.query<{ name: string; status: string }>(
    `select r.reference_id as name, (${remintStatusOf('$1')}) as status
     from orders r where r.integration_id = '${REMINTS}' and split_part(r.reference_id, '/', 1) = $1 order by r.order_id desc limit 1`,
    [orderTag(integrationId, referenceId)],
  )
  return { remint: order?.name ?? null, remintStatus: order?.status ?? null, ...lost }
}

const REDEEM_OF_REFUND = `select order_id from payouts where payout_id = split_part($1, '/', 1)`
const REFUND_OF_REDEEM = `select r.order_id from payouts p join orders r on r.integration_id = '${REFUNDS}' and r.reference_id = ${refundNameOf('p.refunds')}
  where p.order_id = $1`

/**
 * What the chain has lost with a redeem, that is its refund, or with a refund, that is its redeem, unless that was made good. Locks it. Not a refund that
 * had failed and was executed after all: then there is coin of both.
 */
export async function lockLostWith(tx: Queryable, order: Order): Promise<OtherLost | undefined> {
  const isRefund = order.integrationId === REFUNDS
  const [row] = await tx.query<Omit<OtherLost, 'chainId'>>(
    `select o.order_id as "orderId", o.integration_id as "integrationId", o.reference_id as "referenceId", o.batch_id as "batchId",
       o.amount_micro as "amountMicro"
     from lost_orders l join orders o on o.order_id = l.order_id
     where l.order_id in (${isRefund ? REDEEM_OF_REFUND : REFUND_OF_REDEEM}) and l.closed_at is null and not l.executed and not l.undone for update of l`,
    [isRefund ? order.referenceId : order.orderId],
  )
  return row && { ...row, chainId: order.chainId }
}

export type OtherLost = Burnt & Pick<Order, 'referenceId'>

/** Whether one that was to mint it again had failed, and was executed after all, until that is made good. */
export async function isRemintedAfterAll(
  tx: Queryable,
  { integrationId, referenceId }: Pick<Order, 'integrationId' | 'referenceId'>,
): Promise<boolean> {
  const rows = await tx.query(
    `select from orders r join lost_orders l on l.order_id = r.order_id
     where r.integration_id = '${REMINTS}' and split_part(r.reference_id, '/', 1) = $1 and l.executed and not l.undone and l.closed_at is null`,
    [orderTag(integrationId, referenceId)],
  )
  return rows.length > 0
}

/** Names the order that is about to mint it again. */
export async function setRemint(tx: Queryable, orderId: bigint, remint: string): Promise<void> {
  await tx.query('update lost_orders set remint = $2 where order_id = $1', [orderId, remint])
}

/** Notes that it was made good otherwise. */
export async function closeLost(tx: Queryable, orderId: bigint): Promise<void> {
  await tx.query('update lost_orders set closed_at = now() where order_id = $1', [orderId])
}

/**
 * Notes it while its chain is lost. By the time itself: whoever does may have begun before that was said (`reopenOnFound`). After that was said, and after
 * any other one, also where a database has taken over whose clock is behind.
 */
export async function closeOnLost(tx: Queryable, orderId: bigint): Promise<void> {
  await tx.query(
    `update lost_orders l set closed_at = greatest(clock_timestamp(), (select c.lost_at from lost_chains c where c.chain_id = l.chain_id),
       (select max(e.closed_at) + interval '1 microsecond' from lost_orders e where e.chain_id = l.chain_id))
     where l.order_id = $1`,
    [orderId],
  )
}

/**
 * What would have been minted again, had its chain not been gone, is to be made good anew: the chain is there after all. What was closed together with
 * another was made even by it, and stays.
 */
export async function reopenOnFound(tx: Queryable, chainId: number): Promise<void> {
  await tx.query(
    `update lost_orders l set closed_at = null from lost_chains c, orders o
     where l.chain_id = $1 and c.chain_id = l.chain_id and o.order_id = l.order_id and l.closed_at >= c.lost_at and not l.undone
       and (o.direction, o.status, l.executed) in (('MINT', 'completed', false), ('REDEEM', 'failed', true))
       and not exists (select from lost_orders e where e.chain_id = l.chain_id and e.order_id <> l.order_id and e.closed_at = l.closed_at)`,
    [chainId],
  )
}

/** The batch with which it was lost; whether that was made good. */
export async function findLostBatch(
  db: Queryable,
  orderId: bigint,
): Promise<{ batchId: bigint; isClosed: boolean } | undefined> {
  const [row] = await db.query<{ batchId: bigint; isClosed: boolean }>(
    'select batch_id as "batchId", closed_at is not null as "isClosed" from lost_orders where order_id = $1 and not undone',
    [orderId],
  )
  return row
}

/** Whether what it moved was lost, however that was made good, or the chain has refused it since, and nobody has said so. */
export async function isOrderLost(db: Queryable, orderId: bigint): Promise<boolean> {
  const lost = await db.query('select from lost_orders where order_id = $1 and not undone', [orderId])
  return lost.length > 0 || (await isRefusedNow(db, orderId))
}

/** The lost order, and how far it is, that an order of the house was to mint again. Locks it. */
export async function lockLostOf(
  tx: Queryable,
  { referenceId }: Pick<Order, 'referenceId'>,
): Promise<LostOf | undefined> {
  const [row] = await tx.query<Pick<Order, 'orderId' | 'integrationId' | 'referenceId'>>(
    `select o.order_id as "orderId", o.integration_id as "integrationId", o.reference_id as "referenceId"
     from lost_orders l join orders o on o.order_id = l.order_id where split_part(l.remint, '/', 1) = split_part($1, '/', 1)`,
    [referenceId],
  )
  const lost = row && (await lockLost(tx, row))
  return row && lost && { ...lost, orderId: row.orderId }
}

export type LostOf = LostOrder & { orderId: bigint }
