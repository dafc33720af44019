/** Completed orders that the chain has lost (read-only). */
import type { Queryable } from '../../db/database.ts'
import type { Direction } from '../../orders/order.ts'
import { REMINTS } from '../../values/order-tag.ts'
import type { LostFacts } from './lost.ts'

const MOST = 100

/** How far the order is that mints one again, by the alias of its row of `lost_orders`. */
export const REMINT_STATUS_OF = (lost: string) =>
  `select r.status from orders r where r.integration_id = '${REMINTS}' and r.reference_id = ${lost}.remint`

/** Of a row `l` of `lost_orders`: nothing has made it good. */
export const IS_LOST = `l.closed_at is null and (${REMINT_STATUS_OF('l')}) is distinct from 'completed'`

export type LostRow = { order: string; amountMicro: bigint; direction: Direction } & LostFacts

/** The oldest of those that are not made good. */
export async function findLostOrders(db: Queryable): Promise<LostRow[]> {
  return await db.query<LostRow>(
    `select o.integration_id || '/' || o.reference_id as "order", o.amount_micro as "amountMicro", o.direction,
       l.batch_id as "batchId", l.remint, (${REMINT_STATUS_OF('l')}) as "remintStatus", false as "isClosed"
     from lost_orders l join orders o on o.order_id = l.order_id where ${IS_LOST} order by l.order_id limit ${MOST}`,
  )
}
