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
    orders.map(
      (order, index): PendingOrder => ({ ...order, orderId: BigInt(index), walletAddress: '', debitAddress: null }),
    ),
  )
const bucketOf = ({ direction }: PendingOrder) => (direction === 'MINT' ? 'mint' : 'debit')
const sum = (orders: PendingOrder[]) => orders.reduce((total, { amountMicro }) => total + amountMicro, 0n)

test('a selection fits the buckets, keeps the sequence, and overtakes nobody within a bucket', () => {
  const room = fc.record({
    mintMicro: fc.bigInt({ min: -50n, max: 500n }),
    debitMicro: fc.bigInt({ min: -50n, max: 500n }),
  })
  fc.assert(
    fc.property(pendingOrders, room, fc.integer({ min: 1, max: 50 }), (pending, { mintMicro, debitMicro }, most) => {
      const { orders, blocked } = selectOrders(pending, { mintMicro, debitMicro }, most)
      assert.ok(orders.length <= most)
      for (const [bucket, available] of [
        ['mint', mintMicro],
        ['debit', debitMicro],
      ] as const) {
        const taken = orders.filter((order) => bucketOf(order) === bucket)
        const wanting = pending.filter((order) => bucketOf(order) === bucket)
        assert.deepEqual(taken, wanting.slice(0, taken.length))
        if (taken.length > 0) assert.ok(sum(taken) <= available)
        const next = wanting[taken.length]
        if (blocked[bucket]) assert.ok(next !== undefined && sum([...taken, next]) > available)
        else if (next !== undefined) assert.equal(orders.length, most)
      }
    }),
  )
})

test('batches are full ones in sequence, or a single part-filled one', () => {
  fc.assert(
    fc.property(pendingOrders, fc.integer({ min: 1, max: 12 }), (pending, size) => {
      const batches = splitIntoBatches(pending, size)
      assert.deepEqual(batches.flat(), pending.slice(0, batches.flat().length))
      if (pending.length < size) assert.deepEqual(batches, [pending])
      else assert.ok(batches.every((batch) => batch.length === size) && pending.length - batches.flat().length < size)
    }),
  )
})
