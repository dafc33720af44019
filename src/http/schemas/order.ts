/** The order, a page of orders, and the bodies of the POSTs that create them (contract "Order", "Endpoints"). */
import Type from 'typebox'
import { AMOUNT_GRAMMAR } from '../../money.ts'
import { MAX_BANK_REFERENCE_LENGTH, STORABLE_PATTERN } from '../../orders/accept/request.ts'
import { DIRECTIONS, STATUSES } from '../../orders/order.ts'
import {
  address,
  anyCaseAddress,
  ChainId,
  Decimals,
  decimal,
  EXAMPLE_COIN_ADDRESS,
  EXAMPLE_CUSTOMER,
  EXAMPLE_REFERENCE,
  EXAMPLE_TIME,
  EXAMPLE_WALLET,
  integerText,
  Network,
  Ok,
  oneOf,
  orNull,
  ReferenceId,
  timestamp,
} from './values.ts'

export const Order = Type.Object({
  ok: Ok,
  referenceId: ReferenceId,
  status: oneOf(STATUSES, 'Exactly these six; no new values in v1.'),
  phase: Type.String({
    description:
      'Detail for display and support: PAYMENT_PENDING, ORDER_CREATED, SUBMITTED, CONFIRMING, PAYOUT_PENDING, PAYOUT_HELD, PAYOUT_REJECTED, PAYOUT_RETURNED, COMPLETED, REFUNDED, FAILED. New values may appear.',
  }),
  direction: oneOf(DIRECTIONS, 'What kind of order it is.'),
  chainId: ChainId,
  network: Network,
  tokenAddress: address('Contract of the coin on that chain.'),
  walletAddress: address('Mint: receives the coin. Redeem: is burned from. Transfer: the recipient.'),
  amounts: Type.Object(
    {
      myr: orNull(decimal('MYR amount; null for a transfer.')),
      coin: decimal('Coin amount; for a mint equal to `myr`.'),
      feeMyr: decimal('Payment-rail charge recorded on the order; does not reduce the coin issued.'),
      amountRaw: integerText('Coin amount x 10^6, as in the Transfer event on chain.'),
      decimals: Decimals,
    },
    { description: 'How much, in ringgit and in coin.' },
  ),
  blockchain: Type.Object(
    {
      txHash: orNull(
        Type.String({
          pattern: '^0x[0-9a-f]{64}$',
          description: 'Null until a chain transaction exists. Not final by itself; follow `status`.',
        }),
      ),
      blockNumber: orNull(integerText('Null until the transaction is in a block.')),
    },
    { description: 'Where it is on chain.' },
  ),
  timestamps: Type.Object(
    {
      createdAt: timestamp('When the order was accepted.'),
      updatedAt: orNull(
        timestamp(
          'When it last changed, or its payout did, as when the bank says that it has paid a completed redeem; null on a new order.',
        ),
      ),
    },
    { description: 'Its times.' },
  ),
})

export const OrderPage = Type.Object({
  ok: Ok,
  transactions: Type.Array(Order, { maxItems: 100, description: 'Full Order objects, newest first.' }),
  nextCursor: orNull(Type.String({ description: 'For the query parameter `cursor`; null on the final page.' })),
})

const amountText = (description: string) =>
  Type.String({
    pattern: `^${AMOUNT_GRAMMAR}$`,
    description: `${description} Positive decimal string with at most 12 digits before the point and 6 decimal places; never a number.`,
  })
const customerId = Type.String({ description: 'A customer linked to the integration.' })
const chainId = Type.Optional(
  Type.Integer({
    description:
      'Defaults to `defaultChainId` of the configuration, or to the chain of the order that the referenceId names already.',
  }),
)

export const MintRequest = Type.Object({
  referenceId: ReferenceId,
  amountMyr: amountText('MYR received.'),
  walletAddress: address('Receives the coin.'),
  customerId,
  chainId,
  fiatConfirmed: Type.Optional(
    Type.Boolean({
      description: 'Without it false. True only once the MYR has settled irreversibly. Needs mint:execute.',
    }),
  ),
})

export const RedeemRequest = Type.Object({
  referenceId: ReferenceId,
  amountCoin: amountText('Coin to burn.'),
  walletAddress: address('The coin is burned from here.'),
  customerId,
  bankReference: Type.Optional(
    Type.String({
      maxLength: MAX_BANK_REFERENCE_LENGTH,
      pattern: STORABLE_PATTERN,
      description: `Your payout reference, echoed in reconciliation. Up to ${MAX_BANK_REFERENCE_LENGTH} characters, no control characters.`,
    }),
  ),
  chainId,
})

export const TransferRequest = Type.Object({
  referenceId: ReferenceId,
  amountCoin: amountText('Coin to move.'),
  walletAddress: anyCaseAddress('The recipient.'),
  customerId,
  chainId,
})

/** The example order, with the given fields changed. */
export function exampleOrder(different: Record<string, unknown>) {
  return {
    ok: true,
    referenceId: EXAMPLE_REFERENCE,
    status: 'payment_pending',
    phase: 'PAYMENT_PENDING',
    direction: 'MINT',
    chainId: 84532,
    network: 'Base Sepolia',
    tokenAddress: EXAMPLE_COIN_ADDRESS,
    walletAddress: EXAMPLE_WALLET,
    amounts: { myr: '1000.5', coin: '1000.5', feeMyr: '0', amountRaw: '1000500000', decimals: 6 },
    blockchain: { txHash: null, blockNumber: null },
    timestamps: { createdAt: EXAMPLE_TIME, updatedAt: null },
    ...different,
  }
}

export const EXAMPLE_COMPLETED = {
  status: 'completed',
  phase: 'COMPLETED',
  blockchain: { txHash: `0x${'5e'.repeat(32)}`, blockNumber: '18230417' },
  timestamps: { createdAt: EXAMPLE_TIME, updatedAt: '2026-03-01T04:05:31.002Z' },
}

/** Of a transfer, which has no ringgit. */
export const EXAMPLE_TRANSFERRED = { myr: null, coin: '12.345678', feeMyr: '0', amountRaw: '12345678', decimals: 6 }

export const EXAMPLE_PAGE = { ok: true, transactions: [exampleOrder(EXAMPLE_COMPLETED)], nextCursor: null }

export const EXAMPLE_MINT_REQUEST = {
  referenceId: EXAMPLE_REFERENCE,
  amountMyr: '1000.50',
  walletAddress: EXAMPLE_WALLET,
  customerId: EXAMPLE_CUSTOMER,
  fiatConfirmed: false,
}

export const EXAMPLE_REDEEM_REQUEST = {
  referenceId: EXAMPLE_REFERENCE,
  amountCoin: '250',
  walletAddress: EXAMPLE_WALLET,
  customerId: EXAMPLE_CUSTOMER,
  bankReference: 'payout 2026-0001',
}

export const EXAMPLE_TRANSFER_REQUEST = {
  referenceId: EXAMPLE_REFERENCE,
  amountCoin: '12.345678',
  walletAddress: EXAMPLE_WALLET,
  customerId: EXAMPLE_CUSTOMER,
}
