import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BUCKET } from '../../chain/instructions.ts'
import { isOfHouse, REFUNDS } from '../../values/house.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import { chooseOrders } from './choose.ts'
import { selectOrders } from './select.ts'
import { FIRST_TURNS } from './turns.ts'

type Sketch = readonly [integrationId: string, direction: PendingOrder['direction'], amountMicro: bigint]

const waiting = (sketches: readonly Sketch[]) =>
  sketches.map(
    ([integrationId, direction, amountMicro], index) =>
      ({ integrationId, direction, amountMicro, orderId: BigInt(index), walletAddress: '' }) as PendingOrder,
  )
const ROOM = { mint: 100n, burn: 100n, transfer: 100n }
const LIMITS = { inBuckets: ROOM, room: ROOM, maxCount: 10, turns: FIRST_TURNS, shortOfReserve: false }
const short = (coveredMicro: bigint) => ({ ...LIMITS, shortOfReserve: true, room: { ...ROOM, mint: coveredMicro } })
const idsOf = (orders: readonly PendingOrder[]) => orders.map(({ orderId }) => Number(orderId))

const kind = fc.constantFrom<Sketch[0 | 1][]>(['a', 'MINT'], ['b', 'MINT'], [REFUNDS, 'MINT'], ['a', 'REDEEM'])
const orders = fc
  .array(fc.tuple(kind, fc.bigInt({ min: 1n, max: 60n })), { maxLength: 20 })
  .map((list) => waiting(list.map(([[who, direction], amount]) => [who, direction, amount] as Sketch)))
const mintedOf = (list: readonly PendingOrder[]) =>
  list.reduce((sum, { direction, amountMicro }) => sum + (BUCKET[direction] === 'mint' ? amountMicro : 0n), 0n)

test('while the reserve covers what the chain has room for, it changes nothing', () => {
  fc.assert(
    fc.property(orders, (pending) => {
      const { orders: chosen, blocked } = chooseOrders(pending, LIMITS)
      assert.deepEqual({ orders: chosen, blocked }, selectOrders(pending, ROOM, 10, FIRST_TURNS))
    }),
  )
})

test('what is chosen fits the chain, its mints fit the reserve, and what is minted back comes first and needs none', () => {
  fc.assert(
    fc.property(
      orders,
      fc.bigInt({ min: 0n, max: 100n }),
      fc.integer({ min: 1, max: 12 }),
      (pending, covered, most) => {
        const { orders: chosen, blocked } = chooseOrders(pending, { ...short(covered), maxCount: most })
        assert.ok(chosen.length <= most)
        assert.equal(new Set(chosen).size, chosen.length)
        assert.ok(mintedOf(chosen) <= ROOM.mint)
        assert.ok(mintedOf(chosen.filter((order) => !isOfHouse(order))) <= covered)
        const back = chosen.filter(isOfHouse)
        assert.deepEqual(chosen.slice(0, back.length), back)
        const backWaits = pending.filter(isOfHouse).length - back.length
        if (backWaits > 0 && chosen.length < most) assert.ok(blocked.has('mint'))
      },
    ),
  )
})

test('no mint takes the room that a larger one, which is minted back, still waits for', () => {
  const pending = waiting([
    ['a', 'MINT', 5n],
    [REFUNDS, 'MINT', 150n],
    ['a', 'REDEEM', 5n],
  ])
  const { orders: chosen, blocked } = chooseOrders(pending, short(50n))
  assert.deepEqual(idsOf(chosen), [2])
  assert.deepEqual([...blocked], ['mint'])
})

test('when none goes, it says whether the reserve or the chain is waited for', () => {
  const reasonOf = (sketches: readonly Sketch[], limits: Parameters<typeof chooseOrders>[1]) => {
    const { orders: chosen, waitsFor } = chooseOrders(waiting(sketches), limits)
    assert.deepEqual(chosen, [])
    return waitsFor
  }
  assert.equal(reasonOf([['a', 'MINT', 200n]], LIMITS), 'mint')
  assert.equal(reasonOf([['a', 'REDEEM', 200n]], LIMITS), 'burn')
  assert.equal(reasonOf([['a', 'MINT', 60n]], short(50n)), 'reserve')
  assert.equal(reasonOf([['a', 'REDEEM', 200n]], short(50n)), 'burn')
  const bothWait: Sketch[] = [
    ['a', 'MINT', 60n],
    [REFUNDS, 'MINT', 150n],
  ]
  assert.equal(reasonOf(bothWait, short(50n)), 'mint')
})
