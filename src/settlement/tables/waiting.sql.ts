/** Facts about orders that wait for settlement (read-only). */
import type { Queryable } from '../../db/database.ts'
import type { Direction } from '../../orders/order.ts'

export type PendingOrder = {
  orderId: bigint
  direction: Direction
  walletAddress: string
  debitAddress: string | null
  amountMicro: bigint
}

/** The oldest accepted orders of a chain, of the given directions only, that are within the sizes a bucket can ever hold. */
export async function readPending(
  db: Queryable,
  chainId: number,
  filter: { directions: readonly Direction[]; mintCapacity: bigint; debitCapacity: bigint; limit: number },
): Promise<PendingOrder[]> {
  const rows = await db.query<{
    order_id: bigint
    direction: Direction
    wallet_address: string
    debit_address: string | null
    amount_micro: bigint
  }>(
    `select order_id, direction, wallet_address, debit_address, amount_micro from orders
     where chain_id = $1 and status = 'pending' and direction = any ($2::text[])
       and amount_micro <= case direction when 'MINT' then $3::numeric else $4::numeric end
     order by order_id limit $5`,
    [chainId, filter.directions, filter.mintCapacity, filter.debitCapacity, filter.limit],
  )
  return rows.map((row) => ({
    orderId: row.order_id,
    direction: row.direction,
    walletAddress: row.wallet_address,
    debitAddress: row.debit_address,
    amountMicro: row.amount_micro,
  }))
}

/** Orders larger than the bucket they need: they wait until an operator raises the limit. */
export async function countOversized(
  db: Queryable,
  chainId: number,
  capacity: { mintCapacity: bigint; debitCapacity: bigint },
): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from orders where chain_id = $1 and status = 'pending'
       and amount_micro > case direction when 'MINT' then $2::numeric else $3::numeric end`,
    [chainId, capacity.mintCapacity, capacity.debitCapacity],
  )
  return Number(row?.count ?? 0n)
}

/** How long the oldest accepted order has waited, in ms; undefined when none waits. */
export async function readOldestPendingAgeMs(db: Queryable, chainId: number): Promise<number | undefined> {
  const [row] = await db.query<{ age_ms: number }>(
    `select (extract(epoch from now() - coalesce(updated_at, created_at)) * 1000)::float8 as age_ms from orders
     where chain_id = $1 and status = 'pending' order by order_id limit 1`,
    [chainId],
  )
  return row?.age_ms
}

/** What batches that are signed but not yet mined will take from each bucket. */
export async function readUnminedTotals(
  db: Queryable,
  chainId: number,
): Promise<{ mintMicro: bigint; debitMicro: bigint }> {
  const [row] = await db.query<{ mint_micro: string; debit_micro: string }>(
    `select coalesce(sum(o.amount_micro) filter (where o.direction = 'MINT'), 0) as mint_micro,
       coalesce(sum(o.amount_micro) filter (where o.direction <> 'MINT'), 0) as debit_micro
     from batches b join orders o on o.chain_id = b.chain_id and o.batch_id = b.batch_id
     where b.chain_id = $1 and b.status = 'signed'`,
    [chainId],
  )
  return { mintMicro: BigInt(row?.mint_micro ?? 0), debitMicro: BigInt(row?.debit_micro ?? 0) }
}
