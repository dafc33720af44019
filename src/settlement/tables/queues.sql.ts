/**
 * Orders that wait for settlement, queue by queue (read-only). A queue is what waits of one integration and direction: each is one
 * range of `orders_awaiting_settlement`, so that what is read depends on the number of integrations and on what is wanted, never
 * on how much waits.
 */
import type { BucketName } from '../../chain/instructions.ts'
import type { Param, Queryable } from '../../db/database.ts'
import type { Direction } from '../../orders/order.ts'
import { REFUNDS, REMINTS } from '../../values/house.ts'

export type PendingOrder = {
  orderId: bigint
  integrationId: string
  referenceId: string
  direction: Direction
  walletAddress: string
  debitAddress: string | null
  amountMicro: bigint
}

/** SQL: the columns of `PendingOrder`, of an order `o`. */
export const pendingOrderOf = (o: string): string =>
  `${o}.order_id as "orderId", ${o}.integration_id as "integrationId", ${o}.reference_id as "referenceId", ${o}.direction,
    ${o}.wallet_address as "walletAddress", ${o}.debit_address as "debitAddress", ${o}.amount_micro as "amountMicro"`

/** An amount for each on-chain bucket, in micro units. */
export type PerBucket = Readonly<Record<BucketName, bigint>>

/** `from`: by queue, the lowest id to look for; in all others, `othersFrom` is. */
export type Marks = { from: ReadonlyMap<string, bigint>; othersFrom: bigint }

/** Names a queue in `Marks`. */
export function queueOf({ integrationId, direction }: Pick<PendingOrder, 'integrationId' | 'direction'>): string {
  return `${integrationId} ${direction}`
}

/**
 * Accepted and not ended, as `orders_awaiting_settlement` has them; not kept out of batches, which has a range of that index of its own,
 * so that nobody has to read past what a suspended integration has there; in no batch; and not in conflict over its tag. The latter,
 * and holds once more, are looked up for one order after another: as joins (`not exists`) they lead the planner away from that index.
 */
export const AWAITS = `status = 'pending' and not is_held
  and (select f.batch_id from signed_orders f where f.order_id = orders.order_id) is null
  and (select h.order_id from order_holds h where h.order_id = orders.order_id) is null
  and (select c.order_id from tag_conflicts c where c.order_id = orders.order_id) is null`

/** $1 chain · $2, $3 queues and where they begin · $4 where the others do · $5 whether there are no others · $6–$8 capacities. */
const HEADS = `head as materialized (
    select q.*, first.order_id from (
      select i.integration_id, d.direction, d.most, coalesce(m.order_id, $4::bigint) as from_id
      from (select integration_id from integrations union all values ('${REFUNDS}'), ('${REMINTS}')) i
      cross join (values ('MINT', $6::numeric), ('REDEEM', $7::numeric), ('TRANSFER', $8::numeric)) as d (direction, most)
      left join unnest($2::text[], $3::bigint[]) as m (queue, order_id) on m.queue = i.integration_id || ' ' || d.direction
      where m.order_id is not null or not $5::boolean) q
    cross join lateral (
      select order_id from orders
      where chain_id = $1 and integration_id = q.integration_id and direction = q.direction and order_id + 0 >= q.from_id
        and ${AWAITS} and amount_micro <= q.most
      order by order_id + 0 limit 1) first)`

/** $9: how many orders are wanted; each queue gives an equal part. $10: wallets, in lower case, whose orders are left out. */
const READ = `with ${HEADS},
  share as materialized (select ceil($9::numeric / greatest(count(*), 1))::bigint as part from head)
  select ${pendingOrderOf('o')}, share.part from head h cross join share cross join lateral (
    select order_id, integration_id, reference_id, direction, wallet_address, debit_address, amount_micro from orders
    where chain_id = $1 and integration_id = h.integration_id and direction = h.direction and order_id + 0 >= h.order_id
      and ${AWAITS} and amount_micro <= h.most
      and ($10::text[] = '{}' or (lower(wallet_address) <> all ($10) and lower(coalesce(debit_address, wallet_address)) <> all ($10)))
    order by order_id + 0 limit (select part from share)) o
  order by o.order_id`

/**
 * The oldest waiting orders of a chain that are within the sizes a bucket can ever hold, in equal parts of each queue; what some
 * queues do not have, the others give. Each queue that has any gives at least one.
 * @param without wallets, in lower case, whose orders are left out
 * @returns by order id; about `limit`, at most one more for each queue
 */
export async function readQueues(
  db: Queryable,
  chainId: number,
  {
    capacity,
    limit,
    marks,
    without = [],
  }: {
    capacity: PerBucket
    limit: number
    marks: Marks
    without?: readonly string[]
  },
): Promise<PendingOrder[]> {
  const found: PendingOrder[] = []
  let next: Marks | undefined = marks
  while (next !== undefined && found.length < limit) {
    const { mint, burn, transfer } = capacity
    const begin: Param[] = [[...next.from.keys()], [...next.from.values()], next.othersFrom, next !== marks]
    const rows: (PendingOrder & { part: bigint })[] = await db.query(READ, [
      chainId,
      ...begin,
      mint,
      burn,
      transfer,
      limit - found.length,
      without,
    ])
    const more = rows.map(({ part: _, ...order }) => order)
    found.push(...more)
    next = restOf(more, Number(rows[0]?.part ?? 0n))
  }
  return found.sort((a, b) => Number(a.orderId - b.orderId))
}

/** Where the queues go on that gave their whole part; undefined when none did. */
function restOf(orders: readonly PendingOrder[], part: number): Marks | undefined {
  const full = [...Map.groupBy(orders, queueOf)].filter(([, own]) => own.length >= part)
  if (full.length === 0) return undefined
  return { from: new Map(full.map(([queue, own]) => [queue, (own.at(-1)?.orderId ?? 0n) + 1n])), othersFrom: 0n }
}

/** More than any order can be over. */
const NO_LIMIT = 2n ** 63n

/** The oldest orders of each queue: how long it has waited, in seconds, since it last moved or was accepted. */
export async function readOldestWaiting(
  db: Queryable,
  chainId: number,
): Promise<{ orderId: bigint; integrationId: string; seconds: number }[]> {
  const rows = await db.query<{ order_id: bigint; integration_id: string; seconds: number }>(
    `with ${HEADS}
     select o.order_id, o.integration_id, extract(epoch from now() - coalesce(f.since, o.updated_at, o.created_at))::float8 as seconds
     from head join orders o on o.order_id = head.order_id left join signed_orders f on f.order_id = o.order_id order by o.order_id`,
    [chainId, [], [], 0n, false, NO_LIMIT, NO_LIMIT, NO_LIMIT],
  )
  return rows.map((row) => ({ orderId: row.order_id, integrationId: row.integration_id, seconds: row.seconds }))
}
