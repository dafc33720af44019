/** The decisions as pure functions: order of refusals, caps, and references that exist. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Order, OrderStatus } from '../order.ts'
import { decideCancel } from './decide-cancel.ts'
import { decideMint } from './decide-mint.ts'
import { decideRedeem } from './decide-redeem.ts'
import { decideTransfer } from './decide-transfer.ts'
import type { Decision } from './decision.ts'
import type { ChainAnswers, CommonFacts, CustomerFacts, RedeemFacts, TransferFacts } from './facts.ts'

const ONE = 1_000_000n
const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const RECIPIENT = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
const CHAIN = { chainId: 7, network: 'Test', tokenAddress: RECIPIENT }
const NOW = new Date('2026-02-28T23:59:59.999Z')

const policy = {
  mintFloorMicro: ONE,
  redeemCeilingMicro: 1_000_000n * ONE,
  nonResidentLimitMicro: 100_000n * ONE,
  monthlyWithdrawalCapMicro: 500_000n * ONE,
  transferTxCapMicro: 50_000n * ONE,
  transferDayCapMicro: 250_000n * ONE,
  feeMicro: { MINT: 250_000n, REDEEM: 500_000n },
}
const caller = {
  integrationId: 'int_1',
  keyId: '0123456789abcdef',
  scopes: new Set<string>(),
  transferTxCapMicro: null as bigint | null,
  transferDayCapMicro: null as bigint | null,
}
const terms = { caller, policy }

const customer: CustomerFacts = {
  customerId: 'cus_1',
  verificationStatus: 'VERIFIED',
  isResident: true,
  monthlyCapMicro: 500_000n * ONE,
  canMint: true,
  canRedeem: true,
  canTransfer: true,
  hasBankAccount: true,
}
const common: CommonFacts = { now: NOW, remembered: undefined, existing: undefined, customer }
const debit = { observedBlock: 9n as bigint | undefined, earmarkedMicro: 0n, epoch: 3n }
const mintFacts = { ...common, walletDenied: false }
const redeemFacts: RedeemFacts = { ...common, walletLinked: true, withdrawnThisMonthMicro: 0n, debit }
const transferFacts: TransferFacts = {
  ...common,
  sourceAddress: WALLET,
  recipientDenied: false,
  committedTodayMicro: 0n,
  debit,
}
const answers: ChainAnswers = {
  debitFrozen: false,
  balanceMicro: 10n ** 18n,
  recipientFrozen: false,
  recipientSanctioned: false,
}

const mintRequest = {
  referenceId: 'reference-1',
  amountMicro: 10n * ONE,
  walletAddress: WALLET,
  customerId: 'cus_1',
  chain: CHAIN,
  fiatConfirmed: false,
}
const redeemRequest = { ...mintRequest, bankReference: null as string | null }
const transferRequest = { ...mintRequest, walletAddress: RECIPIENT }

function existingOrder(details: Partial<Order>): Order {
  return {
    orderId: 1n,
    integrationId: 'int_1',
    referenceId: 'reference-1',
    direction: 'MINT',
    status: 'payment_pending',
    phase: 'PAYMENT_PENDING',
    chainId: 7,
    network: 'Test',
    tokenAddress: RECIPIENT,
    walletAddress: WALLET,
    debitAddress: null,
    customerId: 'cus_1',
    keyId: '0123456789abcdef',
    amountMicro: 10n * ONE,
    feeMicro: 0n,
    bankReference: null,
    batchId: null,
    batchIndex: null,
    txHash: null,
    blockNumber: null,
    failureReason: null,
    createdAt: NOW,
    updatedAt: null,
    ...details,
  }
}

/** A decision in short: the code of a refusal (with its reason), else its kind. */
function outcome(decision: Decision): string {
  if (decision.kind !== 'refuse') return decision.kind
  const reason = decision.refusal.meta?.reason
  return reason === undefined ? decision.refusal.code : `${decision.refusal.code} ${reason}`
}

/** Each wrong is applied alone and with every later one: the earliest must decide. */
function assertOrder<World>(
  world: World,
  wrongs: [string, (world: World) => World][],
  decide: (world: World) => Decision,
) {
  fc.assert(
    fc.property(fc.subarray(wrongs.map((_, index) => index)), (chosen) => {
      const spoilt = chosen.reduceRight((made, index) => wrongs[index]?.[1](made) ?? made, world)
      assert.equal(outcome(decide(spoilt)), wrongs[chosen[0] ?? -1]?.[0] ?? 'accept')
    }),
    { numRuns: 400 },
  )
}

