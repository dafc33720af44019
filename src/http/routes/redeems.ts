/** Redeems: burn and pay out, read. */
import { EXAMPLE_REDEEM_REQUEST, exampleOrder, RedeemRequest } from '../schemas/order.ts'
import { ONE_DIRECTION, orderCreateRoute, orderReadRoute } from './order-routes.ts'

const createRedeem = orderCreateRoute(
  {
    operationId: 'createRedeem',
    path: '/redeems',
    tag: 'Redeems',
    summary: "Burn coin and pay ringgit to the customer's bank account",
    description:
      "Created and submitted in one call. The wallet's balance on chain is checked first. An existing referenceId answers the existing order when all details are equal.",
    scopes: ['redeem:create', 'redeem:execute'],
    requestBody: { required: true, schema: RedeemRequest, examples: { redeem: EXAMPLE_REDEEM_REQUEST } },
    errors: [
      'INVALID_AMOUNT',
      'INVALID_WALLET_ADDRESS',
      'INVALID_REFERENCE_ID',
      'INVALID_CHAIN_ID',
      'INSUFFICIENT_BALANCE',
      'AMOUNT_NEGATIVE_OR_ZERO',
      'AMOUNT_ABOVE_REDEEM_CEILING',
      'FOREIGNER_LIMIT_EXCEEDED',
      'POLICY_REJECTED',
      'MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED',
      'CUSTOMER_NOT_VERIFIED',
      'NOT_FOUND',
      'SETTLEMENT_FAILED',
    ],
    exampleReason: 'no_bank_account',
  },
  {
    accepted: exampleOrder({
      direction: 'REDEEM',
      status: 'pending',
      phase: 'ORDER_CREATED',
      amounts: { myr: '250', coin: '250', feeMyr: '0', amountRaw: '250000000', decimals: 6 },
    }),
  },
  'redeem',
)

const getRedeem = orderReadRoute(
  {
    operationId: 'getRedeem',
    path: '/redeems/{referenceId}',
    tag: 'Redeems',
    summary: 'Read a redeem',
    description: ONE_DIRECTION,
    scopes: ['redeem:read'],
  },
  'REDEEM',
)

export const redeemRoutes = [createRedeem, getRedeem]
