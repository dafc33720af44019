import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BUCKET, type BucketName } from '../../chain/instructions.ts'
import type { PendingOrder } from '../tables/queues.sql.ts'
import { selectOrders, splitIntoBatches } from './select.ts'
import { afterTurns, FIRST_TURNS, type Turns } from './turns.ts'

const INTEGRATIONS = ['a', 'b', 'c'] as const
const BUCKETS = ['mint', 'burn', 'transfer'] as const
const PLENTY = { mint: 10n ** 9n, burn: 10n ** 9n, transfer: 10n ** 9n }
type Sketch = { integrationId: string; direction: PendingOrder['direction']; amountMicro: bigint }

const waiting = (sketches: readonly Sketch[], from = 0) =>
  sketches.map((sketch, index) => ({ ...sketch, orderId: BigInt(from + index), walletAddress: '' }) as PendingOrder)
const sketch = fc.record({
  integrationId: fc.constantFrom(...INTEGRATIONS),
  direction: fc.constantFrom('MINT' as const, 'REDEEM' as const, 'TRANSFER' as const),
  amountMicro: fc.bigInt({ min: 1n, max: 100n }),
})
const pendingOrders = fc.array(sketch, { maxLength: 40 }).map((sketches) => waiting(sketches))
const bucketOf = ({ direction }: PendingOrder) => BUCKET[direction]
const sum = (orders: readonly PendingOrder[]) => orders.reduce((total, { amountMicro }) => total + amountMicro, 0n)
const mints = (integrationId: string, count: number, amountMicro = 10n): Sketch[] =>
  Array.from({ length: count }, () => ({ integrationId, direction: 'MINT', amountMicro }))
const of = (orders: readonly PendingOrder[], integrationId: string) =>
  orders.filter((order) => order.integrationId === integrationId)

test('a selection fits the buckets, and within an integration and a bucket nobody is overtaken', () => {
  const left = fc.bigInt({ min: -50n, max: 500n })
  const rooms = fc.record({ mint: left, burn: left, transfer: left })
  const history = pendingOrders.map((orders) => afterTurns(FIRST_TURNS, orders))
  fc.assert(
    fc.property(pendingOrders, rooms, fc.integer({ min: 1, max: 50 }), history, (pending, room, most, turns) => {
      const { orders, blocked } = selectOrders(pending, room, most, turns)
      assert.ok(orders.length <= most)
      for (const bucket of BUCKETS) {
        const inBucket = (list: readonly PendingOrder[]) => list.filter((order) => bucketOf(order) === bucket)
        const taken = inBucket(orders)
        if (taken.length > 0) assert.ok(sum(taken) <= room[bucket])
        for (const integration of INTEGRATIONS) {
          const own = of(taken, integration)
          assert.deepEqual(own, inBucket(of(pending, integration)).slice(0, own.length))
        }
        const isLeft = taken.length < inBucket(pending).length
        if (blocked.has(bucket)) assert.ok(isLeft)
        else if (isLeft) assert.equal(orders.length, most)
      }
    }),
  )
})