test('a mint is refused in the documented order', () => {
  const world = { request: mintRequest, facts: mintFacts, policy }
  type World = typeof world
  const ofCustomer = (change: Partial<CustomerFacts>) => (w: World) => ({
    ...w,
    facts: { ...w.facts, customer: w.facts.customer && { ...w.facts.customer, ...change } },
  })
  assertOrder<World>(
    world,
    [
      ['NOT_FOUND', (w) => ({ ...w, facts: { ...w.facts, customer: undefined } })],
      [
        'IDEMPOTENCY_CONFLICT',
        (w) => ({
          ...w,
          facts: { ...w.facts, existing: existingOrder({ direction: 'TRANSFER', debitAddress: WALLET }) },
        }),
      ],
      ['CUSTOMER_NOT_VERIFIED', ofCustomer({ verificationStatus: 'SUSPENDED' })],
      ['AMOUNT_BELOW_FLOOR', (w) => ({ ...w, policy: { ...w.policy, mintFloorMicro: w.request.amountMicro + 1n } })],
      [
        'FOREIGNER_LIMIT_EXCEEDED',
        (w) => ofCustomer({ isResident: false })({ ...w, policy: { ...w.policy, nonResidentLimitMicro: ONE } }),
      ],
      ['POLICY_REJECTED capability_disabled', ofCustomer({ canMint: false })],
      ['POLICY_REJECTED wallet_denied', (w) => ({ ...w, facts: { ...w.facts, walletDenied: true } })],
    ],
    (w) => decideMint(w.request, w.facts, { caller, policy: w.policy }),
  )
})

test('a redeem is refused in the documented order', () => {
  const world = { request: redeemRequest, facts: redeemFacts, policy, answers }
  type World = typeof world
  const ofCustomer = (change: Partial<CustomerFacts>) => (w: World) => ({
    ...w,
    facts: { ...w.facts, customer: w.facts.customer && { ...w.facts.customer, ...change } },
  })
  assertOrder<World>(
    world,
    [
      ['NOT_FOUND', (w) => ({ ...w, facts: { ...w.facts, customer: undefined } })],
      ['IDEMPOTENCY_CONFLICT', (w) => ({ ...w, facts: { ...w.facts, existing: existingOrder({}) } })],
      ['CUSTOMER_NOT_VERIFIED', ofCustomer({ verificationStatus: 'PENDING' })],
      ['AMOUNT_ABOVE_REDEEM_CEILING', (w) => ({ ...w, policy: { ...w.policy, redeemCeilingMicro: ONE } })],
      [
        'FOREIGNER_LIMIT_EXCEEDED',
        (w) => ofCustomer({ isResident: false })({ ...w, policy: { ...w.policy, nonResidentLimitMicro: ONE } }),
      ],
      ['POLICY_REJECTED capability_disabled', ofCustomer({ canRedeem: false })],
      ['POLICY_REJECTED wallet_not_linked', (w) => ({ ...w, facts: { ...w.facts, walletLinked: false } })],
      ['POLICY_REJECTED no_bank_account', ofCustomer({ hasBankAccount: false })],
      [
        'SETTLEMENT_FAILED',
        (w) => ({ ...w, facts: { ...w.facts, debit: { ...w.facts.debit, observedBlock: undefined } } }),
      ],
      ['POLICY_REJECTED wallet_frozen', (w) => ({ ...w, answers: { ...w.answers, debitFrozen: true } })],
      ['MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED', ofCustomer({ monthlyCapMicro: ONE })],
      ['INSUFFICIENT_BALANCE', (w) => ({ ...w, answers: { ...w.answers, balanceMicro: ONE } })],
    ],
    (w) => decideRedeem(w.request, w.facts, { caller, policy: w.policy }, w.answers),
  )
})

