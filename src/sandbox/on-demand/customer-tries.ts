/** What to send for each customer made on demand, and what it is answered. */
import type { PolicyConfig } from '../../config.ts'
import { formatAmount } from '../../money.ts'
import { becomes, policy, referenceOf, requestsAbout, type Subject, type Try } from './try.ts'

type Tries = (subject: Subject, policy: PolicyConfig) => Try[]

const above = (limitMicro: bigint) => formatAmount(limitMicro + 1n)
const refused = (code: NonNullable<Try['expect']['code']>, status = 400) => ({ status, code })

const verified: Tries = (subject) => {
  const { mint, redeem, transfer, cancel } = requestsAbout(subject)
  const waiting = mint('its payment is not confirmed', '10', becomes('payment_pending'), { fiatConfirmed: false })
  const submitted = mint('a mint', '10', becomes('completed'))
  return [
    waiting,
    cancel('and it is cancelled', referenceOf(waiting), { ...becomes('cancelled'), status: 200 }),
    submitted,
    cancel('what was submitted is not', referenceOf(submitted), refused('ORDER_NOT_CANCELLABLE', 409)),
    redeem('a redeem', '10', becomes('completed')),
    transfer('a transfer', '10', becomes('completed')),
  ]
}

const wrongRequests: Tries = (subject, limits) => {
  const { mint, redeem, transfer, get } = requestsAbout(subject)
  const first = mint('a mint that waits for its payment', '10', becomes('payment_pending'), { fiatConfirmed: false })
  const again = { ...(first.body as object), amountMyr: '11' }
  return [
    { ...mint('a list', '1', refused('INVALID_JSON')), body: [] },
    { ...mint('no Idempotency-Key', '1', refused('IDEMPOTENCY_KEY_REQUIRED')), idempotencyKey: null },
    mint('seven decimal places', '1.0000001', refused('INVALID_AMOUNT')),
    mint('nothing', '0', refused('AMOUNT_NEGATIVE_OR_ZERO')),
    mint('below the floor', formatAmount(limits.mintFloorMicro - 1n), refused('AMOUNT_BELOW_FLOOR')),
    redeem('above the ceiling', above(limits.redeemCeilingMicro), refused('AMOUNT_ABOVE_REDEEM_CEILING')),
    mint('not an address', '1', refused('INVALID_WALLET_ADDRESS'), { walletAddress: '0x12' }),
    mint('too short a reference', '1', refused('INVALID_REFERENCE_ID'), { referenceId: 'short' }),
    mint('an unknown chain', '1', refused('INVALID_CHAIN_ID'), { chainId: 999_999_999 }),
    redeem('more than the wallet holds', '1', refused('INSUFFICIENT_BALANCE')),
    transfer('above the cap of a transfer', above(limits.transferTxCapMicro), refused('TRANSFER_PER_TX_CAP_EXCEEDED')),
    transfer('to itself', '1', policy('recipient_is_source'), { walletAddress: subject.walletAddress }),
    mint('above the ceiling', above(limits.mintCeilingMicro), policy('above_mint_ceiling')),
    redeem('from a wallet that is not linked', '1', policy('wallet_not_linked'), { walletAddress: subject.recipient }),
    redeem('less than a sen', '0.009999', policy('below_one_sen')),
    get('a page of nothing', '/v1/transactions?limit=0', refused('BAD_REQUEST')),
    get('no such order', `/v1/mints/${subject.name(0)}`, refused('NOT_FOUND', 404)),
    first,
    {
      ...first,
      says: 'other details under its Idempotency-Key',
      body: again,
      expect: refused('IDEMPOTENCY_CONFLICT', 409),
    },
    { ...mint('a body that is too large', '1', refused('PAYLOAD_TOO_LARGE', 413)), add: { to: 'body', bytes: 70_000 } },
    {
      ...get('headers that are too large', '/v1/config', refused('HEADERS_TOO_LARGE', 431)),
      add: { to: 'headers', bytes: 20_000 },
    },
  ]
}

