/** Transfers: move coin to a recipient, read. */
import { EXAMPLE_TRANSFER_REQUEST, EXAMPLE_TRANSFERRED, exampleOrder, TransferRequest } from '../schemas/order.ts'
import { ONE_DIRECTION, orderCreateRoute, orderReadRoute } from './order-routes.ts'

const createTransfer = orderCreateRoute(
  {
    operationId: 'createTransfer',
    path: '/transfers',
    tag: 'Transfers',
    summary: "Move coin from the customer's primary wallet to a recipient",
    description:
      'Created and submitted in one call. An existing referenceId answers the existing order; other details than it has change nothing, so compare them.',
    scopes: ['transfer:create', 'transfer:execute'],
    requestBody: { required: true, schema: TransferRequest, examples: { transfer: EXAMPLE_TRANSFER_REQUEST } },
    errors: [
      'INVALID_AMOUNT',
      'INVALID_WALLET_ADDRESS',
      'INVALID_REFERENCE_ID',
      'INVALID_CHAIN_ID',
      'AMOUNT_NEGATIVE_OR_ZERO',
      'INSUFFICIENT_BALANCE',
      'TRANSFER_PER_TX_CAP_EXCEEDED',
      'TRANSFER_DAILY_CAP_EXCEEDED',
      'POLICY_REJECTED',
      'RECIPIENT_NOT_PERMITTED',
      'CUSTOMER_NOT_VERIFIED',
      'NOT_FOUND',
      'SETTLEMENT_FAILED',
    ],
    exampleReason: 'no_source_wallet',
  },
  {
    accepted: exampleOrder({
      direction: 'TRANSFER',
      status: 'pending',
      phase: 'ORDER_CREATED',
      amounts: EXAMPLE_TRANSFERRED,
    }),
  },
  'transfer',
)

const getTransfer = orderReadRoute(
  {
    operationId: 'getTransfer',
    path: '/transfers/{referenceId}',
    tag: 'Transfers',
    summary: 'Read a transfer',
    description: ONE_DIRECTION,
    scopes: ['transfer:read'],
  },
  'TRANSFER',
)

export const transferRoutes = [createTransfer, getTransfer]