test('a transfer is refused in the documented order', () => {
  const world = { request: transferRequest, facts: transferFacts, caller, answers }
  type World = typeof world
  const ofCustomer = (change: Partial<CustomerFacts>) => (w: World) => ({
    ...w,
    facts: { ...w.facts, customer: w.facts.customer && { ...w.facts.customer, ...change } },
  })
  assertOrder<World>(
    world,
    [
      ['NOT_FOUND', (w) => ({ ...w, facts: { ...w.facts, customer: undefined } })],
      ['IDEMPOTENCY_CONFLICT', (w) => ({ ...w, facts: { ...w.facts, existing: existingOrder({}) } })],
      ['CUSTOMER_NOT_VERIFIED', ofCustomer({ verificationStatus: 'REJECTED' })],
      ['POLICY_REJECTED capability_disabled', ofCustomer({ canTransfer: false })],
      ['POLICY_REJECTED no_source_wallet', (w) => ({ ...w, facts: { ...w.facts, sourceAddress: undefined } })],
      ['RECIPIENT_NOT_PERMITTED', (w) => ({ ...w, facts: { ...w.facts, recipientDenied: true } })],
      [
        'SETTLEMENT_FAILED',
        (w) => ({ ...w, facts: { ...w.facts, debit: { ...w.facts.debit, observedBlock: undefined } } }),
      ],
      ['RECIPIENT_NOT_PERMITTED', (w) => ({ ...w, answers: { ...w.answers, recipientSanctioned: true } })],
      ['RECIPIENT_NOT_PERMITTED', (w) => ({ ...w, answers: { ...w.answers, recipientFrozen: true } })],
      ['POLICY_REJECTED wallet_frozen', (w) => ({ ...w, answers: { ...w.answers, debitFrozen: true } })],
      ['TRANSFER_PER_TX_CAP_EXCEEDED', (w) => ({ ...w, caller: { ...w.caller, transferTxCapMicro: ONE } })],
      ['TRANSFER_DAILY_CAP_EXCEEDED', (w) => ({ ...w, caller: { ...w.caller, transferDayCapMicro: ONE } })],
      ['INSUFFICIENT_BALANCE', (w) => ({ ...w, answers: { ...w.answers, balanceMicro: ONE } })],
    ],
    (w) => decideTransfer(w.request, w.facts, { caller: w.caller, policy }, w.answers),
  )
})

test('a transfer to the source wallet itself is refused', () => {
  const decision = decideTransfer({ ...transferRequest, walletAddress: WALLET }, transferFacts, terms, answers)
  assert.equal(outcome(decision), 'POLICY_REJECTED recipient_is_source')
})

test('what the chain cannot say is never a pass', () => {
  const unreadable = {
    debitFrozen: undefined,
    balanceMicro: undefined,
    recipientFrozen: undefined,
    recipientSanctioned: undefined,
  }
  const transferWith = (change: Partial<ChainAnswers>) =>
    outcome(decideTransfer(transferRequest, transferFacts, terms, { ...answers, ...change }))
  assert.equal(transferWith(unreadable), 'SETTLEMENT_FAILED')
  assert.equal(transferWith({ balanceMicro: undefined }), 'SETTLEMENT_FAILED')
  assert.equal(transferWith({ debitFrozen: undefined }), 'SETTLEMENT_FAILED')
  assert.equal(transferWith({ recipientSanctioned: undefined }), 'SERVICE_UNAVAILABLE')
  assert.equal(transferWith({ recipientFrozen: undefined }), 'SERVICE_UNAVAILABLE')
  assert.equal(transferWith({ recipientSanctioned: undefined, recipientFrozen: true }), 'RECIPIENT_NOT_PERMITTED')
  for (const field of ['debitFrozen', 'balanceMicro'] as const) {
    const decision = decideRedeem(redeemRequest, redeemFacts, terms, { ...answers, [field]: undefined })
    assert.equal(outcome(decision), 'SETTLEMENT_FAILED')
  }
})

test('the chain is asked only when everything else allows the order, and at the observed block', () => {
  const questions = { chainId: 7, debitAddress: WALLET, blockNumber: 9n }
  assert.deepEqual(decideRedeem(redeemRequest, redeemFacts, terms, undefined), {
    kind: 'askChain',
    questions: { ...questions, recipientAddress: undefined },
  })
  assert.deepEqual(decideTransfer(transferRequest, transferFacts, terms, undefined), {
    kind: 'askChain',
    questions: { ...questions, recipientAddress: RECIPIENT },
  })
})

