import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { batchSizeFor, nextBlockInterval, type Pace, quietMs, shouldForm, unminedLimitFor } from './pace.ts'

test('whole batches fill at least nine tenths of a block of usual size, and fit it', () => {
  const gas = fc.bigInt({ min: 9_000n, max: 60_000n })
  fc.assert(
    fc.property(gas, fc.bigInt({ min: 15_000_000n, max: 200_000_000n }), (used, block) => {
      const perOrder = { used, limit: (used * 106n) / 100n }
      const size = BigInt(batchSizeFor(perOrder, block))
      assert.ok(size >= 1n && size <= 255n)
      let left = block
      let orders = 0n
      while (left >= size * perOrder.limit) {
        left -= size * perOrder.used
        orders += size
      }
      assert.ok(orders * used * 10n >= block * 9n, `${orders} orders of ${used} gas in ${block}`)
      assert.ok(BigInt(unminedLimitFor(perOrder, block)) >= (orders / size < 64n ? orders / size : 64n))
    }),
  )
})

test('a batch is as large as may be where that fills the block well, and holds one order where a block takes few', () => {
  const sizeOf = (used: bigint, limit: bigint, block: bigint) => batchSizeFor({ used, limit }, block)
  for (const block of [30_000_000n, 45_000_000n, 60_000_000n]) assert.equal(sizeOf(9_500n, 10_070n, block), 255)
  assert.equal(sizeOf(9_000_000n, 9_500_000n, 30_000_000n), 1)
  assert.equal(sizeOf(60_000_000n, 61_000_000n, 30_000_000n), 1)
  // Nineteen full batches hold 4,845 orders; one more batch, of 242 each, would hold 4,840.
  assert.equal(sizeOf(10_000n, 20_000n, 51_000_000n), 255)
  // Ten full batches use exactly 96 % of the block, or a little less: then eleven of 241 hold more.
  assert.equal(sizeOf(10_000n, 10_000n, 26_562_500n), 255)
  assert.equal(sizeOf(10_000n, 10_000n, 26_562_501n), 241)
  // Fourteen full batches hold as many as fifteen of 238.
  assert.equal(sizeOf(10_000n, 19_000n, 38_000_000n), 255)
})

test('as many batches wait as two blocks take, never fewer than eight nor more than nodes keep', () => {
  const limitOf = (block: bigint) => unminedLimitFor({ used: 9_500n, limit: 10_070n }, block)
  // A full batch asks for 2,567,850 gas and uses 2,422,500: twelve fit into 30 million.
  assert.deepEqual([3_000_000n, 10_000_000n, 30_000_000n, 200_000_000n].map(limitOf), [8, 8, 24, 64])
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