test('one that waits alone goes by age, whatever the kinds, while there is room', () => {
  fc.assert(
    fc.property(fc.array(sketch, { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (sketches, most) => {
      const pending = waiting(sketches.map((one) => ({ ...one, integrationId: 'a' })))
      assert.deepEqual(selectOrders(pending, PLENTY, most, FIRST_TURNS).orders, pending.slice(0, most))
    }),
  )
})

test('a full batch is shared: nobody has two places more than another that still waits', () => {
  fc.assert(
    fc.property(pendingOrders, fc.integer({ min: 1, max: 40 }), (pending, most) => {
      const { orders } = selectOrders(pending, PLENTY, most, FIRST_TURNS)
      for (const left of INTEGRATIONS.filter((one) => of(orders, one).length < of(pending, one).length)) {
        for (const other of INTEGRATIONS) assert.ok(of(orders, other).length <= of(orders, left).length + 1)
      }
    }),
  )
})

test('places go round: nobody gets a further one before everybody who waits has had as many', () => {
  fc.assert(
    fc.property(pendingOrders, pendingOrders, (pending, history) => {
      const { orders } = selectOrders(pending, PLENTY, 50, afterTurns(FIRST_TURNS, history))
      const places = orders.map((order) => of(orders, order.integrationId).indexOf(order))
      assert.deepEqual(
        places,
        places.toSorted((x, y) => x - y),
      )
    }),
  )
})

test('in a round, who has had fewer turns at the bucket is first, also within one selection', () => {
  const [mint, transfer] = [{ direction: 'MINT' as const }, { direction: 'TRANSFER' as const }]
  const pending = waiting([
    { integrationId: 'a', amountMicro: 1n, ...mint },
    { integrationId: 'b', amountMicro: 1n, ...transfer },
    { integrationId: 'a', amountMicro: 1n, ...mint },
    { integrationId: 'b', amountMicro: 1n, ...mint },
  ])
  const chosen = (turns: Turns) => selectOrders(pending, PLENTY, 4, turns).orders.map(({ orderId }) => Number(orderId))
  assert.deepEqual(chosen(FIRST_TURNS), [0, 1, 3, 2])
  // Both have had one mint before their second places: the older order is first.
  assert.deepEqual(chosen(afterTurns(FIRST_TURNS, waiting(mints('b', 1)))), [0, 1, 2, 3])
})

/** Lets the mint bucket gain `refill` a round, up to `capacity`; returns in which round each order went. */
function rounds(begin: readonly PendingOrder[], { refill, capacity, count, arrive }: Flow): Map<bigint, number> {
  const went = new Map<bigint, number>()
  let [pending, turns, room]: [PendingOrder[], Turns, bigint] = [[...begin], FIRST_TURNS, 0n]
  for (let round = 0; round < count; round += 1) {
    room = room + refill < capacity ? room + refill : capacity
    pending.push(...(arrive?.(round) ?? []))
    const { orders } = selectOrders(pending, { ...PLENTY, mint: room }, 1_000, turns)
    turns = afterTurns(turns, orders)
    room -= sum(orders.filter((order) => bucketOf(order) === 'mint'))
    for (const { orderId } of orders) went.set(orderId, round)
    pending = pending.filter((order) => !orders.includes(order))
  }
  return went
}
type Flow = { refill: bigint; capacity: bigint; count: number; arrive?: (round: number) => PendingOrder[] }

test('while a bucket trickles, a single order behind ten thousand of another integration goes next', () => {
  const flood = waiting(mints('a', 10_000))
  const single = waiting([...mints('b', 1), ...mints('c', 1)], 10_000)
  const arrive = (round: number) => (round === 20 ? single : [])
  const went = rounds(flood, { refill: 10n, capacity: 100n, count: 40, arrive })
  assert.deepEqual([went.get(10_000n), went.get(10_001n)].sort(), [20, 21])
  assert.equal(went.get(19n), 19)
  assert.ok((went.get(20n) ?? 0) <= 22, 'the other goes on')
})

test('integrations that all wait share a trickling bucket order by order, and each by age', () => {
  const pending = waiting([...mints('a', 30), ...mints('b', 30), ...mints('c', 30)])
  const went = rounds(pending, { refill: 10n, capacity: 100n, count: 30 })
  for (const integration of INTEGRATIONS) {
    const own = of(pending, integration).filter(({ orderId }) => went.has(orderId))
    assert.equal(own.length, 10)
    const when = own.map(({ orderId }) => went.get(orderId) ?? 0)
    assert.deepEqual(
      when,
      when.toSorted((x, y) => x - y),
    )
  }
})

test('an order that needs the whole bucket is passed once by each other integration, and not starved by a stream of small ones', () => {
  const large = waiting([{ integrationId: 'a', direction: 'MINT', amountMicro: 100n }])
  const arrive = (round: number) => waiting([...mints('b', 1), ...mints('c', 1)], 1 + 2 * round)
  const went = rounds(large, { refill: 10n, capacity: 100n, count: 60, arrive })
  assert.deepEqual([went.get(1n), went.get(2n)].sort(), [0, 1], 'what came later and fits is not held back')
  assert.ok((went.get(0n) ?? 60) <= 12, String(went.get(0n)))
  const later = [...went].filter(([, round]) => round > 15).length
  assert.ok(later > 20, 'and then the others go on')
})

test('nobody saves turns up by being quiet', () => {
  const flood = waiting(mints('a', 100))
  const burst = waiting(mints('b', 100), 1_000)
  const went = rounds(flood, { refill: 10n, capacity: 10n, count: 60, arrive: (round) => (round === 40 ? burst : []) })
  const after = [...went].filter(([, round]) => round >= 40)
  assert.equal(after.filter(([orderId]) => orderId >= 1_000n).length, 10)
})

test('turns at one bucket are not those at another', () => {
  const went = afterTurns(FIRST_TURNS, waiting(mints('a', 50)))
  const pending = waiting([
    { integrationId: 'b', direction: 'TRANSFER', amountMicro: 10n },
    { integrationId: 'a', direction: 'TRANSFER', amountMicro: 10n },
    ...mints('a', 1),
    ...mints('b', 1),
  ]).toSorted((x, y) => Number(y.orderId - x.orderId))
  const chosen = (bucket: BucketName) =>
    selectOrders(pending, { ...PLENTY, [bucket]: 10n }, 10, went).orders.filter((order) => bucketOf(order) === bucket)
  assert.deepEqual(
    chosen('mint').map(({ integrationId }) => integrationId),
    ['b'],
  )
  assert.deepEqual(
    chosen('transfer').map(({ integrationId }) => integrationId),
    ['b'],
  )
  const other = afterTurns(FIRST_TURNS, waiting(mints('b', 50)))
  const [first] = selectOrders(pending, { ...PLENTY, transfer: 10n }, 10, other).orders
  assert.equal(first?.integrationId, 'b', 'who had mints is not behind with transfers')
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
