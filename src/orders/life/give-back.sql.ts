/**
 * SQL that gives back what acceptances took. It reads a CTE named `moved`, the orders that really moved (chain_id,
 * debit_address, amount_micro; for usage also direction, key_id, customer_id, created_at), so a move that moves nothing
 * gives nothing back.
 */

/**
 * A CTE `moved` for moves that write only the batch's row: the orders of `moved_batch`, which returns the order_ids of
 * a batch that really moved.
 */
export const MOVED_WITH_BATCH = `moved as (
    select o.chain_id, o.debit_address, o.amount_micro
    from moved_batch b cross join lateral unnest(b.order_ids) as s (order_id) join orders o on o.order_id = s.order_id)`

/** CTEs that give earmarks back (`-`) or take them again (`+`) and so make facts read earlier stale. */
export function earmarkCtes(sign: '+' | '-'): string {
  return `debited as (
    select chain_id, debit_address as address, sum(amount_micro)::bigint as amount_micro from moved
    where debit_address is not null group by chain_id, debit_address),
  wallet as materialized (
    select e.chain_id, e.address, d.amount_micro from debited d
    join wallet_earmarks e on e.chain_id = d.chain_id and e.address = d.address
    order by e.chain_id, e.address for no key update of e),
  earmark as (
    update wallet_earmarks e set earmarked_micro = e.earmarked_micro ${sign} w.amount_micro,
      epoch = e.epoch + 1, facts_epoch = e.epoch + 1, balance_micro = null
    from wallet w where e.chain_id = w.chain_id and e.address = w.address)`
}

/** Lowers the counters of the UTC day or month in which the orders were accepted. */
export const USAGE_CTES = `transferred as (
    select key_id, (created_at at time zone 'UTC')::date as day, sum(amount_micro)::bigint as amount_micro
    from moved where direction = 'TRANSFER' group by 1, 2),
  transfers as materialized (
    select u.key_id, u.day, t.amount_micro from transferred t join transfer_usage u on u.key_id = t.key_id and u.day = t.day
    order by u.key_id, u.day for no key update of u),
  fewer_transfers as (
    update transfer_usage u set committed_micro = greatest(0, u.committed_micro - t.amount_micro)
    from transfers t where u.key_id = t.key_id and u.day = t.day),
  withdrawn as (
    select customer_id, date_trunc('month', created_at at time zone 'UTC')::date as month,
      sum(amount_micro)::bigint as amount_micro
    from moved where direction = 'REDEEM' group by 1, 2),
  withdrawals as materialized (
    select u.customer_id, u.month, w.amount_micro from withdrawn w
    join withdrawal_usage u on u.customer_id = w.customer_id and u.month = w.month
    order by u.customer_id, u.month for no key update of u),
  fewer_withdrawals as (
    update withdrawal_usage u set committed_micro = greatest(0, u.committed_micro - w.amount_micro)
    from withdrawals w where u.customer_id = w.customer_id and u.month = w.month)`
