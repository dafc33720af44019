import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SendOutcome } from './send.ts'
import { createSlots } from './slots.ts'

const answered = (durationMs: number): SendOutcome => ({
  httpStatus: 204,
  error: null,
  durationMs,
  responseExcerpt: '',
})
const after = (durationMs: number) => () => Promise.resolve(answered(durationMs))

test('counts what is in flight, in all and by endpoint', () => {
  const slots = createSlots({ total: 4, slowMs: 1000 })
  for (const endpoint of ['a', 'a', 'b']) slots.take(endpoint)
  assert.equal(slots.free(), 1)
  assert.deepEqual(Object.fromEntries(slots.inFlight), { a: 2, b: 1 })
  slots.release('b')
  assert.equal(slots.free(), 2)
  assert.deepEqual(Object.fromEntries(slots.inFlight), { a: 2 })
})

test('slow endpoints together have half the slots until they answer fast again', async () => {
  const slots = createSlots({ total: 8, slowMs: 1000 })
  assert.equal(slots.freeForSlow(), 4)
  for (const endpoint of ['a', 'a', 'b']) slots.take(endpoint)
  await slots.watch('a', after(1001))
  await slots.watch('b', after(1001))
  await slots.watch('c', after(1000))
  assert.deepEqual([...slots.slowEndpoints], ['a', 'b'])
  assert.equal(slots.freeForSlow(), 1)
  await slots.watch('a', after(20))
  assert.deepEqual([...slots.slowEndpoints], ['b'])
  assert.equal(slots.freeForSlow(), 3)
})

test('an endpoint counts as slow even before its answer comes', async () => {
  const slots = createSlots({ total: 8, slowMs: 5 })
  await slots.watch('a', async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.deepEqual([...slots.slowEndpoints], ['a'])
    return answered(50)
  })
  assert.deepEqual([...slots.slowEndpoints], ['a'])
})
