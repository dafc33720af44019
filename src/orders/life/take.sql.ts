/** SQL of an acceptance that takes usage and earmarks; give-back.sql.ts is its counterpart. */
import type { UsageCounter } from '../kinds.ts'

/**
 * A CTE that adds the orders of `accepted` (owner, period, amount_micro, cap_micro, place) to their usage counters; those
 * without an owner count nowhere. It writes the cap of the last one, whose sum includes all before it; check constraints
 * refuse what it does not admit.
 */
export function usageCte({ table, owner, period }: UsageCounter, accepted: string): string {
  return `usage as (
    insert into ${table} (${owner}, ${period}, committed_micro, cap_micro)
    select owner, period, sum(amount_micro)::bigint, (array_agg(cap_micro order by place desc))[1]
    from ${accepted} where owner is not null group by owner, period order by owner, period
    on conflict (${owner}, ${period}) do update
      set committed_micro = ${table}.committed_micro + excluded.committed_micro, cap_micro = excluded.cap_micro)`
}

/**
 * A CTE that adds the orders of `accepted` (chain_id, debit_address, amount_micro, facts_epoch, balance_micro, place) to
 * the earmarks of their wallets, with the balance and the epoch of the last one, checked likewise.
 */
export function earmarkCte(accepted: string): string {
  return `earmark as (
    insert into wallet_earmarks (chain_id, address, earmarked_micro, facts_epoch, epoch, balance_micro)
    select chain_id, debit_address, sum(amount_micro)::bigint, min(facts_epoch), min(facts_epoch),
      (array_agg(balance_micro order by place desc))[1]
    from ${accepted} group by chain_id, debit_address order by chain_id, debit_address
    on conflict (chain_id, address) do update
      set earmarked_micro = wallet_earmarks.earmarked_micro + excluded.earmarked_micro,
        facts_epoch = excluded.facts_epoch, balance_micro = excluded.balance_micro)`
}
