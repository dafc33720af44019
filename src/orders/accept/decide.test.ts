/** The decisions as pure functions: what the chain is asked, the figures of refusals, and caps. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  answers,
  COIN,
  caller,
  customer,
  debit,
  existingOrder,
  mintFacts,
  mintRequest,
  NOW,
  ONE,
  outcome,
  policy,
  RECIPIENT,
  redeemFacts,
  redeemRequest,
  SETTLEMENT,
  terms,
  transferFacts,
  transferRequest,
  WALLET,
} from '../../../test/support/decisions.ts'
import { formatAmount } from '../../money.ts'
import { decideMint } from './decide-mint.ts'
import { decideRedeem } from './decide-redeem.ts'
import { decideTransfer } from './decide-transfer.ts'
import type { ChainAnswers, CustomerFacts } from './facts.ts'

test('a transfer to the source wallet itself is refused', () => {
  const decision = decideTransfer({ ...transferRequest, walletAddress: WALLET }, transferFacts, terms, answers)
  assert.equal(outcome(decision), 'POLICY_REJECTED recipient_is_source')
})

test('the chain limit itself is allowed; one that is not known, or a bucket set to 0 as a brake, refuses nothing', () => {
  const amountMicro = mintRequest.amountMicro
  for (const [chainLimitMicro, expected] of [
    [amountMicro, false],
    [amountMicro - 1n, true],
    [undefined, false],
    [0n, false],
    [1n, true],
  ] as const) {
    const decisions = [
      decideMint(mintRequest, { ...mintFacts, chainLimitMicro }, terms),
      decideRedeem(redeemRequest, { ...redeemFacts, chainLimitMicro }, terms, answers),
      decideTransfer(transferRequest, { ...transferFacts, chainLimitMicro }, terms, answers),
    ]
    for (const decision of decisions)
      if (decision.kind === 'refuse')
        assert.equal(decision.refusal.detail, `The limit is ${formatAmount(chainLimitMicro ?? 0n)}.`)
    const decided = decisions.map(outcome)
    assert.deepEqual(new Set(decided), new Set([expected ? 'POLICY_REJECTED above_chain_limit' : 'accept']))
  }
})

test('one mint may come to the ceiling, confirmed or not, and not to more', () => {
  const { amountMicro } = mintRequest
  for (const fiatConfirmed of [true, false]) {
    for (const [mintCeilingMicro, expected] of [
      [amountMicro, 'accept'],
      [amountMicro - 1n, 'POLICY_REJECTED above_mint_ceiling'],
    ] as const) {
      const decision = decideMint({ ...mintRequest, fiatConfirmed }, mintFacts, {
        caller,
        policy: { ...policy, mintCeilingMicro },
      })
      assert.equal(outcome(decision), expected)
    }
  }
})

test("a day's confirmed mints of a key come to the lower of both caps; what is not confirmed takes nothing", () => {
  const caps = fc.option(fc.bigInt({ min: 0n, max: 30n * ONE }), { nil: null })
  const scenarios = fc.record({
    policyCap: caps,
    ownCap: caps,
    fiatConfirmed: fc.boolean(),
    waits: fc.boolean(),
    committedTodayMicro: fc.bigInt({ min: 0n, max: 20n * ONE }),
  })
  const check = (s: {
    policyCap: bigint | null
    ownCap: bigint | null
    fiatConfirmed: boolean
    waits: boolean
    committedTodayMicro: bigint
  }) => {
    const [cap = null] = [s.policyCap, s.ownCap].filter((one) => one !== null).sort((a, b) => Number(a - b))
    const existing = s.waits ? existingOrder({ status: 'payment_pending', keyId: 'another-key' }) : undefined
    const decision = decideMint(
      { ...mintRequest, fiatConfirmed: s.fiatConfirmed },
      { ...mintFacts, existing, committedTodayMicro: s.committedTodayMicro },
      { caller: { ...caller, mintDayCapMicro: s.ownCap }, policy: { ...policy, mintDayCapMicro: s.policyCap } },
    )
    if (s.fiatConfirmed && cap !== null && s.committedTodayMicro + mintRequest.amountMicro > cap) {
      assert.deepEqual(decision, {
        kind: 'refuse',
        refusal: {
          code: 'POLICY_REJECTED',
          meta: {
            reason: 'mint_day_cap',
            capMyr: formatAmount(cap),
            committedMyr: formatAmount(s.committedTodayMicro),
          },
        },
      })
      return
    }
    assert.equal(decision.kind, s.waits ? (s.fiatConfirmed ? 'advance' : 'existing') : 'accept')
    if (decision.kind !== 'accept' && decision.kind !== 'advance') return
    const usage = decision.kind === 'accept' ? decision.acceptance.usage : decision.usage
    const counts = s.fiatConfirmed && cap !== null
    assert.deepEqual(usage, counts ? { owner: caller.keyId, period: '2026-02-28', capMicro: cap } : undefined)
  }
  const exact = { policyCap: 15n * ONE, committedTodayMicro: 15n * ONE - mintRequest.amountMicro, waits: false }
  for (const waits of [true, false]) {
    check({ ...exact, waits, fiatConfirmed: true, ownCap: null })
    check({ ...exact, waits, fiatConfirmed: true, ownCap: 15n * ONE - 1n })
    check({ ...exact, waits, fiatConfirmed: false, ownCap: 0n })
    check({ ...exact, waits, fiatConfirmed: true, ownCap: null, policyCap: null })
  }
  fc.assert(fc.property(scenarios, check))
})

test('a mint that was settled before counts, whatever the cap', () => {
  for (const existing of [undefined, existingOrder({ status: 'payment_pending' })]) {
    const decision = decideMint(
      { ...mintRequest, fiatConfirmed: true },
      { ...mintFacts, existing, settledBefore: 'same' },
      {
        caller,
        policy: { ...policy, mintDayCapMicro: 0n },
      },
    )
    const usage = decision.kind === 'accept' ? decision.acceptance.usage : decision.kind === 'advance' && decision.usage
    assert.deepEqual(usage, { owner: caller.keyId, period: '2026-02-28', capMicro: 2n ** 63n - 1n })
  }
})

test('what was settled under the reference before is recorded without checks, and anything else under it is a conflict', () => {
  const poor = { ...customer, verificationStatus: 'SUSPENDED', canMint: false, canRedeem: false, canTransfer: false }
  const nothing = { chainLimitMicro: 1n, customer: { ...poor, monthlyCapMicro: 0n } }
  const decisions = (settledBefore: 'same' | 'otherwise') => [
    decideMint(mintRequest, { ...mintFacts, ...nothing, settledBefore }, terms),
    decideRedeem(redeemRequest, { ...redeemFacts, ...nothing, settledBefore }, terms, undefined),
    decideTransfer(transferRequest, { ...transferFacts, ...nothing, settledBefore }, terms, undefined),
  ]
  for (const decision of decisions('same')) {
    assert.equal(outcome(decision), 'accept')
    if (decision.kind !== 'accept') continue
    const { order, usage, earmark } = decision.acceptance
    assert.equal(order.status, 'pending')
    const limits = [usage?.capMicro, earmark?.balanceMicro].filter((limit) => limit !== undefined)
    assert.deepEqual(new Set(limits), new Set(order.direction === 'MINT' ? [] : [2n ** 63n - 1n]))
  }
  for (const decision of decisions('otherwise')) assert.equal(outcome(decision), 'IDEMPOTENCY_CONFLICT')
  const waiting = existingOrder({})
  const again = decideMint(mintRequest, { ...mintFacts, ...nothing, existing: waiting, settledBefore: 'same' }, terms)
  assert.equal(outcome(again), 'existing', 'an existing order is answered as it is')
})

test('what the chain cannot say never passes', () => {
  const unreadable = {
    debitLinked: undefined,
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
  assert.equal(transferWith({ debitLinked: undefined }), 'SETTLEMENT_FAILED')
  assert.equal(transferWith({ recipientSanctioned: undefined }), 'SERVICE_UNAVAILABLE')
  assert.equal(transferWith({ recipientFrozen: undefined }), 'SERVICE_UNAVAILABLE')
  assert.equal(transferWith({ recipientSanctioned: undefined, recipientFrozen: true }), 'RECIPIENT_NOT_PERMITTED')
  for (const field of ['debitLinked', 'debitFrozen', 'balanceMicro'] as const) {
    const decision = decideRedeem(redeemRequest, redeemFacts, terms, { ...answers, [field]: undefined })
    assert.equal(outcome(decision), 'SETTLEMENT_FAILED')
  }
})

test('the chain is asked only when everything else allows the order, and at the observed block', () => {
  const owner = { integrationId: 'int_1', customerId: 'cus_1' }
  const questions = { chainId: 7, debit: { address: WALLET, owner, blockNumber: 9n } }
  assert.deepEqual(decideRedeem(redeemRequest, redeemFacts, terms, undefined), {
    kind: 'askChain',
    questions: { ...questions, recipientAddress: undefined },
  })
  assert.deepEqual(decideTransfer(transferRequest, transferFacts, terms, undefined), {
    kind: 'askChain',
    questions: { ...questions, recipientAddress: RECIPIENT },
  })
})

test('a contract of the service is credited and debited by nobody', () => {
  for (const walletAddress of [COIN, SETTLEMENT]) {
    const decisions = [
      decideMint({ ...mintRequest, walletAddress }, mintFacts, terms),
      decideRedeem({ ...redeemRequest, walletAddress }, redeemFacts, terms, answers),
      decideTransfer({ ...transferRequest, walletAddress }, transferFacts, terms, answers),
    ]
    assert.deepEqual(decisions.map(outcome), [
      'POLICY_REJECTED contract_address',
      'POLICY_REJECTED contract_address',
      'RECIPIENT_NOT_PERMITTED',
    ])
  }
})

test('what the facts alone refuse is refused before the chain is asked', () => {
  const poor = { ...redeemFacts.customer, monthlyCapMicro: ONE } as CustomerFacts
  const refusals = [
    decideRedeem(redeemRequest, { ...redeemFacts, customer: poor }, terms, undefined),
    decideRedeem(redeemRequest, redeemFacts, { caller, policy: { ...policy, redeemCeilingMicro: ONE } }, undefined),
    decideTransfer(
      transferRequest,
      transferFacts,
      { policy, caller: { ...caller, transferTxCapMicro: ONE } },
      undefined,
    ),
    decideTransfer(
      transferRequest,
      transferFacts,
      { policy, caller: { ...caller, transferDayCapMicro: ONE } },
      undefined,
    ),
    decideTransfer(transferRequest, { ...transferFacts, recipientDenied: true }, terms, undefined),
  ]
  assert.deepEqual(refusals.map(outcome), [
    'MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED',
    'AMOUNT_ABOVE_REDEEM_CEILING',
    'TRANSFER_PER_TX_CAP_EXCEEDED',
    'TRANSFER_DAILY_CAP_EXCEEDED',
    'RECIPIENT_NOT_PERMITTED',
  ])
})

test('a cap may be used up to its last unit, and not beyond', () => {
  const { monthlyCapMicro } = redeemFacts.customer as CustomerFacts
  const redeem = (over: bigint) => {
    const withdrawnThisMonthMicro = monthlyCapMicro - redeemRequest.amountMicro + over
    return outcome(decideRedeem(redeemRequest, { ...redeemFacts, withdrawnThisMonthMicro }, terms, answers))
  }
  const transfer = (over: bigint) => {
    const committedTodayMicro = policy.transferDayCapMicro - transferRequest.amountMicro + over
    return outcome(decideTransfer(transferRequest, { ...transferFacts, committedTodayMicro }, terms, answers))
  }
  const one = (own: bigint) =>
    outcome(
      decideTransfer(
        transferRequest,
        transferFacts,
        { policy, caller: { ...caller, transferTxCapMicro: own } },
        answers,
      ),
    )
  assert.deepEqual([redeem(0n), transfer(0n), one(transferRequest.amountMicro)], ['accept', 'accept', 'accept'])
  assert.deepEqual(
    [redeem(1n), transfer(1n), one(transferRequest.amountMicro - 1n)],
    ['MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED', 'TRANSFER_DAILY_CAP_EXCEEDED', 'TRANSFER_PER_TX_CAP_EXCEEDED'],
  )
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

test('a redeem is accepted exactly when it comes to a sen and keeps ceiling, residence limit, monthly cap and balance', () => {
  const scenario = fc
    .record({ isResident: fc.boolean(), cap: micro, used: micro, earmarked: micro, balance: micro })
    .chain((s) =>
      fc.record({
        s: fc.constant(s),
        amount: fc.oneof(
          micro,
          ...[s.cap - s.used, s.balance - s.earmarked, 100_000n * ONE, 10n ** 12n, 10_000n].map((at) => near(at)),
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
      const isPayable = amount >= 10_000n && amount <= limit
      const allowed = isPayable && s.used + amount <= s.cap && s.earmarked + amount <= s.balance
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
  for (const [fiatConfirmed, status] of [
    [false, 'payment_pending'],
    [true, 'pending'],
  ] as const) {
    const decision = decideMint({ ...mintRequest, fiatConfirmed }, mintFacts, terms)
    assert.ok(decision.kind === 'accept')
    assert.equal(decision.acceptance.order.status, status)
  }
})
