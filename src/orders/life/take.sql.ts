/** SQL of an acceptance that takes usage and earmarks; give-back.sql.ts is its counterpart. */
import type { UsageCounter } from '../kinds.ts'

/**
 * CTEs that add the orders of `accepted` (owner, period, amount_micro, cap_micro, chain_id, debit_address, facts_epoch,
 * balance_micro, place) to their usage counters and earmarks. They write the cap, the balance and the epoch of the last
 * one, whose sums include all before it; check constraints refuse what they do not admit.
 */
export function takeCtes({ table, owner, period }: UsageCounter, accepted: string): string {
  return `usage as (
    insert into ${table} (${owner}, ${period}, committed_micro, cap_micro)
    select owner, period, sum(amount_micro)::bigint, (array_agg(cap_micro order by place desc))[1]
    from ${accepted} group by owner, period order by owner, period
    on conflict (${owner}, ${period}) do update
      set committed_micro = ${table}.committed_micro + excluded.committed_micro, cap_micro = excluded.cap_micro),
  earmark as (
    insert into wallet_earmarks (chain_id, address, earmarked_micro, facts_epoch, epoch, balance_micro)
    select chain_id, debit_address, sum(amount_micro)::bigint, min(facts_epoch), min(facts_epoch),
      (array_agg(balance_micro order by place desc))[1]
    from ${accepted} group by chain_id, debit_address order by chain_id, debit_address
    on conflict (chain_id, address) do update
      set earmarked_micro = wallet_earmarks.earmarked_micro + excluded.earmarked_micro,
        facts_epoch = excluded.facts_epoch, balance_micro = excluded.balance_micro)`
}
