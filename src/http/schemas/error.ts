/** The error envelope, and what `meta` holds for the codes that have one (contract "Errors"). */
import Type, { type TSchema } from 'typebox'
import { ERRORS, type ErrorCode, type ErrorMeta } from '../../errors.ts'
import { address, decimal, EXAMPLE_WALLET } from './values.ts'

const field = Type.Object({ field: Type.String({ description: 'The field or parameter that is missing or invalid.' }) })
const transferCaps = () =>
  Type.Object({
    requestedCoin: decimal('Amount requested.'),
    committedTodayCoin: decimal('Already committed today.'),
    perTxCapCoin: decimal('Cap per transfer.'),
    dailyCapCoin: decimal('Cap per UTC day.'),
  })

/** Codes that carry `meta`, with its schema. */
export const META_SCHEMAS = {
  BAD_REQUEST: field,
  INVALID_CHAIN_ID: Type.Object({
    chainId: Type.Integer({ description: 'The one that was sent.' }),
    supportedChainIds: Type.Array(Type.Integer(), { description: 'Those of the configuration.' }),
  }),
  INSUFFICIENT_BALANCE: Type.Object({
    walletAddress: address('The wallet to be debited.'),
    chainId: Type.Integer({ description: 'The chain of the order.' }),
    requestedCoin: decimal('Amount requested.'),
    walletBalanceCoin: decimal('What the wallet can spend: its balance less what accepted orders will take.'),
  }),
  MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED: Type.Object({
    monthlyLimit: decimal('Cap of this UTC month.'),
    monthlyCommitted: decimal('Already committed this month.'),
    requestedAmount: decimal('Amount requested.'),
  }),
  TRANSFER_PER_TX_CAP_EXCEEDED: transferCaps(),
  TRANSFER_DAILY_CAP_EXCEEDED: transferCaps(),
  POLICY_REJECTED: Type.Object({
    reason: Type.String({ description: 'Which check; new reasons may appear.' }),
    capMyr: Type.Optional(decimal('With `mint_day_cap`: what the key may mint in a UTC day.')),
    committedMyr: Type.Optional(decimal('With `mint_day_cap`: what it has confirmed today, without what failed.')),
  }),
  SERVER_ERROR: Type.Object({ correlationId: Type.String({ description: 'Quote it to support.' }) }),
} as const satisfies Partial<Record<ErrorCode, TSchema>>

/** New codes may be added in v1, and so may their `meta`: an answer with one fits the document of before. */
const metaOfOtherCode = Type.Object({}, { description: 'That of a code which this document does not have.' })

export const ErrorAnswer = Type.Object({
  ok: Type.Literal(false),
  error: Type.Object({
    code: Type.String({
      description: 'Stable; branch on it. New codes may be added in v1: fall back on the HTTP status.',
    }),
    message: Type.String({ description: 'Human text; may be reworded. Never branch on it.' }),
    meta: Type.Optional(
      Type.Union([...Object.values(META_SCHEMAS), metaOfOtherCode], {
        description: 'Only with the codes that say so; the schema is named for the code.',
      }),
    ),
  }),
})

const META_EXAMPLES: Partial<Record<ErrorCode, ErrorMeta>> = {
  BAD_REQUEST: { field: 'customerId' },
  INVALID_CHAIN_ID: { chainId: 5, supportedChainIds: [84532] },
  INSUFFICIENT_BALANCE: {
    walletAddress: EXAMPLE_WALLET,
    chainId: 84532,
    requestedCoin: '250',
    walletBalanceCoin: '249.999999',
  },
  MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED: { monthlyLimit: '500000', monthlyCommitted: '499900', requestedAmount: '250' },
  TRANSFER_PER_TX_CAP_EXCEEDED: {
    requestedCoin: '60000',
    committedTodayCoin: '0',
    perTxCapCoin: '50000',
    dailyCapCoin: '250000',
  },
  TRANSFER_DAILY_CAP_EXCEEDED: {
    requestedCoin: '20000',
    committedTodayCoin: '240000',
    perTxCapCoin: '50000',
    dailyCapCoin: '250000',
  },
  POLICY_REJECTED: { reason: 'above_mint_ceiling' },
  SERVER_ERROR: { correlationId: '7d0c3f5e-8c1b-4c39-9a52-0b6c2f1d9e44' },
}

/** The envelope that a code answers with, as an example. @param meta another one than is usual; null: none */
export function exampleError(code: ErrorCode, meta: ErrorMeta | null = META_EXAMPLES[code] ?? null) {
  return { ok: false, error: { code, message: ERRORS[code].message, ...(meta === null ? {} : { meta }) } }
}
