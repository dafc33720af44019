/** What is on a chain, for whoever calls it lost (read-only). */
import type { Queryable } from '../db/database.ts'
import type { Direction } from '../orders/order.ts'
import { KIND_OF_ORDER } from './orders/kind.sql.ts'

/** So many are counted. */
const MOST = 20_000

export type OpenOrders = { direction: Direction | 'REFUND' | 'REMINT'; orders: number; amountMicro: bigint }

/**
 * Accepted orders of a chain that are not final, as they would fail with it. What is minted back, or again, is named apart.
 * @returns `isWhole`: there are no more
 */
export async function readOpenOrders(
  db: Queryable,
  chainId: number,
): Promise<{ open: OpenOrders[]; isWhole: boolean }> {
  const rows = await db.query<{ direction: OpenOrders['direction']; orders: bigint; micro: string }>(
    `select kind as direction, count(*) as orders, sum(amount_micro)::text as micro
     from (select ${KIND_OF_ORDER} as kind, amount_micro
       from orders where chain_id = $1 and status = 'pending' limit ${MOST}) open
     group by kind order by kind`,
    [chainId],
  )
  const open = rows.map(({ direction, orders, micro }) => {
    return { direction, orders: Number(orders), amountMicro: BigInt(micro) }
  })
  return { open, isWhole: open.reduce((sum, { orders }) => sum + orders, 0) < MOST }
}

/** Payouts of burnt redeems whose burn no payer has seen there: no rail is asked for them. */
export async function countUnseenBurns(db: Queryable, chainId: number): Promise<number> {
  const [row] = await db.query<{ payouts: bigint }>(
    `select count(*) as payouts from payouts p join orders o on o.order_id = p.order_id
     where p.status = 'queued' and p.burn is null and o.chain_id = $1`,
    [chainId],
  )
  return Number(row?.payouts ?? 0n)
}
