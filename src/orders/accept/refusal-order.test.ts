/** When several things are wrong with an order, the one checked earliest decides. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  answers,
  COIN,
  caller,
  existingOrder,
  mintFacts,
  mintRequest,
  ONE,
  outcome,
  policy,
  redeemFacts,
  redeemRequest,
  transferFacts,
  transferRequest,
  WALLET,
} from '../../../test/support/decisions.ts'
import { decideMint } from './decide-mint.ts'
import { decideRedeem } from './decide-redeem.ts'
import { decideTransfer } from './decide-transfer.ts'
import type { Decision } from './decision.ts'
import type { CustomerFacts } from './facts.ts'

/** Each fault is applied alone and with every later one; the earliest must decide. */
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
  const chain = { ...mintRequest.chain, hasSanctionsOracle: true }
  const world = { request: { ...mintRequest, chain, fiatConfirmed: true }, facts: mintFacts, policy, answers }
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
      [
        'POLICY_REJECTED above_mint_ceiling',
        (w) => ({ ...w, policy: { ...w.policy, mintCeilingMicro: w.request.amountMicro - 1n } }),
      ],
      ['POLICY_REJECTED capability_disabled', ofCustomer({ canMint: false })],
      ['POLICY_REJECTED contract_address', (w) => ({ ...w, request: { ...w.request, walletAddress: COIN } })],
      ['POLICY_REJECTED wallet_denied', (w) => ({ ...w, facts: { ...w.facts, walletDenied: true } })],
      ['POLICY_REJECTED mint_day_cap', (w) => ({ ...w, policy: { ...w.policy, mintDayCapMicro: ONE } })],
      ['POLICY_REJECTED above_chain_limit', (w) => ({ ...w, facts: { ...w.facts, chainLimitMicro: ONE } })],
      ['POLICY_REJECTED wallet_denied', (w) => ({ ...w, answers: { ...w.answers, recipientSanctioned: true } })],
      ['SERVICE_UNAVAILABLE', (w) => ({ ...w, answers: { ...w.answers, recipientSanctioned: undefined } })],
    ],
    (w) => decideMint(w.request, w.facts, { caller, policy: w.policy }, w.answers),
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
      ['AMOUNT_ABOVE_REDEEM_CEILING', (w) => ({ ...w, policy: { ...w.policy, redeemCeilingMicro: 1n } })],
      [
        'FOREIGNER_LIMIT_EXCEEDED',
        (w) => ofCustomer({ isResident: false })({ ...w, policy: { ...w.policy, nonResidentLimitMicro: 1n } }),
      ],
      ['POLICY_REJECTED below_one_sen', (w) => ({ ...w, request: { ...w.request, amountMicro: 9_999n } })],
      ['POLICY_REJECTED capability_disabled', ofCustomer({ canRedeem: false })],
      ['POLICY_REJECTED contract_address', (w) => ({ ...w, request: { ...w.request, walletAddress: COIN } })],
      ['POLICY_REJECTED wallet_denied', (w) => ({ ...w, facts: { ...w.facts, walletDenied: true } })],
      ['POLICY_REJECTED wallet_not_linked', (w) => ({ ...w, facts: { ...w.facts, walletLinked: false } })],
      ['POLICY_REJECTED no_bank_account', ofCustomer({ hasBankAccount: false })],
      ['MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED', ofCustomer({ monthlyCapMicro: 1n })],
      ['POLICY_REJECTED above_chain_limit', (w) => ({ ...w, facts: { ...w.facts, chainLimitMicro: 1n } })],
      [
        'SETTLEMENT_FAILED',
        (w) => ({ ...w, facts: { ...w.facts, debit: { ...w.facts.debit, observedBlock: undefined } } }),
      ],
      ['POLICY_REJECTED wallet_not_linked', (w) => ({ ...w, answers: { ...w.answers, debitLinked: false } })],
      ['POLICY_REJECTED wallet_frozen', (w) => ({ ...w, answers: { ...w.answers, debitFrozen: true } })],
      ['POLICY_REJECTED wallet_denied', (w) => ({ ...w, answers: { ...w.answers, debitSanctioned: true } })],
      ['SERVICE_UNAVAILABLE', (w) => ({ ...w, answers: { ...w.answers, debitSanctioned: undefined } })],
      ['INSUFFICIENT_BALANCE', (w) => ({ ...w, answers: { ...w.answers, balanceMicro: 1n } })],
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
      ['POLICY_REJECTED wallet_denied', (w) => ({ ...w, facts: { ...w.facts, sourceDenied: true } })],
      ['RECIPIENT_NOT_PERMITTED', (w) => ({ ...w, facts: { ...w.facts, recipientDenied: true } })],
      ['TRANSFER_PER_TX_CAP_EXCEEDED', (w) => ({ ...w, caller: { ...w.caller, transferTxCapMicro: ONE } })],
      ['TRANSFER_DAILY_CAP_EXCEEDED', (w) => ({ ...w, caller: { ...w.caller, transferDayCapMicro: ONE } })],
      ['POLICY_REJECTED above_chain_limit', (w) => ({ ...w, facts: { ...w.facts, chainLimitMicro: ONE } })],
      [
        'SETTLEMENT_FAILED',
        (w) => ({ ...w, facts: { ...w.facts, debit: { ...w.facts.debit, observedBlock: undefined } } }),
      ],
      ['RECIPIENT_NOT_PERMITTED', (w) => ({ ...w, answers: { ...w.answers, recipientSanctioned: true } })],
      ['RECIPIENT_NOT_PERMITTED', (w) => ({ ...w, answers: { ...w.answers, recipientFrozen: true } })],
      ['POLICY_REJECTED wallet_not_linked', (w) => ({ ...w, answers: { ...w.answers, debitLinked: false } })],
      ['POLICY_REJECTED wallet_frozen', (w) => ({ ...w, answers: { ...w.answers, debitFrozen: true } })],
      ['POLICY_REJECTED wallet_denied', (w) => ({ ...w, answers: { ...w.answers, debitSanctioned: true } })],
      ['SERVICE_UNAVAILABLE', (w) => ({ ...w, answers: { ...w.answers, debitSanctioned: undefined } })],
      ['INSUFFICIENT_BALANCE', (w) => ({ ...w, answers: { ...w.answers, balanceMicro: ONE } })],
    ],
    (w) => decideTransfer(w.request, w.facts, { caller: w.caller, policy }, w.answers),
  )
})
