/** What a reference that exists already makes of a request: confirmed, cancelled, repeated or in conflict. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  customer,
  existingOrder,
  mintFacts,
  mintRequest,
  NOW,
  outcome,
  RECIPIENT,
  redeemFacts,
  redeemRequest,
  terms,
  transferFacts,
  transferRequest,
  WALLET,
} from '../../../test/support/decisions.ts'
import type { Order, OrderStatus } from '../order.ts'
import { decideCancel } from './decide-cancel.ts'
import { decideMint } from './decide-mint.ts'
import { decideRedeem } from './decide-redeem.ts'
import { decideTransfer } from './decide-transfer.ts'

test('an existing mint is confirmed only by equal details, and only while it waits', () => {
  const existing = existingOrder({})
  const confirmed = { ...mintRequest, fiatConfirmed: true }
  const advanced = decideMint(confirmed, { ...mintFacts, existing }, terms)
  assert.deepEqual(advanced, {
    kind: 'advance',
    order: { ...existing, status: 'pending', updatedAt: NOW },
    usage: undefined,
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

test('a mint whose chain is configured no longer is not confirmed; what repeats it is answered', () => {
  const unconfigured = { chainId: 9, supportedChainIds: [7] }
  const existing = existingOrder({ chainId: 9 })
  const confirmed = { ...mintRequest, fiatConfirmed: true, unconfigured }
  const decision = decideMint(confirmed, { ...mintFacts, existing }, terms)
  assert.deepEqual(decision, { kind: 'refuse', refusal: { code: 'INVALID_CHAIN_ID', meta: unconfigured } })
  assert.equal(decideMint({ ...mintRequest, unconfigured }, { ...mintFacts, existing }, terms).kind, 'existing')
  const completed = existingOrder({ chainId: 9, status: 'completed' })
  assert.equal(decideMint(confirmed, { ...mintFacts, existing: completed }, terms).kind, 'existing')
})

test('a confirmation is checked like a new mint', () => {
  const suspended = { ...customer, verificationStatus: 'SUSPENDED' }
  const facts = { ...mintFacts, existing: existingOrder({}), customer: suspended }
  assert.equal(outcome(decideMint({ ...mintRequest, fiatConfirmed: true }, facts, terms)), 'CUSTOMER_NOT_VERIFIED')
  assert.equal(decideMint(mintRequest, facts, terms).kind, 'existing')
})

test('an existing redeem needs equal details, an existing transfer does not', () => {
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
  const decide = (existing: Order | undefined, isUnfenced = false) =>
    decideCancel({ now: NOW, usedKey: undefined, existing, isUnfenced })
  const waiting = existingOrder({})
  assert.deepEqual(decide(waiting), {
    kind: 'advance',
    order: { ...waiting, status: 'cancelled', updatedAt: NOW },
    usage: undefined,
  })
  // What the database has lost may have submitted it.
  assert.equal(outcome(decide(waiting, true)), 'SERVICE_UNAVAILABLE')
  assert.equal(decide(existingOrder({ status: 'cancelled' }), true).kind, 'existing')
  for (const status of ['pending', 'processing', 'completed', 'failed'] as const) {
    assert.equal(outcome(decide(existingOrder({ status }))), 'ORDER_NOT_CANCELLABLE')
  }
  assert.equal(outcome(decide(undefined)), 'NOT_FOUND')
  assert.equal(outcome(decide(existingOrder({ direction: 'REDEEM', debitAddress: WALLET }))), 'NOT_FOUND')
})
