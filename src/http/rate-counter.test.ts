import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryRateCounter, windowStartOf } from './rate-counter.ts'
import { limitOf, standingOf } from './rate-limit.ts'

test('windows begin with UTC minutes', () => {
  assert.equal(windowStartOf(Date.parse('2026-03-01T10:00:59.999Z')), Date.parse('2026-03-01T10:00:00Z') / 1000)
  assert.equal(windowStartOf(Date.parse('2026-03-01T10:01:00Z')), Date.parse('2026-03-01T10:01:00Z') / 1000)
})

test('counts by key, bucket and window; looking does not count', () => {
  const counter = createMemoryRateCounter()
  assert.deepEqual([counter.hit('a', 'read', 60), counter.hit('a', 'read', 60)], [1, 2])
  assert.equal(counter.hit('b', 'read', 60), 1)
  assert.equal(counter.hit('a', 'write', 60), 1)
  assert.deepEqual([counter.peek('a', 'read', 60), counter.peek('a', 'read', 60)], [2, 2])
  assert.equal(counter.hit('a', 'read', 120), 1)
  assert.equal(counter.hit('a', 'read', 60), 3, 'a request that began in the window before is counted there')
  assert.equal(counter.hit('a', 'read', 180), 1)
  assert.equal(counter.peek('a', 'read', 180), 1)
})

test('a clock that was ahead for a while stops nobody once it is right', () => {
  const counter = createMemoryRateCounter()
  assert.deepEqual([counter.hit('a', 'read', 60), counter.hit('a', 'read', 86_400)], [1, 1])
  assert.equal(counter.hit('a', 'read', 120), 1)
  assert.deepEqual([counter.hit('a', 'read', 120), counter.hit('a', 'read', 180)], [2, 1])
  assert.equal(counter.hit('a', 'read', 240), 1)
  assert.deepEqual([counter.hit('a', 'read', 180), counter.hit('a', 'read', 300)], [2, 1])
})

test('a standing never has fewer than 0 requests left, and waits at least a second', () => {
  const at = 119_999
  assert.deepEqual(standingOf(2, 1, at), {
    exceeded: false,
    limit: 2,
    remaining: 1,
    resetAt: 120,
    retryAfterSeconds: 1,
  })
  assert.equal(standingOf(2, 2, at).exceeded, false)
  assert.deepEqual([standingOf(2, 3, at).exceeded, standingOf(2, 3, at).remaining], [true, 0])
  assert.equal(standingOf(2, 3, 60_000).retryAfterSeconds, 60)
})

test('a limit of the key overrides the configured one', () => {
  const rates = { read: 2, write: null, balances: null }
  const defaults = { read: 9, write: 8, balances: 7 }
  assert.deepEqual([limitOf({ rates }, 'read', defaults), limitOf({ rates }, 'write', defaults)], [2, 8])
})
