import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resignedGasLimit } from '../repair/resign.ts'
import { gasLimitFor, holdReasonOf, perOrder } from './simulate.ts'

test('a batch asks for some more gas than it was simulated with, but never for more than a block has', () => {
  assert.equal(gasLimitFor(1_000_000n, 30_000_000n), 1_080_000n)
  assert.equal(gasLimitFor(1_000_000n, 1_080_001n), 1_080_000n)
  assert.equal(gasLimitFor(1_000_000n, 1_079_999n), 1_079_999n)
})

test('a batch that is signed anew asks for what its size can cost at worst, or for half more than estimated', () => {
  assert.equal(resignedGasLimit(100_000n, 1, 30_000_000n), 260_000n)
  assert.equal(resignedGasLimit(100_000n, 10, 30_000_000n), 800_000n)
  assert.equal(resignedGasLimit(1_000_000n, 10, 30_000_000n), 1_500_000n)
  assert.equal(resignedGasLimit(1_000_000n, 10, 1_400_000n), 1_400_000n)
})

test('only large batches say what an order costs, rounded up', () => {
  assert.equal(perOrder(1_000_000n, 49), undefined)
  assert.equal(perOrder(1_000_000n, 50), 20_001n)
})

test('each revert has its reason', () => {
  assert.deepEqual(
    [
      ...['CoinPaused', 'EnforcedPause', 'MintLimitExceeded', 'DebitLimitExceeded'],
      ...['AccessControlUnauthorizedAccount', 'reverted'],
    ].map(holdReasonOf),
    ['paused', 'paused', 'mint-limit', 'debit-limit', 'signer-not-operator', 'simulation-failed'],
  )
})
