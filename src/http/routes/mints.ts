/** Mints: record, read, cancel. */
import Type from 'typebox'
import type { WriteRoute } from '../route.ts'
import { EXAMPLE_MINT_REQUEST, exampleOrder, MintRequest, Order } from '../schemas/order.ts'
import { EXAMPLE_TIME } from '../schemas/values.ts'
import { ONE_DIRECTION, orderCreateRoute, orderReadRoute, postCall, referenceIdParameter } from './order-routes.ts'

const createMint = orderCreateRoute(
  {
    operationId: 'createMint',
    path: '/mints',
    tag: 'Mints',
    summary: 'Record a mint, and submit it once its ringgit has settled',
    description:
      'With `fiatConfirmed` false the order waits as `payment_pending`. Post the same details with `fiatConfirmed` true (needs mint:execute too) and a new Idempotency-Key to submit it. An existing referenceId answers the existing order; other details than it has change nothing, so compare them.',
    scopes: ['mint:create'],
    requestBody: {
      required: true,
      schema: MintRequest,
      examples: { unconfirmed: EXAMPLE_MINT_REQUEST, confirmed: { ...EXAMPLE_MINT_REQUEST, fiatConfirmed: true } },
    },
    errors: [
      'INVALID_AMOUNT',
      'INVALID_WALLET_ADDRESS',
      'INVALID_REFERENCE_ID',
      'INVALID_CHAIN_ID',
      'AMOUNT_NEGATIVE_OR_ZERO',
      'AMOUNT_BELOW_FLOOR',
      'FOREIGNER_LIMIT_EXCEEDED',
      'POLICY_REJECTED',
      'CUSTOMER_NOT_VERIFIED',
      'NOT_FOUND',
      'SETTLEMENT_FAILED',
    ],
  },
  {
    unconfirmed: exampleOrder({}),
    confirmed: exampleOrder({ status: 'pending', phase: 'ORDER_CREATED' }),
  },
  'mint',
)

const getMint = orderReadRoute(
  {
    operationId: 'getMint',
    path: '/mints/{referenceId}',
    tag: 'Mints',
    summary: 'Read a mint',
    description: ONE_DIRECTION,
    scopes: ['mint:read'],
  },
  'MINT',
)

const cancelMint: WriteRoute = {
  kind: 'write',
  operationId: 'cancelMint',
  method: 'POST',
  path: '/mints/{referenceId}/cancel',
  tag: 'Mints',
  summary: 'Cancel a mint that was not submitted',
  description:
    'Only an order in `payment_pending` can be cancelled; a cancelled one is answered as it is. The body is optional.',
  parameters: [referenceIdParameter],
  bucket: 'write',
  scopes: ['mint:create'],
  requestBody: { required: false, schema: Type.Object({}), examples: { empty: {} } },
  success: {
    status: 200,
    description: 'The cancelled order.',
    schema: Order,
    examples: {
      cancelled: exampleOrder({
        status: 'cancelled',
        phase: 'FAILED',
        timestamps: { createdAt: EXAMPLE_TIME, updatedAt: '2026-03-01T09:00:00.000Z' },
      }),
    },
  },
  errors: ['INVALID_REFERENCE_ID', 'NOT_FOUND', 'ORDER_NOT_CANCELLABLE'],
  handle:
    ({ acceptance }) =>
    (call) =>
      acceptance.cancelMint({ ...postCall(call), referenceId: call.params.referenceId ?? '' }),
}

export const mintRoutes = [createMint, getMint, cancelMint]
