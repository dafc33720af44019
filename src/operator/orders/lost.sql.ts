/** Completed orders that the chain has lost, and failed ones that it has executed after all (read-only). */
import type { Queryable } from '../../db/database.ts'
import type { Direction, OrderStatus } from '../../orders/order.ts'
import { remintStatusOf } from '../../settlement/tables/remint-status.sql.ts'
import { REMINTS } from '../../values/house.ts'
import type { LostFacts } from './lost.ts'

const MOST = 100

/** How far the order is that mints one again, by the alias of its row of `lost_orders`; `lost` where the chain has lost that, too. */
export const REMINT_STATUS_OF = (lost: string) => remintStatusOf(`${lost}.remint`)

/** Whether the chain has refused it when it executed its batch again, and the batch was not given up. */
export const WAS_REFUSED = (lost: string) =>
  `exists (select from batch_outcomes x where x.chain_id = ${lost}.chain_id and x.batch_id = ${lost}.batch_id)`

/** Of a row `l` of `lost_orders`, and its order `o`: nothing has made it good. What was to mint another one again is made good with that. */
export const IS_LOST = `l.closed_at is null and not l.undone and (o.integration_id <> '${REMINTS}' or l.executed) and (${REMINT_STATUS_OF('l')}) is distinct from 'completed'`

export type LostRow = {
  order: string
  integrationId: string
  amountMicro: bigint
  direction: Direction
  status: OrderStatus
} & LostFacts

/** The oldest of those that are not made good. */
export async function findLostOrders(db: Queryable): Promise<LostRow[]> {
  return await db.query<LostRow>(
    `select o.integration_id || '/' || o.reference_id as "order", o.integration_id as "integrationId", o.amount_micro as "amountMicro",
       o.direction, o.status,
       l.batch_id as "batchId", l.executed as "isExecuted", ${WAS_REFUSED('l')} as "wasRefused", l.remint, (${REMINT_STATUS_OF('l')}) as "remintStatus", false as "isClosed"
     from lost_orders l join orders o on o.order_id = l.order_id where ${IS_LOST} order by l.order_id limit ${MOST}`,
  )
}