test('refusals carry the figures of the contract, in the shortest form', () => {
  const monthly = decideRedeem(
    { ...redeemRequest, amountMicro: 100_500_000n },
    { ...redeemFacts, withdrawnThisMonthMicro: 499_900n * ONE },
    terms,
    answers,
  )
  assert.deepEqual(monthly.kind === 'refuse' && monthly.refusal.meta, {
    monthlyLimit: '500000',
    monthlyCommitted: '499900',
    requestedAmount: '100.5',
  })
  const earmarked = { ...redeemFacts, debit: { ...debit, earmarkedMicro: 5_750_000n } }
  const balance = decideRedeem(redeemRequest, earmarked, terms, { ...answers, balanceMicro: 15n * ONE })
  assert.deepEqual(balance.kind === 'refuse' && balance.refusal.meta, {
    walletAddress: WALLET,
    chainId: 7,
    requestedCoin: '10',
    walletBalanceCoin: '9.25',
  })
  const own = { ...caller, transferTxCapMicro: 9_900_000n, transferDayCapMicro: 10n ** 15n }
  const facts = { ...transferFacts, committedTodayMicro: 1n }
  const cap = decideTransfer(transferRequest, facts, { caller: own, policy }, answers)
  assert.deepEqual(cap.kind === 'refuse' && cap.refusal.meta, {
    requestedCoin: '10',
    committedTodayCoin: '0.000001',
    perTxCapCoin: '9.9',
    dailyCapCoin: '250000',
  })
})

const micro = fc.bigInt({ min: 1n, max: 10n ** 18n })
const near = (limit: bigint) =>
  fc.bigInt({ min: -3n, max: 3n }).map((delta) => (limit + delta > 0n ? limit + delta : 1n))

test('a transfer is accepted exactly when it keeps every cap and the balance', () => {
  const scenario = fc
    .record({ txCap: micro, dayCap: micro, committed: micro, earmarked: micro, balance: micro })
    .chain((s) =>
      fc.record({
        s: fc.constant(s),
        amount: fc.oneof(micro, near(s.txCap), near(s.dayCap - s.committed), near(s.balance - s.earmarked)),
      }),
    )
  fc.assert(
    fc.property(scenario, ({ s, amount }) => {
      const own = { ...caller, transferTxCapMicro: s.txCap, transferDayCapMicro: s.dayCap }
      const wide = { ...policy, transferTxCapMicro: 10n ** 17n, transferDayCapMicro: 10n ** 17n }
      const facts = {
        ...transferFacts,
        committedTodayMicro: s.committed,
        debit: { ...debit, earmarkedMicro: s.earmarked },
      }
      const decision = decideTransfer(
        { ...transferRequest, amountMicro: amount },
        facts,
        { caller: own, policy: wide },
        {
          ...answers,
          balanceMicro: s.balance,
        },
      )
      const allowed =
        amount <= s.txCap &&
        amount <= 10n ** 17n &&
        s.committed + amount <= s.dayCap &&
        s.committed + amount <= 10n ** 17n &&
        s.earmarked + amount <= s.balance
      assert.equal(decision.kind === 'accept', allowed, outcome(decision))
    }),
    { numRuns: 1000 },
  )
})

test('a redeem is accepted exactly when it keeps ceiling, residence limit, monthly cap and balance', () => {
  const scenario = fc
    .record({ isResident: fc.boolean(), cap: micro, used: micro, earmarked: micro, balance: micro })
    .chain((s) =>
      fc.record({
        s: fc.constant(s),
        amount: fc.oneof(
          micro,
          near(s.cap - s.used),
          near(s.balance - s.earmarked),
          near(100_000n * ONE),
          near(10n ** 12n),
        ),
      }),
    )
  fc.assert(
    fc.property(scenario, ({ s, amount }) => {
      const facts = {
        ...redeemFacts,
        customer: { ...customer, isResident: s.isResident, monthlyCapMicro: s.cap },
        withdrawnThisMonthMicro: s.used,
        debit: { ...debit, earmarkedMicro: s.earmarked },
      }
      const request = { ...redeemRequest, amountMicro: amount }
      const decision = decideRedeem(request, facts, terms, { ...answers, balanceMicro: s.balance })
      const limit = s.isResident ? policy.redeemCeilingMicro : policy.nonResidentLimitMicro
      const allowed = amount <= limit && s.used + amount <= s.cap && s.earmarked + amount <= s.balance
      assert.equal(decision.kind === 'accept', allowed, outcome(decision))
    }),
    { numRuns: 1000 },
  )
})

