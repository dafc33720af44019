/** Reads of orders: one round trip each. */
import type { Param, Queryable } from '../../db/database.ts'
import { type RowsColumn, rowsOf, rowsParam } from '../../db/rows-param.ts'
import { MAX_PAGE_SIZE } from '../../values/page-size.ts'
import { STATES, STATES_OF } from '../life/states.ts'
import { DIRECTIONS, type Direction, type Order, type OrderName, type OrderStatus, type ShownOrder } from '../order.ts'
import {
  BATCH_OF_ORDER,
  ORDER_COLUMNS,
  type OrderRow,
  orderFromRow,
  SHOWN_COLUMNS,
  type ShownRow,
  shownFromRow,
} from '../row.sql.ts'
import { encodeCursor } from './cursor.ts'
import type { OrderFilters } from './filters.ts'

const NAMED = `from orders o ${BATCH_OF_ORDER} where o.integration_id = $1 and o.reference_id = $2`
const FIND_ORDER = `select ${ORDER_COLUMNS} ${NAMED}`
const FIND_SHOWN_ORDER = `select ${SHOWN_COLUMNS} ${NAMED}`

const NAME_COLUMNS: readonly RowsColumn<OrderName>[] = [
  ['integration_id', 'text', ({ integrationId }) => integrationId],
  ['reference_id', 'text', ({ referenceId }) => referenceId],
]

/** One index look-up for each wanted order, whatever the planner believes about the table. */
const FIND_SHOWN_ORDERS = `select w.place::int as place, ${SHOWN_COLUMNS}
  from ${rowsOf('$1', 'w', NAME_COLUMNS)}
  cross join lateral (
    select * from orders where integration_id = w.integration_id and reference_id = w.reference_id limit 1) o
  ${BATCH_OF_ORDER}`

const SIGNED = '(select from signed_orders s where s.order_id = o.order_id)'

type Range = { direction: Direction; status: OrderStatus }

/** Every direction with every status that its orders' rows can have. */
const RANGES: readonly Range[] = DIRECTIONS.flatMap((direction) =>
  [...new Set(STATES_OF[direction].map((name) => STATES[name].stored))].map((status) => ({ direction, status })),
)

const RANGE_COLUMNS: readonly RowsColumn<Range>[] = [
  ['direction', 'text', ({ direction }) => direction],
  ['status', 'text', ({ status }) => status],
]

/** Signed orders are few, whatever waits and whatever has ended. */
const SIGNED_PAGE = `union all (
      select o.order_id, o.created_at from signed_orders s
      cross join lateral (select * from orders where order_id = s.order_id limit 1) o
      where o.integration_id = $1 and o.direction = any ($4::text[])`

/**
 * A page: $1 integration, $2 how many, $3 ranges, $4 directions of signed ones. It is merged from one ordered index range per direction
 * and stored status that the filter admits, so that it costs the same however rare the wanted orders are, and one
 * index serves every page. What was signed is stored as pending: asked for one of the two, it is left out or added.
 *
 * One plan is to be kept for all calls, because planning takes longer than reading the page. For that the plan for all calls must not look dearer than
 * one for a single call, however many orders there are:
 * - The planner must not see how many orders are wanted, which ranges, and which bounds; so these are sub-selects.
 * - It must see that no page is longer than the longest one, or pages look the dearer the more orders there are.
 * - A bound that is not used is left out, because it would only mislead it.
 */
function pageText(bounds: string, status: OrderStatus | undefined): string {
  const newest = `order by o.created_at desc, o.order_id desc limit ${MAX_PAGE_SIZE + 1})`
  const wanted = 'order by created_at desc, order_id desc limit (select $2::bigint)'
  return `with page as (
    select r.order_id, r.created_at from (
      select p.order_id, p.created_at from ${rowsOf('$3', 'w', RANGE_COLUMNS)}
      cross join lateral (
        select * from (
          select o.order_id, o.created_at from orders o
          where o.integration_id collate "C" = $1 and o.direction = w.direction and o.status = w.status ${bounds}
            ${status === 'pending' ? `and not exists ${SIGNED}` : ''} ${newest} longest ${wanted}) p
      ${status === 'processing' ? `${SIGNED_PAGE} ${bounds} ${newest}` : ''}) r
    ${wanted})
  select ${ORDER_COLUMNS} from page cross join lateral (select * from orders where order_id = page.order_id limit 1) o ${BATCH_OF_ORDER}
  order by page.created_at desc, page.order_id desc`
}

