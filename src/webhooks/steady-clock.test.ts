import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSteadyClock, STEADY_MS } from './steady-clock.ts'

const DAY_MS = 24 * 3_600_000

function watched() {
  let [now, elapsed] = [Date.UTC(2026, 0, 1), 5_000]
  const untilSteadyMs = createSteadyClock(
    () => now,
    () => elapsed,
  )
  return {
    untilSteadyMs,
    pass(ms: number, clockMs = ms) {
      elapsed += ms
      now += clockMs
      return untilSteadyMs()
    },
  }
}

test('a clock is believed an hour after the process began', () => {
  const { untilSteadyMs, pass } = watched()
  assert.equal(untilSteadyMs(), STEADY_MS)
  assert.equal(pass(STEADY_MS - 1), 1)
  assert.equal(pass(1), 0)
  assert.equal(pass(DAY_MS), 0)
})

test('after a jump, either way, it takes another hour', () => {
  const { pass } = watched()
  pass(STEADY_MS)
  assert.equal(pass(1_000, 1_000 + DAY_MS), STEADY_MS)
  assert.equal(pass(STEADY_MS / 2), STEADY_MS / 2)
  assert.equal(pass(1_000, 1_000 - DAY_MS), STEADY_MS)
  assert.equal(pass(STEADY_MS), 0)
})

test('a clock that is put right little by little has not jumped', () => {
  const { pass } = watched()
  pass(STEADY_MS)
  for (let look = 0; look < 100; look += 1) assert.equal(pass(1_000, 61_000), 0)
  assert.equal(pass(1_000, 61_001), STEADY_MS)
})
