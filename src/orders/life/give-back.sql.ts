/**
 * SQL that gives back what acceptances took. It reads a CTE named `moved`, the orders that really moved (chain_id,
 * debit_address, amount_micro; for usage also direction, key_id, customer_id, created_at and COUNTED_COLUMNS), so a move
 * that moves nothing gives nothing back.
 */
import { nextNumber } from '../../db/next-number.ts'
import { KINDS, type UsageCounter } from '../kinds.ts'
import { DIRECTIONS, type Direction } from '../order.ts'
import { counterOwner } from './counter-owner.sql.ts'

/**
 * A CTE `moved` for moves that write only the batch's row: the orders of `moved_batch`, which returns the order_ids of
 * a batch that really moved.
 */
export const MOVED_WITH_BATCH = `moved as (
    select o.chain_id, o.debit_address, o.amount_micro
    from moved_batch b cross join lateral unnest(b.order_ids) as s (order_id) join orders o on o.order_id = s.order_id)`

/** Facts that were read about a wallet before are stale then. */
export const NEXT_EPOCH = nextNumber('epoch', 'bigint')
/** The most that the column holds. Orders that somebody has written past the service may come to more; that must not keep others from moving. */
const MOST_MICRO = 2n ** 63n - 1n

/**
 * CTEs that give earmarks back (`-`) or take them again (`+`), and so make facts that were read earlier stale. An earmark that is smaller than what is
 * given back was wrong before, which `reconcile` reports; here it becomes 0, so that it stops neither its batch nor those behind it.
 */
export function earmarkCtes(sign: '+' | '-'): string {
  return `debited as (
    select chain_id, debit_address as address, sum(amount_micro) as amount_micro from moved
    where debit_address is not null group by chain_id, debit_address),
  wallet as materialized (
    select e.chain_id, e.address, d.amount_micro from debited d
    join wallet_earmarks e on e.chain_id = d.chain_id and e.address = d.address
    order by e.chain_id, e.address for no key update of e),
  earmark as (
    update wallet_earmarks e set earmarked_micro = greatest(0, least(e.earmarked_micro ${sign} w.amount_micro, ${MOST_MICRO})),
      epoch = ${NEXT_EPOCH}, facts_epoch = ${NEXT_EPOCH}, balance_micro = null
    from wallet w where e.chain_id = w.chain_id and e.address = w.address)`
}

/** What USAGE_CTES needs of a moved order `o` beside its own columns. */
export const COUNTED_COLUMNS = 'o.mint_cap_key_id, o.mint_cap_day'

/** Lowers the counters in which orders count: exactly those that their acceptance or confirmation raised. */
export const USAGE_CTES = DIRECTIONS.map((direction) => lowerCtes(direction, KINDS[direction].usage)).join(',\n  ')

function lowerCtes(direction: Direction, usage: UsageCounter): string {
  const { table, owner, period, storedIn } = usage
  const accepted = `date_trunc('${period}', created_at at time zone 'UTC')::date`
  return `freed_${table} as (
    select ${counterOwner(usage, 'moved')} as owner, ${storedIn?.period ?? accepted} as period, sum(amount_micro) as amount_micro
    from moved where direction = '${direction}' group by 1, 2),
  locked_${table} as materialized (
    select u.${owner}, u.${period}, f.amount_micro from freed_${table} f
    join ${table} u on u.${owner} = f.owner and u.${period} = f.period
    order by u.${owner}, u.${period} for no key update of u),
  lower_${table} as (
    update ${table} u set committed_micro = greatest(0, u.committed_micro - l.amount_micro)
    from locked_${table} l where u.${owner} = l.${owner} and u.${period} = l.${period})`
}
