/** The orders of a final batch of ours, beside what is known of those that the chain has lost, or executed after all. */
import type { Queryable } from '../../db/database.ts'
import type { Direction } from '../../orders/order.ts'
import { lockPayoutsIn } from '../../payouts/lock-settled.sql.ts'
import { refundNameOf } from '../../payouts/payouts.sql.ts'
import { HOUSE, REFUNDS, REMINTS } from '../../values/house.ts'
import { remintStatusOf } from './remint-status.sql.ts'

/**
 * What is noted of it. `isGood`: it was made good; `isUnderWay`: it is being minted again; `wasMinted`: it was, whether or not that is still there; `isUndone`:
 * the chain has done it once more as it was told, as operators have said.
 */
export type Noted = { isGood: boolean; isUnderWay: boolean; wasMinted: boolean; isUndone: boolean }

export type Placed = {
  index: number
  orderId: bigint
  /** As integrationId/referenceId. */
  order: string
  /** Of an order of the house, that of its customer. */
  integrationId: string
  direction: Direction
  amountMicro: bigint
  /**
   * What it was told: that it moved coin, or failed. Null of a redeem whose burn no payer has seen: its payout is held for that. `left`: such a one has
   * left the batch since, which had not burnt it, and is decided elsewhere.
   */
  stands: 'moved' | 'failed' | 'left' | null
  /** Of one that has left: the books have a burn of it by this batch. */
  isBeside: boolean
  noted: Noted | null
}

type Row = Omit<Placed, 'noted'> & {
  is_noted: boolean
  is_closed: boolean
  is_undone: boolean
  remint_status: string | null
}

/** Of an order `o` and its row `l`: what names the orders of the house that mint it again; of one of these, the next ones. */
const REMINTED = `(case o.integration_id when '${REMINTS}' then o.reference_id else l.remint end)`
const REMINTED_AFTER = `(case o.integration_id when '${REMINTS}' then o.order_id else 0 end)`

/** Whoever is about to note a burn of theirs waits. In the sequence of their instructions. */
export async function lockPlaced(tx: Queryable, chainId: number, batchId: bigint): Promise<Placed[]> {
  await lockPayoutsIn(tx, chainId, [batchId])
  return await readPlaced(tx, chainId, batchId)
}

/** The same, without a lock. */
export async function readPlaced(db: Queryable, chainId: number, batchId: bigint): Promise<Placed[]> {
  const rows = await db.query<Row>(
    `select (p.position - 1)::int as index, o.order_id as "orderId", o.integration_id || '/' || o.reference_id as "order",
       coalesce(c.integration_id, o.integration_id) as "integrationId", o.direction, o.amount_micro as "amountMicro",
       case when o.batch_id is distinct from b.batch_id then 'left' when o.status = 'failed' and o.failure_reason <> 'refunded' then 'failed'
         when o.status = 'completed' or o.direction = 'REDEEM' and o.status in ('processing', 'failed')
           and exists (select from payouts y where y.order_id = o.order_id and y.burn is not null) then 'moved' end as stands,
       l.order_id is not null as is_noted, l.closed_at is not null as is_closed, (${remintStatusOf(REMINTED, REMINTED_AFTER)}) as remint_status,
       coalesce(l.undone, false) as is_undone, coalesce(p.position - 1 = any (x.beside), false) as "isBeside"
     from batches b cross join lateral unnest(b.order_ids) with ordinality as p (order_id, position)
       cross join lateral (select * from orders where order_id = p.order_id limit 1) o
       left join customers c on c.customer_id = o.customer_id left join lost_orders l on l.order_id = o.order_id
       left join batch_outcomes x on x.chain_id = b.chain_id and x.batch_id = b.batch_id
     where b.chain_id = $1 and b.batch_id = $2 order by p.position`,
    [chainId, batchId],
  )
  return rows.map(
    ({ is_noted: isNoted, is_closed: isClosed, is_undone: isUndone, remint_status: remint, ...placed }) => ({
      ...placed,
      noted: isNoted
        ? {
            isGood: isClosed || remint === 'completed',
            isUnderWay: remint === 'pending' || remint === 'processing',
            wasMinted: remint === 'completed' || remint === 'lost',
            isUndone,
          }
        : null,
    }),
  )
}

/** Notes what an explained batch has not done of orders that were told so, and has done (`executed`) of those that had failed. */
export async function noteUnlikeTold(
  tx: Queryable,
  { chainId, batchId }: { chainId: number; batchId: bigint },
  placed: readonly Placed[],
): Promise<void> {
  await tx.query(
    `insert into lost_orders (order_id, chain_id, batch_id, executed)
     select order_id, $1, $2, executed from unnest($3::bigint[], $4::boolean[]) as n (order_id, executed)`,
    [chainId, batchId, placed.map(({ orderId }) => orderId), placed.map(({ stands }) => stands === 'failed')],
  )
}

/** The orders that are to mint coin of these again, and are not decided yet. */
export async function findRemintsOf(tx: Queryable, orderIds: readonly bigint[]): Promise<bigint[]> {
  const rows = await tx.query<{ order_id: bigint }>(
    `select r.order_id from lost_orders l
       join orders r on r.integration_id = '${REMINTS}' and r.reference_id = l.remint and r.status = 'pending'
     where l.order_id = any ($1::bigint[])`,
    [orderIds],
  )
  return rows.map(({ order_id: orderId }) => orderId)
}

