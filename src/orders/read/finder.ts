/** Reads orders by reference, several in one query when they are asked for at the same time. */
import type { Queryable } from '../../db/database.ts'
import { createSharedCalls } from '../../db/shared-calls.ts'
import type { OrderName, ShownOrder } from '../order.ts'
import { findShownOrders } from './orders.sql.ts'

/** What is shown of the integration's order with a well-formed reference, as it is after the call; undefined when there is none. */
export type OrderFinder = (integrationId: string, referenceId: string) => Promise<ShownOrder | undefined>

/**
 * Makes a finder. Every query is sent after all the reads it answers were requested, so nobody gets an older state than
 * by a query of its own. The finder throws DatabaseUnavailableError; when the database is away, so do all reads that
 * wait for it.
 * @param limits.maxQueries queries under way at a time; default 2
 * @param limits.maxTogether orders of one query; default 100
 */
export function createOrderFinder(
  db: Queryable,
  limits: { maxQueries?: number; maxTogether?: number } = {},
): OrderFinder {
  const { maxQueries: maxCalls = 2, maxTogether = 100 } = limits
  const find = createSharedCalls<OrderName, ShownOrder | undefined>({
    call: (names) => findShownOrders(db, names),
    maxCalls,
    maxTogether,
  })
  return (integrationId, referenceId) => find({ integrationId, referenceId })
}
