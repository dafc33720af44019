/**
 * The writes of `orders` that a partner's POST makes, as CTEs of its one statement: an order begins, and a waiting mint
 * is confirmed or cancelled.
 */
import { KINDS, type UsageCounter } from '../kinds.ts'
import { ACCEPTED_COLUMNS } from '../row.sql.ts'
import { MOVES, STATES } from './states.ts'
import { usageCte } from './take.sql.ts'

const NAMES = ACCEPTED_COLUMNS.join(', ')

/**
 * A CTE `new_order` that inserts the orders of `accepted`, which has their columns, and returns order_id, integration_id
 * and reference_id. Every statement inserts references in the same order, so that two statements that share some wait
 * for one another but cannot deadlock.
 * @param counted where the orders count, if `accepted` has an owner and a period for it
 */
export function newOrderCte(accepted: string, counted: UsageCounter | undefined): string {
  const stored = counted?.storedIn
  const names = stored === undefined ? '' : `, ${stored.owner}, ${stored.period}`
  return `new_order as (
    insert into orders (${NAMES}${names})
    select ${NAMES}${stored === undefined ? '' : ', owner, period'} from ${accepted} order by integration_id, reference_id
    returning order_id, integration_id, reference_id)`
}

/**
 * CTEs that move the waiting mint `$1` on to the status `$2` at `$3`, unless another request has done so. It then counts for the
 * key `$4` on the day `$5` under the cap `$6`, or nowhere when these are null. `advanced` has the mint, if it moved. As in an
 * acceptance, the counter is locked before the order, and a constraint refuses what passes the cap.
 */
export const ADVANCE_CTES = `counter as materialized (
    select from mint_usage where key_id = $4::text and day = $5::date for no key update),
  advanced as (
    update orders set status = $2, updated_at = $3, mint_cap_key_id = $4::text, mint_cap_day = $5::date
    where order_id = $1 and status = '${STATES[MOVES.confirm.from].stored}' and (select count(*) from counter) >= 0
    returning order_id, integration_id, reference_id, amount_micro),
  taken as (select $4::text as owner, $5::date as period, amount_micro, $6::bigint as cap_micro, 1 as place from advanced),
  ${usageCte(KINDS.MINT.usage, 'taken')}`
