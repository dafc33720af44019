/** The only place in the torture run that knows the service's tables: their counters, and what is still under way. */
import type { Tables } from './evidence.ts'

type Query = <R extends Record<string, unknown>>(sql: string, params?: unknown[]) => Promise<R[]>

export async function readTables(query: Query): Promise<Tables> {
  const [orders, mints, transfers, withdrawals, earmarks] = await Promise.all([
    query<{ count: string }>('select count(*)::text as count from orders'),
    query<{ key_id: string; day: string; micro: string }>(
      'select key_id, day::text as day, committed_micro::text as micro from mint_usage',
    ),
    query<{ key_id: string; day: string; micro: string }>(
      'select key_id, day::text as day, committed_micro::text as micro from transfer_usage',
    ),
    query<{ customer_id: string; month: string; micro: string }>(
      'select customer_id, month::text as month, committed_micro::text as micro from withdrawal_usage',
    ),
    query<{ address: string; micro: string }>('select address, earmarked_micro::text as micro from wallet_earmarks'),
  ])
  return {
    orderCount: Number(orders[0]?.count),
    mintUsage: mints.map(({ key_id: keyId, day, micro }) => ({ keyId, day, committedMicro: BigInt(micro) })),
    transferUsage: transfers.map(({ key_id: keyId, day, micro }) => ({ keyId, day, committedMicro: BigInt(micro) })),
    withdrawalUsage: withdrawals.map(({ customer_id: customerId, month, micro }) => {
      return { customerId, month, committedMicro: BigInt(micro) }
    }),
    earmarks: earmarks.map(({ address, micro }) => ({ wallet: address.toLowerCase(), earmarkedMicro: BigInt(micro) })),
  }
}

export type UnderWay = { orders: number; payouts: number; deliveries: number }

/** What is still under way: orders not yet settled, payouts that no rail has, deliveries that no receiver has. */
export async function countUnderWay(query: Query): Promise<UnderWay> {
  const [row] = await query<{ orders: string; payouts: string; deliveries: string }>(
    `select (select count(*) from orders where status in ('pending', 'processing'))::text as orders,
       (select count(*) from payouts where status in ('queued', 'held', 'rejected'))::text as payouts,
       (select count(*) from deliveries where status = 'due')::text as deliveries`,
  )
  return { orders: Number(row?.orders), payouts: Number(row?.payouts), deliveries: Number(row?.deliveries) }
}
