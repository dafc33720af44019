/** Facts about orders that wait for settlement (read-only). */
import type { BucketName } from '../../chain/instructions.ts'
import type { Queryable } from '../../db/database.ts'
import type { Direction } from '../../orders/order.ts'

export type PendingOrder = {
  orderId: bigint
  integrationId: string
  referenceId: string
  direction: Direction
  walletAddress: string
  debitAddress: string | null
  amountMicro: bigint
}

/** An amount for each on-chain bucket, in micro units. */
export type PerBucket = Readonly<Record<BucketName, bigint>>

/** Accepted, in no batch, and not kept out of batches. */
const AWAITS = `(status = 'pending' and held is null or (status = 'processing' and batch_id is null))
  and not exists (select 1 from tag_conflicts c where c.order_id = orders.order_id)`

/** The bucket that an order of this direction needs, in SQL. */
const OWN_CAPACITY = "case direction when 'MINT' then $3::numeric when 'REDEEM' then $4::numeric else $5::numeric end"

/**
 * The oldest accepted orders of a chain, of the given directions only, that are within the sizes a bucket can ever hold.
 * @param filter.fromOrderId those below are not looked for: what remains of orders that have left would have to be read past
 */
export async function readPending(
  db: Queryable,
  chainId: number,
  filter: { directions: readonly Direction[]; capacity: PerBucket; limit: number; fromOrderId: bigint },
): Promise<PendingOrder[]> {
  const { mint, burn, transfer } = filter.capacity
  const rows = await db.query<{
    order_id: bigint
    integration_id: string
    reference_id: string
    direction: Direction
    wallet_address: string
    debit_address: string | null
    amount_micro: bigint
  }>(
    `select order_id, integration_id, reference_id, direction, wallet_address, debit_address, amount_micro from orders
     where chain_id = $1 and order_id >= $7 and ${AWAITS} and direction = any ($2::text[]) and amount_micro <= ${OWN_CAPACITY}
     order by order_id limit $6`,
    [chainId, filter.directions, mint, burn, transfer, filter.limit, filter.fromOrderId],
  )
  return rows.map((row) => ({
    orderId: row.order_id,
    integrationId: row.integration_id,
    referenceId: row.reference_id,
    direction: row.direction,
    walletAddress: row.wallet_address,
    debitAddress: row.debit_address,
    amountMicro: row.amount_micro,
  }))
}

/** Orders larger than the bucket they need: they wait until an operator raises the limit. */
export async function countOversized(db: Queryable, chainId: number, capacity: PerBucket): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from orders where chain_id = $1 and ${AWAITS}
       and direction = any ($2::text[]) and amount_micro > ${OWN_CAPACITY}`,
    [chainId, ['MINT', 'REDEEM', 'TRANSFER'], capacity.mint, capacity.burn, capacity.transfer],
  )
  return Number(row?.count ?? 0n)
}

/** How long, in ms, the oldest accepted order has waited; undefined when none waits. */
export async function readOldestPendingAgeMs(db: Queryable, chainId: number): Promise<number | undefined> {
  const [row] = await db.query<{ age_ms: number }>(
    `select (extract(epoch from now() - coalesce(updated_at, created_at)) * 1000)::float8 as age_ms from orders
     where chain_id = $1 and ${AWAITS} order by order_id limit 1`,
    [chainId],
  )
  return row?.age_ms
}

/** The oldest waiting orders that are looked through, and the most integrations that are told of. */
const LOOKED_THROUGH = 10_000
const MOST_INTEGRATIONS = 20

/** How long, in seconds, the oldest accepted order of each integration has waited; of those that wait longest. */
export async function readOldestByIntegration(db: Queryable, chainId: number): Promise<Map<string, number>> {
  const rows = await db.query<{ integration_id: string; seconds: number }>(
    `select integration_id, extract(epoch from now() - min(since))::float8 as seconds from (
       select integration_id, coalesce(updated_at, created_at) as since from orders
       where chain_id = $1 and ${AWAITS} order by order_id limit ${LOOKED_THROUGH}) waiting
     group by integration_id order by seconds desc limit ${MOST_INTEGRATIONS}`,
    [chainId],
  )
  return new Map(rows.map((row) => [row.integration_id, row.seconds]))
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
