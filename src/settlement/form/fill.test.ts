import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import { fillBlocks, limitOf, type Queued, type Room, roomBehind, withinBlock } from './fill.ts'
import { expectedGas, gasLimitWanted, worstGas } from './gas.ts'

const BLOCK = 30_000_000n
const EMPTY = () => true
const FULL = () => false
const address = (seed: number) => `0x${seed.toString(16).padStart(40, '0')}`

const order = (index: number, direction: PendingOrder['direction'] = 'MINT'): PendingOrder => ({
  orderId: BigInt(index),
  integrationId: 'i',
  referenceId: String(index),
  direction,
  amountMicro: 1n,
  walletAddress: address(index),
  debitAddress: direction === 'MINT' ? null : address(1_000_000 + index),
})
const mints = (count: number) => Array.from({ length: count }, (_, index) => order(index))
const countsOf = (batches: readonly { orders: readonly unknown[] }[]) => batches.map(({ orders }) => orders.length)
const within = (room: Room) => ({ size: 255, room, blockGasLimit: BLOCK })
/** With nothing under way but what leaves so much of the next block. */
const fill = (orders: readonly PendingOrder[], left: bigint, isEmpty = FULL) =>
  fillBlocks(orders, within({ left, earlier: 0n }), isEmpty).batches

test('what waits is put into blocks as they take it: each asks for its limit and leaves what it does not use', () => {
  assert.deepEqual(roomBehind([], BLOCK), { left: BLOCK, earlier: 0n })
  const three = { limit: 70n, expected: 30n }
  assert.deepEqual(roomBehind([three], 100n), { left: 70n, earlier: 0n })
  assert.deepEqual(roomBehind([three, three], 100n), { left: 40n, earlier: 0n })
  const nextBlock = roomBehind([three, three, three], 100n)
  assert.deepEqual(
    nextBlock,
    { left: 70n, earlier: 50n },
    'the third begins the next block, and 40 or some more are left',
  )
  const tooMuch = { limit: 71n, expected: 30n }
  assert.deepEqual(
    roomBehind([three, tooMuch], 100n),
    { left: 70n, earlier: 80n },
    'so does one that asks for too much',
  )
  const more = [three, tooMuch, three, three, three]
  assert.deepEqual(roomBehind(more, 100n), { left: 40n, earlier: 80n }, 'what the first block leaves is not forgotten')
})

test('what an earlier block may have room for is formed when that block has come', () => {
  const own = limitOf(mints(100), BLOCK)
  const second = (earlier: bigint) => fillBlocks(mints(600), within({ left: own, earlier }), FULL)
  const tooEarly = second(own)
  assert.deepEqual(tooEarly, { batches: [], isFull: true })
  const inTime = second(own - 1n)
  assert.deepEqual(countsOf(inTime.batches).slice(0, 1), [100])
  const both = fillBlocks(mints(9_000), within({ left: BLOCK, earlier: 0n }), FULL)
  assert.equal(both.isFull, true)
  const counts = countsOf(both.batches)
  const first = counts.findIndex((count, index) => count > (counts[index - 1] ?? 255))
  assert.deepEqual(counts.slice(first), [...Array<number>(11).fill(255), 180], 'of the second block all but its end')
  assert.equal(fillBlocks(mints(300), within({ left: BLOCK, earlier: 0n }), FULL).isFull, false)
})

/** Batches that a node drops: behind one that does not fit into a block, of which less is used than expected, they would. */
function droppedOf(queue: readonly Queued[], percentUsed: bigint): Queued[] {
  let left = BLOCK
  const next = queue.findIndex(({ limit, expected }) => {
    if (limit > left) return true
    left -= (expected * percentUsed) / 100n
    return false
  })
  return next < 0 ? [] : queue.slice(next + 1).filter(({ limit }) => limit <= left)
}

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
  assert.deepEqual(countsOf(fill(mints(3), 1n)), [], 'when this block has come')
  assert.deepEqual(fill([], BLOCK), [])
})

test('no batch needs more than a block has, whatever those before it were of', () => {
  const blockGasLimit = 3_000_000n
  const isWithin = (orders: readonly PendingOrder[]) => gasLimitWanted(worstGas(orders)) <= blockGasLimit
  const block = { size: 189, room: { left: blockGasLimit, earlier: 0n }, blockGasLimit }
  const { batches } = fillBlocks(mints(600), block, EMPTY)
  assert.ok(batches.length > 0 && batches.every(({ orders }) => isWithin(orders)), String(countsOf(batches)))
  const partly = withinBlock(mints(188), blockGasLimit)
  assert.deepEqual(partly, mints(partly.length))
  assert.ok(isWithin(partly) && !isWithin(mints(partly.length + 1)), String(partly.length))
  assert.deepEqual(withinBlock(mints(partly.length), blockGasLimit), partly, 'what fits stays whole')
  assert.equal(withinBlock(mints(3), 1n).length, 1, 'one at least')
  assert.deepEqual(withinBlock([], blockGasLimit), [])
  const most = withinBlock(
    Array.from({ length: 2_000 }, (_, index) => order(index)),
    100_000_000n,
  )
  assert.ok(gasLimitWanted(worstGas(most)) <= 16_777_216n, 'nor more than a transaction may ask for')
})

test('wallets without coin use more, so that fewer batches fit; what they ask for is the same', () => {
  const firstBlock = (isEmpty: () => boolean) => {
    const counts = countsOf(fill(mints(4_000), BLOCK, isEmpty))
    const end = counts.findIndex((count, index) => index > 0 && count > (counts[index - 1] ?? 0))
    return counts.slice(0, end).reduce((sum, count) => sum + count, 0)
  }
  assert.ok(firstBlock(FULL) > 2.5 * firstBlock(EMPTY))
})

test('whatever is due: everything is in one batch at most, in its sequence, within its size and its block, blocks are full under load, and none loses what is behind', () => {
  const kind = fc.constantFrom<PendingOrder['direction']>('MINT', 'REDEEM', 'TRANSFER')
  const due = fc.record({
    kinds: fc.array(kind, { minLength: 1, maxLength: 3_000, size: 'max' }),
    room: fc.bigInt({ min: 0n, max: BLOCK }),
    emptyOneIn: fc.integer({ min: 1, max: 9 }),
    percentUsed: fc.bigInt({ min: 91n, max: 100n }),
  })
  fc.assert(
    fc.property(due, ({ kinds, room, emptyOneIn, percentUsed }) => {
      const orders = kinds.map((direction, index) => order(index, direction))
      const isEmpty = (wallet: string) => Number.parseInt(wallet.slice(-4), 16) % emptyOneIn === 0
      const before = { limit: BLOCK, expected: BLOCK - room }
      const { batches, isFull } = fillBlocks(orders, within(roomBehind([before], BLOCK)), isEmpty)
      const taken = batches.flatMap((batch) => batch.orders)
      assert.deepEqual(taken, orders.slice(0, taken.length))
      assert.ok(isFull || (batches.length > 0 && orders.length - taken.length < 255))
      const formed = batches.map(({ orders: own, expected }) => ({ limit: limitOf(own, BLOCK), expected }))
      assert.deepEqual(droppedOf([before, ...formed], percentUsed), [])
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