const unverified: Tries = (subject) => [
  requestsAbout(subject).mint('a mint', '10', refused('CUSTOMER_NOT_VERIFIED', 403)),
]

const foreigner: Tries = (subject, { nonResidentLimitMicro }) => {
  const { mint, redeem } = requestsAbout(subject)
  return [
    mint('above the limit of non-residents', above(nonResidentLimitMicro), refused('FOREIGNER_LIMIT_EXCEEDED')),
    redeem('likewise', above(nonResidentLimitMicro), refused('FOREIGNER_LIMIT_EXCEEDED')),
  ]
}

const noBankAccount: Tries = (subject) => [requestsAbout(subject).redeem('a redeem', '10', policy('no_bank_account'))]

const noWallet: Tries = (subject) => [requestsAbout(subject).transfer('a transfer', '10', policy('no_source_wallet'))]

const switchedOff: Tries = (subject) => {
  const { mint, redeem, transfer } = requestsAbout(subject)
  const expect = policy('capability_disabled')
  return [mint('a mint', '10', expect), redeem('a redeem', '10', expect), transfer('a transfer', '10', expect)]
}

const nearMonthlyLimit: Tries = (subject) => {
  const { redeem, get } = requestsAbout(subject)
  return [
    redeem('100 more, and a little', '100.01', refused('MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED')),
    get('what is left', `/v1/customers/${subject.customerId}`, { status: 200 }),
    redeem('exactly what is left', '100', becomes('completed')),
  ]
}

const nearDailyCaps: Tries = (subject) => {
  const { mint, transfer } = requestsAbout(subject)
  return [
    transfer('10 more, and a little', '10.01', refused('TRANSFER_DAILY_CAP_EXCEEDED')),
    mint('100 more, and a little', '100.01', policy('mint_day_cap')),
    transfer('exactly what is left', '10', becomes('completed')),
  ]
}

const walletFrozen: Tries = (subject) => {
  const { mint, redeem, transfer } = requestsAbout(subject)
  return [
    redeem('a redeem', '10', policy('wallet_frozen')),
    transfer('a transfer', '10', policy('wallet_frozen')),
    mint('a mint, which asks no chain', '10', becomes('failed')),
  ]
}

const failsOnChain: Tries = (subject) => {
  const { mint, redeem, transfer } = requestsAbout(subject)
  return [
    mint('a mint', '10', becomes('failed')),
    redeem('a redeem', '10', becomes('failed')),
    transfer('a transfer', '10', becomes('failed')),
  ]
}

const recipientDenied: Tries = (subject) => {
  const { mint, transfer } = requestsAbout(subject)
  return [
    transfer('a transfer', '10', refused('RECIPIENT_NOT_PERMITTED', 403)),
    mint('a mint to the same address', '10', policy('wallet_denied'), { walletAddress: subject.recipient }),
  ]
}

const payoutOf =
  (expect: Try['expect']): Tries =>
  (subject) => [requestsAbout(subject).redeem('a redeem', '12.5', expect)]

/** By the names of the rows in customer-scenarios.ts. */
export const CUSTOMER_TRIES = {
  verified,
  wrongRequests,
  unverified,
  foreigner,
  noBankAccount,
  noWallet,
  switchedOff,
  nearMonthlyLimit,
  nearDailyCaps,
  walletFrozen,
  failsOnChain,
  recipientDenied,
  payoutRefused: payoutOf(becomes('processing', 'PAYOUT_REJECTED')),
  payoutReturned: payoutOf(becomes('completed', 'PAYOUT_RETURNED')),
  payoutRejected: payoutOf(becomes('completed', 'PAYOUT_REJECTED', 150)),
  payoutLate: payoutOf(becomes('processing', 'PAYOUT_PENDING')),
}
