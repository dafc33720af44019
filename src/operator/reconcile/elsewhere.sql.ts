/** Orders on chains that this process does not know (read-only). */
import type { Queryable } from '../../db/database.ts'

/** Enough to act on. */
export const MOST_COUNTED = 1_000

/** How many orders were accepted on a chain and have not ended: at least so many. */
export type ChainOrders = { chainId: number; orders: number }

/** The chains, but for these, on which orders wait to be settled. */
export async function findOrdersElsewhere(db: Queryable, known: readonly number[]): Promise<ChainOrders[]> {
  const rows = await db.query<{ chain: bigint; orders: bigint }>(
    `select c.chain_id as chain, w.orders from chains c cross join lateral (
       select count(*) as orders from (
         select from orders where chain_id = c.chain_id and status = 'pending' limit ${MOST_COUNTED}) waiting) w
     where c.chain_id <> all ($1::bigint[]) and w.orders > 0 order by 1`,
    [known.map(BigInt)],
  )
  return rows.map(({ chain, orders }) => ({ chainId: Number(chain), orders: Number(orders) }))
}
