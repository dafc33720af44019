/** Reads pages of orders, a few at a time. */
import type { Queryable } from '../../db/database.ts'
import { createSharedCalls } from '../../db/shared-calls.ts'
import type { Order } from '../order.ts'
import type { OrderFilters } from './filters.ts'
import { listOrders } from './orders.sql.ts'

/** One page of the integration's orders, newest first, and the cursor of the following one, as `listOrders` reads it. */
export type OrderLister = (
  integrationId: string,
  filters: OrderFilters,
) => Promise<{ orders: Order[]; next: string | null }>

/**
 * Makes a lister. It reads few pages at a time: a full one takes the memory of a hundred orders, and when many are under way their parts outlive
 * collections of garbage, while none of the pages is done earlier (docs/DECISIONS.md, 276). The lister throws DatabaseUnavailableError; when the
 * database is away, so do all pages that wait for it.
 * @param limits.maxPages pages under way at a time; default 4
 */
export function createOrderLister(db: Queryable, limits: { maxPages?: number } = {}): OrderLister {
  const list = createSharedCalls({
    call: (wanted: readonly { integrationId: string; filters: OrderFilters }[]) =>
      Promise.all(wanted.map(({ integrationId, filters }) => listOrders(db, integrationId, filters))),
    maxCalls: limits.maxPages ?? 4,
    maxTogether: 1,
  })
  return (integrationId, filters) => list({ integrationId, filters })
}
