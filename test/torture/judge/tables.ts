/** The only place in the torture run that knows the service's tables: their counters, and what is still under way. */
import type { BookedAccount, Tables } from './evidence.ts'

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

/** Each account's debits less its credits. */
export async function readBooks(query: Query): Promise<BookedAccount[]> {
  const rows = await query<{ account: string; micro: string }>(
    `select case when account ~ '^(coins|payout_clearing):' then split_part(account, ':', 1) else account end as account,
       sum(micro)::text as micro
     from ledger_entries cross join lateral unnest(accounts, amounts_micro) as l (account, micro) group by 1`,
  )
  return rows.map(({ account, micro }) => ({ account, balanceMicro: BigInt(micro) }))
}

/** In one statement, so that everything is of one moment. */
const WRONG_NOW = `with counting as (select * from orders where status not in ('failed', 'cancelled')),
  accepted as (
    select what, sum(amount_micro) as amount from (
      select 'transfers of ' || key_id || ' on ' || (created_at at time zone 'UTC')::date as what, amount_micro
      from counting where direction = 'TRANSFER'
      union all select 'redeems of ' || customer_id || ' in ' || date_trunc('month', created_at at time zone 'UTC')::date, amount_micro
      from counting where direction = 'REDEEM'
      union all select 'mints of ' || mint_cap_key_id || ' on ' || mint_cap_day, amount_micro
      from counting where direction = 'MINT' and mint_cap_day is not null) each group by what),
  counted as (
    select 'transfers of ' || key_id || ' on ' || day as what, committed_micro as amount from transfer_usage
    union all select 'redeems of ' || customer_id || ' in ' || month, committed_micro from withdrawal_usage
    union all select 'mints of ' || key_id || ' on ' || day, committed_micro from mint_usage),
  booked as (
    select coalesce(sum(micro) filter (where account like 'mint_receivable:%'), 0) as minted,
      coalesce(sum(micro) filter (where account like 'mint_receivable:%' or account like 'coins:%'), 0) as burnt
    from ledger_entries cross join lateral unnest(accounts, amounts_micro) as l (account, micro)),
  done as (
    select coalesce(sum(amount_micro) filter (where direction = 'MINT' and status = 'completed'), 0) as minted,
      coalesce(sum(amount_micro) filter (where direction = 'REDEEM' and status = 'completed'), 0) as burnt,
      coalesce(sum(amount_micro) filter (where direction = 'REDEEM'), 0) as most_burnt
    from counting)
  select format('%s: %s is counted, orders come to %s', what, coalesce(c.amount, 0), coalesce(a.amount, 0)) as found
  from accepted a full join counted c using (what) where coalesce(c.amount, 0) <> coalesce(a.amount, 0)
  union all select format('mints: %s is booked, %s is completed', b.minted, d.minted)
  from booked b, done d where b.minted <> d.minted
  union all select format('burns: %s is booked, %s is completed, %s may be', b.burnt, d.burnt, d.most_burnt)
  from booked b, done d where b.burnt not between d.burnt and d.most_burnt
  union all select format('wallet %s: %s is earmarked, its open orders take %s', e.address, e.earmarked_micro, coalesce(o.amount, 0))
  from wallet_earmarks e left join (select chain_id, debit_address as address, sum(amount_micro) as amount from counting
    where status <> 'completed' group by 1, 2) o using (chain_id, address)
  where e.earmarked_micro > coalesce(o.amount, 0)
  union all select format('redeem %s: is completed, and its payout is %s', o.reference_id, p.status)
  from payouts p join orders o using (order_id) where o.status = 'completed' and p.status in ('queued', 'held', 'rejected')`

/** What is wrong at this moment: usage that is not what its orders come to, books that are not, coin held back for nobody. */
export async function readWrongNow(query: Query): Promise<string[]> {
  return (await query<{ found: string }>(WRONG_NOW)).map(({ found }) => found)
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