/** The statement of a page and its parameters; there are twelve different texts. */
function pageQuery(integrationId: string, filters: OrderFilters): { text: string; params: Param[] } {
  const { direction, status, before, createdAfter, limit } = filters
  const ranges = RANGES.filter(
    (range) => (direction ?? range.direction) === range.direction && (status ?? range.status) === range.status,
  )
  const params: Param[] = [integrationId, limit + 1, rowsParam(RANGE_COLUMNS, ranges)]
  if (status === 'processing') params.push(direction === undefined ? DIRECTIONS : [direction])
  let bounds = ''
  if (before !== undefined) {
    params.push(before.createdAt, before.orderId)
    bounds += ` and (o.created_at, o.order_id) < ((select $${params.length - 1}::timestamptz), (select $${params.length}::bigint))`
  }
  if (createdAfter !== undefined) {
    params.push(createdAfter)
    bounds += ` and o.created_at > (select $${params.length}::timestamptz)`
  }
  return { text: pageText(bounds, status), params }
}

/** The integration's order with that reference, of any direction; `referenceId` must be well-formed. */
export async function findOrder(db: Queryable, integrationId: string, referenceId: string): Promise<Order | undefined> {
  const [row] = await db.query<OrderRow>(FIND_ORDER, [integrationId, referenceId])
  return row === undefined ? undefined : orderFromRow(row)
}

/** What is shown of several orders in one round trip, in the order of their names; undefined where there is none. */
export async function findShownOrders(db: Queryable, names: readonly OrderName[]): Promise<(ShownOrder | undefined)[]> {
  const [only] = names
  if (only !== undefined && names.length === 1) {
    const [row] = await db.query<ShownRow>(FIND_SHOWN_ORDER, [only.integrationId, only.referenceId])
    return [row && shownFromRow(row)]
  }
  const rows = await db.query<ShownRow & { place: number }>(FIND_SHOWN_ORDERS, [rowsParam(NAME_COLUMNS, names)])
  const found: (ShownOrder | undefined)[] = names.map(() => undefined)
  for (const row of rows) found[row.place - 1] = shownFromRow(row)
  return found
}

/**
 * One page of the integration's orders, newest first.
 *
 * A walk by `next` shows each order that existed at its start exactly once, whatever is created meanwhile, because an
 * order's place never changes. With a status filter, an order whose status changes before the walk reaches it is judged
 * by its new status: it may be missed or appear, but never twice.
 * @returns `next`, the cursor of the following page; null on the final one
 */
export async function listOrders(
  db: Queryable,
  integrationId: string,
  filters: OrderFilters,
): Promise<{ orders: Order[]; next: string | null }> {
  const { limit } = filters
  const { text, params } = pageQuery(integrationId, filters)
  const rows = await db.query<OrderRow>(text, params)
  const orders = rows.slice(0, limit).map(orderFromRow)
  const last = orders.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { orders, next: hasMore ? encodeCursor(integrationId, last) : null }
}

/** How many orders are pending and processing, counted up to 100,000 of each. What was signed is stored as pending. */
export async function countInProgress(db: Queryable): Promise<Map<string, number>> {
  const rows = await db.query<{ status: string; orders: bigint }>(
    `with signed as materialized (select count(*) as orders from signed_orders)
     select 'pending' as status, greatest(0, count(*) - (select orders from signed)) as orders
     from (select from orders where status = 'pending' limit 100000 + (select orders from signed)) waiting
     union all
     select 'processing', count(*) from (
       select from signed_orders union all select from orders o where o.status = 'processing' limit 100000) moving`,
  )
  return new Map(rows.map(({ status, orders }) => [status, Number(orders)]))
}
