import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSteadyClock, STEADY_MS, WATCHED_MS } from './steady-clock.ts'

const DAY_MS = 24 * 3_600_000

function watched(machineUpMs = 0) {
  let [now, elapsed] = [Date.UTC(2026, 0, 1), 5_000]
  const untilSteadyMs = createSteadyClock(
    () => now,
    () => elapsed,
    () => machineUpMs,
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

test('a clock is believed an hour after its machine began', () => {
  const { untilSteadyMs, pass } = watched()
  assert.equal(untilSteadyMs(), STEADY_MS)
  assert.equal(pass(STEADY_MS - 1), 1)
  assert.equal(pass(1), 0)
  assert.equal(pass(DAY_MS), 0)
})

test('what the machine has run before counts, but for the ten minutes that a process must have seen itself', () => {
  for (const [upMs, waitMs] of [
    [STEADY_MS / 2, STEADY_MS / 2],
    [STEADY_MS - WATCHED_MS - 1, WATCHED_MS + 1],
    [STEADY_MS - 1, WATCHED_MS],
    [400 * DAY_MS, WATCHED_MS],
  ] as const) {
    const { untilSteadyMs, pass } = watched(upMs)
    assert.equal(untilSteadyMs(), waitMs)
    assert.equal(pass(waitMs), 0)
    assert.equal(pass(1_000, 1_000 + DAY_MS), STEADY_MS, 'a jump that the process has seen counts whole')
  }
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
