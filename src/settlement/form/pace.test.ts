import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchSizeFor, nextBlockInterval, type Pace, quietMs, shouldForm, unminedLimitFor } from './pace.ts'

test('a batch is as large as a transaction, a block and the contract take, and holds one order where they take less', () => {
  const sizeOf = (limit: bigint, block: bigint) => batchSizeFor({ used: 1n, limit }, block)
  assert.equal(sizeOf(10_000n, 30_000_000n), 255)
  assert.equal(sizeOf(10_000n, 2_549_999n), 254)
  assert.equal(sizeOf(9_500_000n, 30_000_000n), 1)
  assert.equal(sizeOf(61_000_000n, 30_000_000n), 1)
})

test('as many batches wait as two blocks take, smaller ones included, never fewer than eight nor more than nodes keep', () => {
  const limitOf = (block: bigint) => unminedLimitFor({ used: 9_500n, limit: 10_070n }, block)
  // A full batch uses 2,422,500: twelve fit into 30 million.
  assert.deepEqual([3_000_000n, 10_000_000n, 30_000_000n, 200_000_000n].map(limitOf), [8, 12, 36, 64])
  assert.equal(unminedLimitFor({ used: 61_000_000n, limit: 61_000_000n }, 30_000_000n), 8)
})

test('no transaction asks for more gas than one may have', () => {
  assert.ok(BigInt(batchSizeFor({ used: 100_000n, limit: 110_000n }, 500_000_000n)) * 110_000n <= 16_777_216n)
  // 97 times as much would be one more than a transaction may have.
  assert.equal(batchSizeFor({ used: 172_961n, limit: 172_961n }, 500_000_000n), 96)
})

const pace: Pace = {
  waiting: 3,
  batchSize: 255,
  unmined: 0,
  unminedLimit: 8,
  sinceHeadMs: 100,
  blockIntervalMs: 2_000,
  pollIntervalMs: 50,
}

test('a single order is taken at once when nothing is under way', () => {
  assert.equal(shouldForm({ ...pace, waiting: 1 }), true)
  assert.equal(shouldForm({ ...pace, waiting: 0 }), false)
})

test('while a batch waits for its block, orders are collected until just before the block is due', () => {
  assert.equal(shouldForm({ ...pace, unmined: 1 }), false)
  assert.equal(shouldForm({ ...pace, unmined: 1, sinceHeadMs: 1_700 }), true)
  assert.equal(shouldForm({ ...pace, unmined: 1, waiting: 255 }), true)
  assert.equal(shouldForm({ ...pace, unmined: 1, blockIntervalMs: undefined }), true)
})

test('"just before" is a fifth of the interval, two polls or 150 ms, whatever is longest', () => {
  const startsAt = (blockIntervalMs: number, pollIntervalMs: number) => {
    const at = (sinceHeadMs: number) =>
      shouldForm({ ...pace, unmined: 1, blockIntervalMs, pollIntervalMs, sinceHeadMs })
    return Array.from({ length: blockIntervalMs }, (_, ms) => ms).find(at)
  }
  assert.deepEqual([startsAt(2_000, 50), startsAt(2_000, 300), startsAt(300, 10)], [1_600, 1_400, 150])
})

test('no more batches wait than nodes accept from one account', () => {
  assert.equal(shouldForm({ ...pace, waiting: 255, unmined: 8 }), false)
})

test('one late block moves the expected interval only a little', () => {
  assert.equal(nextBlockInterval(undefined, 1_000), 1_000)
  assert.equal(nextBlockInterval(1_000, 2_000), 1_200)
})

test('a regular chain is left alone until a poll before the shortest of the last intervals, any other never', () => {
  assert.equal(quietMs([1_000, 1_200, 1_100, 1_000], 4, 200), 800)
  assert.equal(quietMs([12_000, 12_000, 15_000, 14_000], 4, 1_000), 11_000)
  assert.equal(quietMs([12_000, 12_000, 15_001, 14_000], 4, 1_000), 0, 'a quarter more')
  assert.equal(quietMs([1_000, 1_400, 1_000, 1_000], 4, 200), 800, 'two polls more')
  assert.equal(quietMs([1_000, 1_401, 1_000, 1_000], 4, 200), 0)
  assert.equal(quietMs([1_000, 1_000, 1_000], 4, 200), 0, 'too few')
  assert.equal(quietMs([100, 100, 100, 100], 4, 200), 0)
})
