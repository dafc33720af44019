import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
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
  // One endpoint's deliveries end one by one.
  slots.release('a')
  assert.equal(slots.free(), 3)
  assert.deepEqual(Object.fromEntries(slots.inFlight), { a: 1 })
  slots.release('a')
  assert.equal(slots.free(), 4)
  assert.deepEqual(Object.fromEntries(slots.inFlight), {})
})

test('slow endpoints together have half the slots until they have answered fast eight times in a row', async () => {
  const slots = createSlots({ total: 8, slowMs: 1000 })
  assert.equal(slots.freeForSlow(), 4)
  for (const endpoint of ['a', 'a', 'b']) slots.take(endpoint)
  await slots.watch('a', after(1001))
  await slots.watch('b', after(1001))
  await slots.watch('c', after(1000))
  assert.deepEqual([...slots.slowEndpoints], ['a', 'b'])
  assert.equal(slots.freeForSlow(), 1)
  for (const durations of [Array.from({ length: 7 }, () => 20), [1001], Array.from({ length: 7 }, () => 1000)])
    for (const durationMs of durations) await slots.watch('a', after(durationMs))
  assert.deepEqual([...slots.slowEndpoints], ['b', 'a'])
  await slots.watch('a', after(20))
  assert.deepEqual([...slots.slowEndpoints], ['b'])
  assert.equal(slots.freeForSlow(), 3)
})

test('what became slow while it had more than half of the slots leaves none to the slow ones, and takes none when it has ended', async () => {
  const slots = createSlots({ total: 4, slowMs: 1000 })
  for (const endpoint of ['a', 'a', 'a']) slots.take(endpoint)
  await slots.watch('a', after(1001))
  assert.equal(slots.freeForSlow(), 0)
  for (const endpoint of ['a', 'a', 'a']) slots.release(endpoint)
  assert.equal(slots.freeForSlow(), 2)
})

test('an endpoint counts as slow even before its answer comes', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const slots = createSlots({ total: 8, slowMs: 1000 })
    await slots.watch('a', async () => {
      mock.timers.tick(999)
      assert.deepEqual([...slots.slowEndpoints], [])
      mock.timers.tick(1)
      assert.deepEqual([...slots.slowEndpoints], ['a'])
      return answered(1001)
    })
    assert.deepEqual([...slots.slowEndpoints], ['a'])
  } finally {
    mock.timers.reset()
  }
})

test('an endpoint stays slow that answers some deliveries at once and lets others hang', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const slots = createSlots({ total: 8, slowMs: 1000 })
    for (let n = 0; n < 4; n += 1) slots.take('a')
    const hanging = [Promise.withResolvers<SendOutcome>(), Promise.withResolvers<SendOutcome>()]
    const watched = hanging.map(({ promise }) => slots.watch('a', () => promise))
    mock.timers.tick(1000)
    const eightFast = async () => {
      for (let n = 0; n < 8; n += 1) await slots.watch('a', after(20))
    }
    await eightFast()
    assert.deepEqual([[...slots.slowEndpoints], slots.freeForSlow()], [['a'], 0])
    hanging[0]?.resolve(answered(5000))
    await watched[0]
    await eightFast()
    assert.deepEqual([...slots.slowEndpoints], ['a'])
    hanging[1]?.reject(new Error('the process is at its end'))
    await assert.rejects(watched[1] ?? Promise.resolve(), /at its end/)
    await eightFast()
    assert.deepEqual([...slots.slowEndpoints], [])
  } finally {
    mock.timers.reset()
  }
})

test('an endpoint that has answered in time is not slow later on', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const slots = createSlots({ total: 8, slowMs: 1000 })
    await slots.watch('a', after(1000))
    mock.timers.tick(60_000)
    assert.deepEqual([...slots.slowEndpoints], [])
  } finally {
    mock.timers.reset()
  }
})

test('of a thousand slow endpoints and more those are known that were slow last', async () => {
  const slots = createSlots({ total: 8, slowMs: 1000 })
  for (let n = 0; n < 1_000; n += 1) await slots.watch(`e${n}`, after(1001))
  await slots.watch('e0', after(1001))
  await slots.watch('one more', after(1001))
  const { slowEndpoints: slow } = slots
  assert.deepEqual([slow.size, slow.has('e0'), slow.has('e1'), slow.has('one more')], [1_000, true, false, true])
})
