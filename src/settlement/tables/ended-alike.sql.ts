/** Orders for which a foreign batch moved coin after they had ended, or that wait to take what one has done. */
import type { Hex } from 'viem'
import type { Queryable } from '../../db/database.ts'
import type { ByOthers } from '../../payouts/executed.sql.ts'
import { REMINTS } from '../../values/house.ts'
import { orderTag } from '../../values/order-tag.ts'
import { type PendingOrder, pendingOrderOf } from './queues.sql.ts'

/** An executed instruction of a foreign batch, and the failed or cancelled order whose tag it has. */
export type EndedOrder = {
  orderId: bigint
  tag: Hex
  batchId: bigint
  index: number
  integrationId: string
  referenceId: string
  status: string
}

type Candidate = Pick<EndedOrder, 'orderId' | 'integrationId' | 'referenceId'>
type Place = Pick<EndedOrder, 'orderId' | 'batchId' | 'index' | 'tag'> & { succeeded: boolean; isSameDebit: boolean }

/**
 * Where foreign batches between two ids, both included, have the tags of orders in instructions that are like these and that no order has taken.
 * Orders are found first, by kind, wallet and amount: of many that are alike each would be a pair with each instruction.
 */
async function placesOf(
  db: Queryable,
  chainId: number,
  { first, last }: { first: bigint; last: bigint },
  orders: readonly Candidate[],
): Promise<Place[]> {
  const tags = orders.map(({ integrationId, referenceId }) => orderTag(integrationId, referenceId))
  return await db.query<Place>(
    `select t.order_id as "orderId", i.batch_id as "batchId", i.instruction_index::int as index, i.tag, i.succeeded,
       i.debit_address is not distinct from o.debit_address as "isSameDebit"
     from unnest($4::bigint[], $5::text[]) as t (order_id, tag)
       cross join lateral (select * from orders where order_id = t.order_id limit 1) o
       join foreign_instructions i on i.tag = t.tag and i.chain_id + 0 = $1 and i.batch_id between $2 and $3 and i.order_id is null
         and i.direction = o.direction and i.amount_micro = o.amount_micro and i.wallet_address = o.wallet_address
         and i.not_of_order_id is distinct from o.order_id
     order by i.batch_id, i.instruction_index, t.order_id`,
    [chainId, first, last, orders.map(({ orderId }) => orderId), tags],
  )
}

/** Batches of others between two ids, both included; of these instructions alone, where they are given. */
export type Kept = { first: bigint; last: bigint; indexes?: readonly number[] }

/** What foreign batches between two ids did that no order has taken, each kind, wallet and amount once. */
const UNTAKEN = `(select distinct wallet_address, direction, amount_micro from foreign_instructions
    where chain_id = $1 and batch_id between $2 and $3 and order_id is null)`

/**
 * The orders of a chain, failed or cancelled, for which the foreign batches between two ids, both included, have moved coin.
 * Orders are found by kind, wallet and amount; their tags decide.
 */
export async function readEndedAlike(db: Queryable, chainId: number, batches: Kept): Promise<EndedOrder[]> {
  const ended = await db.query<Candidate & Pick<EndedOrder, 'status'>>(
    `select o.order_id as "orderId", o.integration_id as "integrationId", o.reference_id as "referenceId", o.status
     from ${UNTAKEN} i join orders o on o.chain_id = $1 and o.wallet_address = i.wallet_address
       and o.direction = i.direction and o.amount_micro = i.amount_micro and o.status in ('failed', 'cancelled')`,
    [chainId, batches.first, batches.last],
  )
  const orders = new Map(ended.map((order) => [order.orderId, order]))
  const places = await placesOf(db, chainId, batches, ended)
  return places.flatMap(({ orderId, batchId, index, tag, succeeded }) => {
    const order = orders.get(orderId)
    const isChosen = batches.indexes?.includes(index) ?? true
    return succeeded && isChosen && order !== undefined ? [{ ...order, batchId, index, tag }] : []
  })
}

