import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import { selectOrders, splitIntoBatches } from './select.ts'

const pendingOrders = fc
  .array(
    fc.record({
      direction: fc.constantFrom('MINT' as const, 'REDEEM' as const, 'TRANSFER' as const),
      amountMicro: fc.bigInt({ min: 1n, max: 100n }),
    }),
    { maxLength: 40 },
  )
  .map((orders) =>
    orders.map((order, index) => ({ ...order, orderId: BigInt(index), walletAddress: '' }) as PendingOrder),
  )
const BUCKETS = ['mint', 'burn', 'transfer'] as const
const bucketOf = ({ direction }: PendingOrder) => BUCKETS[['MINT', 'REDEEM', 'TRANSFER'].indexOf(direction)]
const sum = (orders: PendingOrder[]) => orders.reduce((total, { amountMicro }) => total + amountMicro, 0n)

test('a selection fits the buckets, keeps the order, and overtakes nobody within a bucket', () => {
  const left = fc.bigInt({ min: -50n, max: 500n })
  const rooms = fc.record({ mint: left, burn: left, transfer: left })
  fc.assert(
    fc.property(pendingOrders, rooms, fc.integer({ min: 1, max: 50 }), (pending, room, most) => {
      const { orders, blocked } = selectOrders(pending, room, most)
      assert.ok(orders.length <= most)
      for (const bucket of BUCKETS) {
        const taken = orders.filter((order) => bucketOf(order) === bucket)
        const wanting = pending.filter((order) => bucketOf(order) === bucket)
        assert.deepEqual(taken, wanting.slice(0, taken.length))
        if (taken.length > 0) assert.ok(sum(taken) <= room[bucket])
        const next = wanting[taken.length]
        if (blocked.has(bucket)) assert.ok(next !== undefined && sum([...taken, next]) > room[bucket])
        else if (next !== undefined) assert.equal(orders.length, most)
      }
    }),
  )
})

test('batches are full ones in order, or a single partly filled one', () => {
  fc.assert(
    fc.property(pendingOrders, fc.integer({ min: 1, max: 12 }), (pending, size) => {
      const batches = splitIntoBatches(pending, size)
      assert.deepEqual(batches.flat(), pending.slice(0, batches.flat().length))
      if (pending.length < size) assert.deepEqual(batches, [pending])
      else assert.ok(batches.every((batch) => batch.length === size) && pending.length - batches.flat().length < size)
    }),
  )
})
