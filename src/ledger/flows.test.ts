import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Account } from './accounts.ts'
import { flowsOf, flowsOfTransfers } from './flows.ts'

const NOON = new Date('2026-11-21T12:00:00Z')
const entry = (lines: Record<string, bigint>) => ({
  reference: 'r',
  effectiveAt: NOON,
  lines: Object.entries(lines).map(([account, amountMicro]) => ({ account: account as Account, amountMicro })),
})
const NOTHING = { mintedMicro: 0n, refundedMicro: 0n, redeemedMicro: 0n, transferredMicro: 0n, feesMicro: 0n }
const ofA = { ...NOTHING, integrationId: 'int_a', chainId: 5, effectiveAt: NOON }

test('an entry says what was minted, redeemed and charged', () => {
  const lines = {
    'mint_receivable:int_a': 50n,
    'redeem_payable:int_a': -20n,
    'residual:int_a': -3n,
    'fees_receivable:int_a': 7n,
    'fees:int_a': -7n,
  }
  const both = entry(lines)
  both.lines.push({ account: 'coins:5', amountMicro: -50n }, { account: 'coins:5', amountMicro: 23n })
  assert.deepEqual(flowsOf([both]), [{ ...ofA, mintedMicro: 50n, redeemedMicro: 23n, feesMicro: 7n }])
})

test('coin that nobody owes ringgit for is minted back, not minted', () => {
  assert.deepEqual(flowsOf([entry({ 'redeem_payable:int_a': 9n, 'coins:5': -9n })]), [{ ...ofA, refundedMicro: 9n }])
  const both = entry({ 'mint_receivable:int_a': 4n, 'redeem_payable:int_a': 9n, 'coins:5': -13n })
  assert.deepEqual(flowsOf([both]), [{ ...ofA, mintedMicro: 4n, refundedMicro: 9n }])
})

test('each chain counts by itself, entries without coin do not, and coin of nobody is not lost', () => {
  const sent = entry({ 'redeem_payable:int_a': 9n, 'payout_clearing:http': -9n })
  const moved = entry({ 'coins:1': 5n, 'coins:2': -5n })
  assert.deepEqual(flowsOf([sent, moved]), [
    { ...ofA, integrationId: '-', chainId: 1, redeemedMicro: 5n },
    { ...ofA, integrationId: '-', chainId: 2, refundedMicro: 5n },
  ])
})

test('transfers are added up by integration', () => {
  const transfers = [
    { integrationId: 'int_a', amountMicro: 1n },
    { integrationId: 'int_b', amountMicro: 20n },
    { integrationId: 'int_a', amountMicro: 300n },
  ]
  assert.deepEqual(flowsOfTransfers(5, NOON, transfers), [
    { ...ofA, transferredMicro: 301n },
    { ...ofA, integrationId: 'int_b', transferredMicro: 20n },
  ])
})
