/** The order that a request is about. */
import type { Queryable } from '../../db/database.ts'
import { notFound } from '../errors.ts'
import { isOrderName } from './name.ts'
import { findOrderWithFacts, type OrderWithFacts } from './orders.sql.ts'

export type OrderParams = { integrationId: string; referenceId: string }

/** @throws OperatorError NOT_FOUND, also for what can be no order's name */
export async function requireOrder(
  db: Queryable,
  { integrationId, referenceId }: OrderParams,
): Promise<OrderWithFacts> {
  const item = isOrderName(integrationId, referenceId)
    ? await findOrderWithFacts(db, integrationId, referenceId)
    : undefined
  if (item === undefined) throw notFound('order', `${integrationId}/${referenceId}`, 'order list')
  return item
}
