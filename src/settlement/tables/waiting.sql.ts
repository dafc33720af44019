/** Facts about orders that wait for settlement (read-only). */
import type { Param, Queryable } from '../../db/database.ts'
import { AWAITS, type PendingOrder, type PerBucket, pendingOrderOf, readOldestWaiting } from './queues.sql.ts'

export type { PendingOrder, PerBucket } from './queues.sql.ts'

/** The bucket that an order of this direction needs, in SQL. */
const OWN_CAPACITY = "case direction when 'MINT' then $3::numeric when 'REDEEM' then $4::numeric else $5::numeric end"

/** Whether any order awaits settlement on the chain, of any size. */
export async function anyAwaits(db: Queryable, chainId: number): Promise<boolean> {
  const [row] = await db.query<{ any: boolean }>(
    `select exists (select from orders where chain_id = $1 and ${AWAITS}) as any`,
    [chainId],
  )
  return row?.any === true
}

const OVERSIZED = `chain_id = $1 and ${AWAITS}
       and direction = any ($2::text[]) and amount_micro > ${OWN_CAPACITY}`

function paramsOf(chainId: number, { mint, burn, transfer }: PerBucket): Param[] {
  return [chainId, ['MINT', 'REDEEM', 'TRANSFER'], mint, burn, transfer]
}

/** As many are counted and read: who is told of so many need not know the rest. */
const MOST_OVERSIZED = 10_000

/** Orders larger than the bucket they need, counted up to 10,000: they wait until an operator raises the limit. */
export async function countOversized(db: Queryable, chainId: number, capacity: PerBucket): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from (select from orders where ${OVERSIZED} limit ${MOST_OVERSIZED}) counted`,
    paramsOf(chainId, capacity),
  )
  return Number(row?.count ?? 0n)
}

/** The oldest of those: nobody chooses them for a batch, so whether they were settled has to be asked for by itself. */
export async function readOversized(db: Queryable, chainId: number, capacity: PerBucket): Promise<PendingOrder[]> {
  return await db.query<PendingOrder>(
    `select ${pendingOrderOf('orders')} from orders where ${OVERSIZED} order by order_id + 0 limit ${MOST_OVERSIZED}`,
    paramsOf(chainId, capacity),
  )
}

/** The most integrations that are told of. */
const MOST_INTEGRATIONS = 20

/**
 * How long, in seconds, integrations have waited, those that wait longest; and the longest of all, 0 when nothing waits. An integration waits
 * as long as the longest of the orders at the heads of its queues: one at the head of another queue may have been confirmed just now.
 */
export async function readOldestByIntegration(
  db: Queryable,
  chainId: number,
): Promise<{ oldest: number; byIntegration: Map<string, number> }> {
  const waiting = await readOldestWaiting(db, chainId)
  const longest = waiting
    .toSorted((a, b) => a.seconds - b.seconds)
    .map((one) => [one.integrationId, one.seconds] as const)
  const byIntegration = [...new Map(longest)].sort(([, a], [, b]) => b - a).slice(0, MOST_INTEGRATIONS)
  return { oldest: byIntegration[0]?.[1] ?? 0, byIntegration: new Map(byIntegration) }
}

/** How long ago the oldest batch was formed that no block has; 0 when there is none. */
export async function readOldestUnminedSeconds(db: Queryable, chainId: number): Promise<number> {
  const [row] = await db.query<{ seconds: number | null }>(
    `select extract(epoch from now() - min(created_at))::float8 as seconds from batches where chain_id = $1 and status = 'signed'`,
    [chainId],
  )
  return row?.seconds ?? 0
}

/** What signed but not yet mined batches will take from each bucket. */
export async function readUnminedTotals(db: Queryable, chainId: number): Promise<PerBucket> {
  const [row] = await db.query<{ mint: string; burn: string; transfer: string }>(
    `select coalesce(sum(o.amount_micro) filter (where o.direction = 'MINT'), 0) as mint,
       coalesce(sum(o.amount_micro) filter (where o.direction = 'REDEEM'), 0) as burn,
       coalesce(sum(o.amount_micro) filter (where o.direction = 'TRANSFER'), 0) as transfer
     from batches b cross join lateral unnest(b.order_ids) as s (order_id) join orders o on o.order_id = s.order_id
     where b.chain_id = $1 and b.status = 'signed'`,
    [chainId],
  )
  return { mint: BigInt(row?.mint ?? 0), burn: BigInt(row?.burn ?? 0), transfer: BigInt(row?.transfer ?? 0) }
}

/** Accepted orders of a chain that have not ended, whether or not they wait for anything, but for some: so many at most. */
export async function readOpen(
  tx: Queryable,
  chainId: number,
  { limit, but }: { limit: number; but: readonly bigint[] },
): Promise<PendingOrder[]> {
  return await tx.query<PendingOrder>(
    `select ${pendingOrderOf('orders')} from orders where chain_id = $1 and status = 'pending' and order_id <> all ($3::bigint[]) limit $2`,
    [chainId, limit, but],
  )
}

/** Orders that are kept out of batches. */
export async function readHeld(tx: Queryable, chainId: number): Promise<PendingOrder[]> {
  return await tx.query<PendingOrder>(
    `select ${pendingOrderOf('o')}
     from order_holds h cross join lateral (select * from orders where order_id = h.order_id limit 1) o
     where o.chain_id = $1 order by 1`,
    [chainId],
  )
}

/** Whether any of these is kept out of batches. */
export async function areAnyHeld(db: Queryable, orderIds: readonly bigint[]): Promise<boolean> {
  return (await db.query('select from order_holds where order_id = any ($1::bigint[]) limit 1', [orderIds])).length > 0
}