/**
 * SQL: of an order `o` that has ended, what others have done just as it asks for, until that was made good, or operators have said that it is not the
 * order's; once only. Not a burn beside which coin was minted under its tag, which may have minted it back, unless they have said that of it, too; nor what was to mint again what is lost: that is
 * made good by the order which that was.
 */
export const DONE_BY_OTHERS = `tag_conflicts t join foreign_instructions i on i.tag = t.tag and i.chain_id + 0 = o.chain_id and i.succeeded and i.order_id is null
      and i.not_of_order_id is distinct from o.order_id and i.direction = o.direction and i.amount_micro = o.amount_micro
      and i.wallet_address = o.wallet_address and i.debit_address is not distinct from o.debit_address
    where t.order_id = o.order_id and o.status || '' in ('failed', 'cancelled') and o.integration_id || '' <> '${REMINTS}'
      and not exists (select from foreign_instructions n where n.order_id = o.order_id and n.succeeded)
      and not (o.direction = 'REDEEM' and exists (select from foreign_instructions m where m.tag = i.tag and m.direction = 'MINT' and m.succeeded and m.order_id is null
        and m.not_of_order_id is distinct from o.order_id))`

export type DoneByOthers = { batchId: bigint; index: number }

/** Where others have done what an order asks for that had ended. */
export async function findDoneByOthers(db: Queryable, orderId: bigint): Promise<DoneByOthers | undefined> {
  const [place] = await db.query<DoneByOthers>(
    `select d.* from orders o cross join lateral (
       select i.batch_id as "batchId", i.instruction_index::int as index from ${DONE_BY_OTHERS} order by 1, 2 limit 1) d
     where o.order_id = $1`,
    [orderId],
  )
  return place
}

/** SQL: of an instruction `i` of others and the order `o` that it names, whether that had ended without it: then it was made good. */
export const IS_MADE_GOOD = `i.succeeded and i.direction = o.direction and (o.status = 'cancelled' or o.status = 'failed' and o.failure_reason <> 'refunded')`

/**
 * What batches of others have done of orders that had ended, and that was made good: their integrations owe it, or are owed it; of what had minted coin
 * back, that of its customer. An order that has taken what moved coin has not ended, or its coin was minted back.
 * @param executed the instructions that are left out
 */
export async function readMadeGoodIn(
  tx: Queryable,
  chainId: number,
  batchIds: readonly bigint[],
  executed: readonly number[] = [],
): Promise<ByOthers[]> {
  return await tx.query<ByOthers>(
    `select i.batch_id as "batchId", o.order_id as "orderId", coalesce(c.integration_id, o.integration_id) as "integrationId", o.direction,
       o.amount_micro as "amountMicro"
     from foreign_instructions i cross join lateral (select * from orders where order_id = i.order_id limit 1) o
       left join customers c on c.customer_id = o.customer_id
     where i.chain_id = $1 and i.batch_id = any ($2::bigint[]) and i.instruction_index <> all ($3::int[]) and ${IS_MADE_GOOD}
       and o.direction <> 'TRANSFER' and o.integration_id <> '${REMINTS}'`,
    [chainId, batchIds, executed],
  )
}

/**
 * The instructions of a foreign batch that orders wait to take: posted again after a loss, equal in everything, in no batch and held by nobody.
 * @returns their places
 */
export async function readAwaited(db: Queryable, chainId: number, batchId: bigint): Promise<ReadonlySet<number>> {
  const waiting = await db.query<Candidate>(
    `select o.order_id as "orderId", o.integration_id as "integrationId", o.reference_id as "referenceId"
     from ${UNTAKEN} i join orders o on o.chain_id = $1 and o.wallet_address = i.wallet_address
       and o.direction = i.direction and o.amount_micro = i.amount_micro and o.status = 'pending'
     where not exists (select from order_holds h where h.order_id = o.order_id)
       and not exists (select from tag_conflicts t where t.order_id = o.order_id)
       and not exists (select from signed_orders f where f.order_id = o.order_id and f.batch_id is not null)`,
    [chainId, batchId, batchId],
  )
  const places = await placesOf(db, chainId, { first: batchId, last: batchId }, waiting)
  return new Set(places.filter(({ isSameDebit }) => isSameDebit).map(({ index }) => index))
}

