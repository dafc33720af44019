import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import { fillBlocks, limitOf, roomBehind } from './fill.ts'
import { expectedGas } from './gas.ts'

const BLOCK = 30_000_000n
const EMPTY = () => true
const FULL = () => false
const address = (seed: number) => `0x${seed.toString(16).padStart(40, '0')}`

const order = (index: number, direction: PendingOrder['direction'] = 'MINT'): PendingOrder => ({
  ...{ orderId: BigInt(index), integrationId: 'i', referenceId: String(index), direction, amountMicro: 1n },
  walletAddress: address(index),
  debitAddress: direction === 'MINT' ? null : address(1_000_000 + index),
})
const mints = (count: number) => Array.from({ length: count }, (_, index) => order(index))
const countsOf = (batches: readonly { orders: readonly unknown[] }[]) => batches.map(({ orders }) => orders.length)
const fill = (orders: readonly PendingOrder[], room: bigint, isEmpty = FULL) =>
  fillBlocks(orders, { size: 255, room, blockGasLimit: BLOCK }, isEmpty)

test('what waits is put into blocks as they take it: each asks for its limit and leaves what it does not use', () => {
  assert.equal(roomBehind([], BLOCK), BLOCK)
  assert.equal(roomBehind([{ limit: 7n, expected: 3n }], 10n), 7n)
  const three = { limit: 7n, expected: 3n }
  assert.equal(roomBehind([three, three], 10n), 4n)
  assert.equal(roomBehind([three, three, three], 10n), 7n, 'the third begins the next block')
  assert.equal(roomBehind([three, { limit: 8n, expected: 3n }], 10n), 7n, 'and so does one that asks for too much')
})

test('batches are whole while their limits fit, then as large as fits, and no smaller than is worth it', () => {
  const batches = fill(mints(4_000), BLOCK)
  const counts = countsOf(batches)
  const end = counts.findIndex((count, index) => index > 0 && count > (counts[index - 1] ?? 0))
  const block = batches.slice(0, end)
  assert.deepEqual(counts.slice(0, end), [...Array<number>(11).fill(255), 180, 122, 82, 53, 33])
  let left = BLOCK
  for (const { orders, expected } of block) {
    assert.ok(limitOf(orders, BLOCK) <= left)
    left -= expected
  }
  assert.ok(limitOf(mints(20), BLOCK) > left, 'twenty more would have fitted')
  assert.ok(limitOf(mints((counts[end - 1] ?? 0) + 1), BLOCK) > left + (block.at(-1)?.expected ?? 0n), 'one more would')
  assert.equal(counts[end], 255, 'the next block begins with a whole one')
})

test('the first batches go into what the blocks before have left', () => {
  const room = limitOf(mints(100), BLOCK)
  assert.deepEqual(countsOf(fill(mints(600), room)).slice(0, 1), [100])
  assert.deepEqual(countsOf(fill(mints(600), room + 1n)).slice(0, 1), [100])
  assert.deepEqual(countsOf(fill(mints(600), room - 1n)).slice(0, 1), [99])
  assert.deepEqual(countsOf(fill(mints(600), limitOf(mints(19), BLOCK))), [255, 255], 'too few for one of their own')
  assert.deepEqual(countsOf(fill(mints(600), limitOf(mints(20), BLOCK))).slice(0, 2), [20, 255])
})

test('a partly filled batch is left out behind others, and taken alone', () => {
  assert.deepEqual(countsOf(fill(mints(300), BLOCK)), [255])
  assert.deepEqual(countsOf(fill(mints(255), BLOCK)), [255])
  assert.deepEqual(countsOf(fill(mints(30), BLOCK)), [30])
  assert.deepEqual(countsOf(fill(mints(3), BLOCK)), [3])
  assert.deepEqual(countsOf(fill(mints(3), 1n)), [3], 'in the next block')
  assert.deepEqual(fill([], BLOCK), [])
})

test('wallets without coin use more, so that fewer batches fit; what they ask for is the same', () => {
  const firstBlock = (isEmpty: () => boolean) => {
    const counts = countsOf(fill(mints(4_000), BLOCK, isEmpty))
    const end = counts.findIndex((count, index) => index > 0 && count > (counts[index - 1] ?? 0))
    return counts.slice(0, end).reduce((sum, count) => sum + count, 0)
  }
  assert.ok(firstBlock(FULL) > 2.5 * firstBlock(EMPTY))
})

test('whatever is due: everything is in one batch at most, in its sequence, within its size and its block, and under load blocks are full', () => {
  const kind = fc.constantFrom<PendingOrder['direction']>('MINT', 'REDEEM', 'TRANSFER')
  const due = fc.record({
    kinds: fc.array(kind, { minLength: 1, maxLength: 3_000, size: 'max' }),
    room: fc.bigInt({ min: 0n, max: BLOCK }),
    emptyOneIn: fc.integer({ min: 1, max: 9 }),
  })
  fc.assert(
    fc.property(due, ({ kinds, room, emptyOneIn }) => {
      const orders = kinds.map((direction, index) => order(index, direction))
      const isEmpty = (wallet: string) => Number.parseInt(wallet.slice(-4), 16) % emptyOneIn === 0
      const batches = fillBlocks(orders, { size: 255, room, blockGasLimit: BLOCK }, isEmpty)
      const taken = batches.flatMap((batch) => batch.orders)
      assert.deepEqual(taken, orders.slice(0, taken.length))
      assert.ok(batches.length > 0 && orders.length - taken.length < 255)
      let left = room
      for (const { orders: own, expected } of batches) {
        assert.ok(own.length >= 1 && own.length <= 255)
        assert.ok(expected >= expectedGas(own, isEmpty))
        const limit = limitOf(own, BLOCK)
        if (limit > left) {
          // 20 mints or transfers ask for less than a million.
          assert.ok(left < 1_000_000n, `a block ends with ${left} gas left`)
          left = BLOCK
        }
        left -= expected
      }
    }),
    { numRuns: 60, endOnFailure: true },
  )
})
