/** The order that a request is about. */
import type { Queryable } from '../../db/database.ts'
import type { OrderName } from '../../orders/order.ts'
import { notFound } from '../errors.ts'
import { isOrderName } from './name.ts'
import { findOrderWithFacts, type OrderWithFacts } from './orders.sql.ts'

/** @throws OperatorError NOT_FOUND, also for what can be no order's name */
export async function requireOrder(db: Queryable, named: OrderName): Promise<OrderWithFacts> {
  const { integrationId, referenceId } = named
  const item = isOrderName(named) ? await findOrderWithFacts(db, integrationId, referenceId) : undefined
  if (item === undefined) throw notFound('order', `${integrationId}/${referenceId}`, 'order list')
  return item
}
