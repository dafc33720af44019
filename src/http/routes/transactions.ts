/** Orders of any direction: list, read. */
import Type, { type Static } from 'typebox'
import { refused } from '../../errors.ts'
import { DIRECTIONS, STATUSES } from '../../orders/order.ts'
import { parseOrderFilters } from '../../orders/read/filters.ts'
import { viewOrder } from '../../orders/view.ts'
import { successBody } from '../envelope.ts'
import type { Parameter, ReadRoute } from '../route.ts'
import { EXAMPLE_PAGE, OrderPage } from '../schemas/order.ts'
import { EXAMPLE_TIME, INSTANT_FORMAT, LIMIT, oneOf } from '../schemas/values.ts'
import { orderReadRoute } from './order-routes.ts'

const instant = (bound: string) => ({
  schema: Type.String(),
  description: `Orders created ${bound} this instant: ${INSTANT_FORMAT}.`,
  example: EXAMPLE_TIME,
})

const listParameters: Parameter[] = [
  { name: 'direction', schema: oneOf(DIRECTIONS), description: 'Only this direction.', example: 'MINT' },
  { name: 'status', schema: oneOf(STATUSES), description: 'Only this status.', example: 'completed' },
  { name: 'createdAfter', ...instant('after') },
  { name: 'createdBefore', ...instant('before') },
  LIMIT,
  {
    name: 'cursor',
    schema: Type.String(),
    description: '`nextCursor` of the previous page; opaque.',
    example: 'AQAAAZyoFvBVAAAAAAAAACqqVXm_8mW9Sg',
  },
].map((parameter) => ({ ...parameter, in: 'query', required: false }))

const listTransactions: ReadRoute = {
  kind: 'read',
  operationId: 'listTransactions',
  method: 'GET',
  path: '/transactions',
  tag: 'Transactions',
  summary: 'List orders, newest first',
  description: 'Every order the integration created, whatever direction.',
  parameters: listParameters,
  bucket: 'read',
  scopes: ['transaction:read'],
  success: { status: 200, description: 'One page.', schema: OrderPage, examples: { page: EXAMPLE_PAGE } },
  errors: ['BAD_REQUEST'],
  handle:
    ({ listOrders }) =>
    async ({ key, query }) => {
      const parsed = parseOrderFilters(key.integrationId, query)
      if (!parsed.ok) throw refused(parsed.refusal)
      const { orders, next } = await listOrders(key.integrationId, parsed.filters)
      const transactions = orders.map((order) => ({ ok: true as const, ...viewOrder(order) }))
      const page: Omit<Static<typeof OrderPage>, 'ok'> = { transactions, nextCursor: next }
      return successBody(page)
    },
}

const getTransaction = orderReadRoute(
  {
    operationId: 'getTransaction',
    path: '/transactions/{referenceId}',
    tag: 'Transactions',
    summary: 'Read an order of any direction',
    description: 'Any order the integration created.',
    scopes: ['transaction:read'],
  },
  undefined,
)

export const transactionRoutes = [listTransactions, getTransaction]
