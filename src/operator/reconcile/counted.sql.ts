/** How orders count in the counters of usage: parts of statements. */
import { KINDS } from '../../orders/kinds.ts'
import { counterOwner } from '../../orders/life/counter-owner.sql.ts'
import { DIRECTIONS, type Direction } from '../../orders/order.ts'

/** An order `o` that changes no more. */
export const ENDED = `o.status in ('completed', 'failed', 'cancelled')`

/** What of an order decides where and whether it counts. */
export const COUNTED =
  'o.order_id, o.direction, o.status, o.key_id, o.customer_id, o.mint_cap_key_id, o.mint_cap_day, o.amount_micro, o.created_at'

const UTC = `o.created_at at time zone 'UTC'`

/** Rows (direction, owner, period, amount_micro) of orders `o`, which have the columns COUNTED: those that count in a counter. */
export function usageOf(orders: string, also = ''): string {
  return `select ${also} o.direction,
      case o.direction ${each((_, usage) => counterOwner(usage, 'o'))} end as owner,
      case o.direction ${each((_, { storedIn, period }) => (storedIn === undefined ? `date_trunc('${period}', ${UTC})::date` : `o.${storedIn.period}`))} end as period,
      o.amount_micro
    from ${orders} o where o.status not in ('failed', 'cancelled') and (o.direction <> 'MINT' or o.mint_cap_day is not null)`
}

function each(write: (direction: Direction, usage: (typeof KINDS)[Direction]['usage']) => string): string {
  return DIRECTIONS.map((direction) => `when '${direction}' then ${write(direction, KINDS[direction].usage)}`).join(' ')
}

/** The orders of `listed` (order_id) by their numbers: a join would read all orders where that looks cheaper. */
export const byNumber = (listed: string, also = '') =>
  `(select ${also} ${COUNTED} from ${listed} r cross join lateral (select * from orders where order_id = r.order_id limit 1) o)`

/** A counter, what it has counted (or what was added up before), and what its orders come to. */
export type WrongUsage = {
  direction: Direction
  owner: string
  /** The UTC day, or the first day of the month. */
  period: string
  recordedMicro: bigint
  ordersMicro: bigint
}
