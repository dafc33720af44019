import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import type { Draft } from './draft.ts'
import { atWorst, gasLimitFor, holdReasonOf, perOrder } from './simulate.ts'

test('a batch asks for somewhat more gas than it needs, but never for more than a block or a transaction may have', () => {
  assert.equal(gasLimitFor(1_000_000n, 30_000_000n), 1_080_000n)
  assert.equal(gasLimitFor(29_000_000n, 30_000_000n), 16_777_216n)
  assert.equal(gasLimitFor(1_000_000n, 1_080_001n), 1_080_000n)
  assert.equal(gasLimitFor(1_000_000n, 1_079_999n), 1_079_999n)
})

test('a batch asks for the worst cost of its instructions, whatever was estimated', () => {
  const of = (...directions: PendingOrder['direction'][]) =>
    ({ orders: directions.map((direction) => ({ direction })) }) as Draft
  assert.equal(atWorst(1n, of('MINT')), 207_000n)
  assert.equal(atWorst(1n, of('MINT', 'REDEEM', 'TRANSFER', 'TRANSFER')), 286_000n)
  assert.equal(atWorst(207_001n, of('MINT')), 207_001n)
})

test('only large batches say what an order costs, rounded up', () => {
  assert.equal(perOrder(1_000_000n, 49), undefined)
  assert.equal(perOrder(1_000_000n, 50), 20_001n)
})

test('each revert has its reason', () => {
  assert.deepEqual(
    [
      ...['EnforcedPause', 'SettlementPaused', 'MintLimitExceeded', 'BurnLimitExceeded', 'TransferLimitExceeded'],
      ...['NotNextBatch', 'WrongPrevious', 'AccessControlUnauthorizedAccount', 'reverted'],
    ].map(holdReasonOf),
    [
      ...['paused', 'paused', 'mint-limit', 'burn-limit', 'transfer-limit'],
      ...['batch-conflict', 'batch-conflict', 'signer-without-role', 'simulation-failed'],
    ],
  )
})
