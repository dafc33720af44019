import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSlots } from './slots.ts'

test('counts what is in flight, in all and by endpoint', () => {
  const slots = createSlots({ total: 4, perEndpoint: 2 })
  slots.take('a')
  slots.take('a')
  slots.take('b')
  assert.equal(slots.free(), 1)
  assert.deepEqual(
    [...slots.inFlight],
    [
      ['a', 2],
      ['b', 1],
    ],
  )
  slots.release('b', 1)
  assert.equal(slots.free(), 2)
  assert.deepEqual([...slots.inFlight], [['a', 2]])
})

test('says when something may have waited: all slots taken, an endpoint at its share, or a slow one', () => {
  const slots = createSlots({ total: 3, perEndpoint: 2 })
  slots.take('a')
  assert.equal(slots.release('a', 1), false)
  slots.take('a')
  slots.take('a')
  assert.equal(slots.release('a', 1), true)
  slots.take('b')
  slots.take('c')
  assert.equal(slots.release('b', 1), true)
  assert.equal(slots.release('c', 5000), false)
  slots.take('c')
  assert.equal(slots.release('c', 1), true)
})

test('slow endpoints together have half of the slots until they answer fast again', () => {
  const slots = createSlots({ total: 8, perEndpoint: 4 })
  assert.equal(slots.freeForSlow(), 4)
  for (const endpoint of ['a', 'a', 'b']) slots.take(endpoint)
  slots.release('a', 5000)
  slots.release('b', 5000)
  assert.deepEqual([...slots.slowEndpoints], ['a', 'b'])
  assert.equal(slots.freeForSlow(), 3)
  slots.release('a', undefined)
  assert.deepEqual([...slots.slowEndpoints], ['a', 'b'])
  slots.take('a')
  slots.release('a', 20)
  assert.deepEqual([...slots.slowEndpoints], ['b'])
})