/** Mints that wait for their payment and may be what foreign batches from `fromBatchId` on have settled; tags decide. */
export async function readUnpaidAlike(tx: Queryable, chainId: number, fromBatchId: bigint): Promise<PendingOrder[]> {
  return await tx.query<PendingOrder>(
    `select distinct ${pendingOrderOf('o')}
     from foreign_instructions i join orders o on o.chain_id = i.chain_id and o.wallet_address = i.wallet_address
       and o.status = 'payment_pending' and o.order_id + 0 > 0 and o.amount_micro = i.amount_micro
     where i.chain_id = $1 and i.batch_id >= $2 and i.direction = 'MINT' and i.order_id is null order by 1 limit 10000`,
    [chainId, fromBatchId],
  )
}

/** The latest order that mints again what was lost under a tag; `counts`: it has not failed. */
const NEWEST_REMINTS = `newest_remints as materialized (
    select distinct on (split_part(reference_id, '/', 1)) split_part(reference_id, '/', 1) as tag, order_id,
      status in ('pending', 'processing', 'completed') as counts
    from orders where integration_id = '${REMINTS}' order by 1, order_id desc)`

/**
 * Names, for what foreign batches between two ids have moved, the orders that are lost, and redeems that were called burnt by a batch which was
 * given up: this is all that the chain has done for them. Where the latest order that mints one again has not
 * failed, that has minted it, or takes this outcome, and nothing else of the tag is named. And a redeem that had failed because its coin was
 * minted back: what did that is lost by itself, and is not even with a burn that is there.
 */
export async function nameGivenUp(tx: Queryable, chainId: number, { first, last, indexes }: Kept): Promise<void> {
  // All of them: what is not named is minted again although it is there. By the orders, because many may be alike but for their tags.
  const orders = await tx.query<{ orderId: bigint; integrationId: string; referenceId: string }>(
    `select o.order_id as "orderId", o.integration_id as "integrationId", o.reference_id as "referenceId"
     from (select order_id from lost_orders where chain_id = $1
         union select order_id from orders u where status = 'processing' and chain_id = $1 and not exists (select from batches b
           where b.chain_id = u.chain_id and b.batch_id = u.batch_id and b.status = 'final' and u.order_id = any (b.order_ids))) c
       cross join lateral (select * from orders where order_id = c.order_id limit 1) o
     where o.status in ('completed', 'processing') or o.status = 'failed' and o.failure_reason = 'refunded' and exists (
       select from lost_orders l where l.order_id = o.order_id and l.closed_at is null)`,
    [chainId],
  )
  const tags = orders.map(({ integrationId, referenceId }) => orderTag(integrationId, referenceId))
  await tx.query(
    `with ${NEWEST_REMINTS},
     found as (
       select distinct on (o.order_id) o.order_id, i.batch_id, i.instruction_index
       from unnest($4::bigint[], $5::text[]) as t (order_id, tag) left join newest_remints r using (tag)
         cross join lateral (select * from orders where order_id = t.order_id limit 1) o
         join foreign_instructions i on i.tag = t.tag and i.chain_id + 0 = $1 and i.batch_id between $2 and $3 and i.succeeded and i.order_id is null
           and i.direction = o.direction and i.amount_micro = o.amount_micro and i.wallet_address = o.wallet_address
           and i.debit_address is not distinct from o.debit_address and i.not_of_order_id is distinct from o.order_id
           and ($6::int[] is null or i.instruction_index = any ($6::int[]))
       where case when r.counts then o.order_id = r.order_id else o.integration_id <> '${REMINTS}' end
         and not exists (select from foreign_instructions named where named.order_id = o.order_id and named.direction = o.direction)
       order by o.order_id, i.batch_id, i.instruction_index)
     update foreign_instructions i set order_id = f.order_id from found f
     where i.chain_id = $1 and i.batch_id = f.batch_id and i.instruction_index = f.instruction_index`,
    [chainId, first, last, orders.map(({ orderId }) => orderId), tags, indexes ?? null],
  )
}