/** The later orders of the house that were to mint the same, and are not decided yet. */
export async function findNewerOf(tx: Queryable, orderIds: readonly bigint[]): Promise<bigint[]> {
  const rows = await tx.query<{ order_id: bigint }>(
    `select r.order_id from orders o join orders r on r.integration_id = o.integration_id and r.order_id > o.order_id and r.status = 'pending'
       and split_part(r.reference_id, '/', 1) = split_part(o.reference_id, '/', 1)
     where o.order_id = any ($1::bigint[]) and o.integration_id in ${HOUSE}`,
    [orderIds],
  )
  return rows.map(({ order_id: orderId }) => orderId)
}

/** So many tries before the newest are asked about: each was somebody's decision. */
const TRIES = 31

/** The batches of what orders of the house are to mint again, or back, and of those that were to mint the same before them. */
export async function findMintedFrom(db: Queryable, orderIds: readonly bigint[]): Promise<bigint[]> {
  const rows = await db.query<{ batch_id: bigint }>(
    `with mints as (
       select order_id, chain_id, integration_id, reference_id, split_part(reference_id, '/', 1) as name from orders where order_id = any ($1::bigint[]))
     select s.batch_id from (
       select o.chain_id, o.batch_id, r.chain_id as minted_on from mints r
         cross join lateral (select * from lost_orders where remint = r.reference_id limit 1) l
         cross join lateral (select * from orders where order_id = l.order_id limit 1) o where r.integration_id = '${REMINTS}'
       union select o.chain_id, o.batch_id, r.chain_id from mints r join orders o on o.integration_id = '${REMINTS}'
         and split_part(o.reference_id, '/', 1) = r.name and o.order_id + 0 < r.order_id where r.integration_id = '${REMINTS}'
       union select o.chain_id, o.batch_id, r.chain_id from mints r
         cross join lateral (select * from payouts where payout_id = r.name limit 1) p
         cross join lateral (select * from orders where order_id = p.order_id limit 1) o where r.integration_id = '${REFUNDS}'
       union select o.chain_id, o.batch_id, r.chain_id from mints r
         cross join lateral (select * from payouts where payout_id = r.name limit 1) p
         cross join lateral generate_series(greatest(p.refunds - ${TRIES}, 1), p.refunds) n
         join orders o on o.integration_id = '${REFUNDS}' and o.reference_id = ${refundNameOf('n')} where r.integration_id = '${REFUNDS}') s
     where s.batch_id is not null and s.chain_id = s.minted_on`,
    [orderIds],
  )
  return rows.map(({ batch_id: batchId }) => batchId)
}

/** The final batches that these redeems have left as not burnt by them: the last one, and those of which anything else was seen. */
export async function findLeftBy(db: Queryable, chainId: number, orderIds: readonly bigint[]): Promise<bigint[]> {
  const rows = await db.query<{ batch_id: bigint }>(
    `with c as materialized (
       select f.order_id, f.abandoned_batch_id from unnest($2::bigint[]) as c (order_id) join signed_orders f using (order_id)
       where f.batch_id is null and f.abandoned_batch_id is not null)
     select b.batch_id from c join batches b on b.chain_id = $1 and b.batch_id = c.abandoned_batch_id
     where b.status = 'final' and c.order_id = any (b.order_ids)
     union select b.batch_id from batch_outcomes x join batches b on b.chain_id = x.chain_id and b.batch_id = x.batch_id
     where exists (select from c) and x.chain_id = $1 and b.status = 'final' and b.order_ids && array(select order_id from c)`,
    [chainId, orderIds],
  )
  return rows.map(({ batch_id: batchId }) => batchId)
}

/** Where these batches list redeems that have left them as not burnt. */
export async function findLeftPlaces(
  db: Queryable,
  chainId: number,
  batchIds: readonly bigint[],
): Promise<{ batchId: bigint; index: number }[]> {
  if (batchIds.length === 0) return []
  return await db.query<{ batchId: bigint; index: number }>(
    `select b.batch_id as "batchId", (p.position - 1)::int as index
     from batches b cross join lateral unnest(b.order_ids) with ordinality as p (order_id, position)
       cross join lateral (select * from orders where order_id = p.order_id limit 1) o
     where b.chain_id = $1 and b.batch_id = any ($2::bigint[]) and b.status = 'final' and o.batch_id is distinct from b.batch_id`,
    [chainId, batchIds],
  )
}

/** Forgets what the chain has done again as its orders were told, before that was made good. */
export async function forgetUnlikeTold(tx: Queryable, orderIds: readonly bigint[]): Promise<void> {
  await tx.query('delete from lost_orders where order_id = any ($1::bigint[])', [orderIds])
}

/** Keeps that the chain has done the contrary once more of what was noted, of what was made good, or had been before. */
export async function markTurned(tx: Queryable, orderIds: readonly bigint[]): Promise<void> {
  await tx.query('update lost_orders set undone = not undone where order_id = any ($1::bigint[])', [orderIds])
}
