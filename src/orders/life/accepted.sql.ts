/**
 * The writes of `orders` that a partner's POST makes, as CTEs of its one statement: an order begins, and a waiting mint
 * is confirmed or cancelled.
 */
import { NEW_ORDER_COLUMNS } from '../row.sql.ts'
import { MOVES, STATES } from './states.ts'

const NAMES = NEW_ORDER_COLUMNS.map(([name]) => name).join(', ')

/**
 * A CTE `new_order` that inserts the orders of `accepted`, which has their columns, and returns order_id, integration_id
 * and reference_id. Every statement inserts references in the same order, so that two statements that share some wait
 * for one another but cannot deadlock.
 */
export function newOrderCte(accepted: string): string {
  return `new_order as (
    insert into orders (${NAMES})
    select ${NAMES} from ${accepted} order by integration_id, reference_id
    returning order_id, integration_id, reference_id)`
}

/**
 * A CTE `advanced` that moves the mint `$1` on to the status `$2` at `$3` unless another request has done so, and
 * returns order_id and integration_id.
 */
export const ADVANCED = `advanced as (
    update orders set status = $2, updated_at = $3
    where order_id = $1 and status = '${STATES[MOVES.confirm.from].status}'
    returning order_id, integration_id)`