test('an accepted order counts in the UTC day and month of its own date', () => {
  const redeem = decideRedeem(redeemRequest, redeemFacts, terms, answers)
  const transfer = decideTransfer(transferRequest, transferFacts, terms, answers)
  assert.ok(redeem.kind === 'accept' && transfer.kind === 'accept')
  assert.equal(redeem.acceptance.usage?.period, '2026-02-01')
  assert.equal(transfer.acceptance.usage?.period, '2026-02-28')
  assert.deepEqual([redeem.acceptance.order.createdAt, transfer.acceptance.order.createdAt], [NOW, NOW])
  assert.deepEqual([redeem.acceptance.order.feeMicro, transfer.acceptance.order.feeMicro], [500_000n, 0n])
})

test('a mint waits for its payment unless it is confirmed', () => {
  for (const [fiatConfirmed, status, phase] of [
    [false, 'payment_pending', 'PAYMENT_PENDING'],
    [true, 'pending', 'ORDER_CREATED'],
  ] as const) {
    const decision = decideMint({ ...mintRequest, fiatConfirmed }, mintFacts, terms)
    assert.ok(decision.kind === 'accept')
    assert.deepEqual([decision.acceptance.order.status, decision.acceptance.order.phase], [status, phase])
  }
})

test('a mint reference that exists is confirmed only by equal details, and only while it waits', () => {
  const existing = existingOrder({})
  const confirmed = { ...mintRequest, fiatConfirmed: true }
  const advanced = decideMint(confirmed, { ...mintFacts, existing }, terms)
  assert.deepEqual(advanced, {
    kind: 'advance',
    order: { ...existing, status: 'pending', phase: 'ORDER_CREATED', updatedAt: NOW },
  })
  assert.equal(decideMint(mintRequest, { ...mintFacts, existing }, terms).kind, 'existing')
  for (const change of [{ amountMicro: 1n }, { walletAddress: RECIPIENT }, { chainId: 8 }, { customerId: 'cus_2' }]) {
    const other = { ...mintFacts, existing: existingOrder(change) }
    assert.equal(decideMint(confirmed, other, terms).kind, 'existing')
  }
  const later: OrderStatus[] = ['pending', 'processing', 'completed', 'failed', 'cancelled']
  for (const status of later) {
    assert.equal(decideMint(confirmed, { ...mintFacts, existing: existingOrder({ status }) }, terms).kind, 'existing')
  }
})

test('a confirmation is checked like a new mint', () => {
  const suspended = { ...customer, verificationStatus: 'SUSPENDED' }
  const facts = { ...mintFacts, existing: existingOrder({}), customer: suspended }
  assert.equal(outcome(decideMint({ ...mintRequest, fiatConfirmed: true }, facts, terms)), 'CUSTOMER_NOT_VERIFIED')
  assert.equal(decideMint(mintRequest, facts, terms).kind, 'existing')
})

test('a redeem reference that exists needs equal details, a transfer reference does not', () => {
  const redeem = existingOrder({ direction: 'REDEEM', debitAddress: WALLET, bankReference: 'pay-1' })
  const withReference = { ...redeemRequest, bankReference: 'pay-1' }
  const decide = (request: typeof redeemRequest) =>
    outcome(decideRedeem(request, { ...redeemFacts, existing: redeem }, terms, undefined))
  assert.equal(decide(withReference), 'existing')
  assert.equal(decide({ ...withReference, bankReference: null }), 'IDEMPOTENCY_CONFLICT')
  assert.equal(decide({ ...withReference, amountMicro: 1n }), 'IDEMPOTENCY_CONFLICT')
  const transfer = existingOrder({ direction: 'TRANSFER', debitAddress: WALLET, amountMicro: 3n })
  assert.equal(
    decideTransfer(transferRequest, { ...transferFacts, existing: transfer }, terms, undefined).kind,
    'existing',
  )
})

test('only a mint that waits for its payment is cancelled', () => {
  const decide = (existing: Order | undefined) => decideCancel({ now: NOW, remembered: undefined, existing })
  const waiting = existingOrder({})
  assert.deepEqual(decide(waiting), {
    kind: 'advance',
    order: { ...waiting, status: 'cancelled', phase: 'FAILED', updatedAt: NOW },
  })
  assert.equal(decide(existingOrder({ status: 'cancelled' })).kind, 'existing')
  for (const status of ['pending', 'processing', 'completed', 'failed'] as const) {
    assert.equal(outcome(decide(existingOrder({ status }))), 'ORDER_NOT_CANCELLABLE')
  }
  assert.equal(outcome(decide(undefined)), 'NOT_FOUND')
  assert.equal(outcome(decide(existingOrder({ direction: 'REDEEM', debitAddress: WALLET }))), 'NOT_FOUND')
})
