import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isWindowOver, nextAttemptAt, RETRY_DELAYS_MS, RETRY_WINDOW_MS } from './schedule.ts'

const created = new Date('2026-01-31T12:00:00Z')
const after = (ms: number) => new Date(created.getTime() + ms)

test('waits 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 8 h, 8 h: 23 h 36 min in all', () => {
  assert.deepEqual(
    RETRY_DELAYS_MS.map((ms) => ms / 1000),
    [5, 60, 300, 1800, 7200, 18_000, 28_800, 28_800],
  )
  let at = created
  const waits: number[] = []
  for (let failed = 1; ; failed += 1) {
    const next = nextAttemptAt(failed, created, at, 0)
    if (next === undefined) break
    waits.push(next.getTime() - at.getTime())
    at = next
  }
  assert.deepEqual(waits, RETRY_DELAYS_MS)
  assert.equal(at.getTime() - created.getTime(), (23 * 60 + 36) * 60_000 + 5000)
})

test('comes up to 10 % earlier, never later', () => {
  for (const [index, delayMs] of RETRY_DELAYS_MS.entries()) {
    assert.deepEqual(nextAttemptAt(index + 1, created, created, 0), after(delayMs))
    assert.deepEqual(nextAttemptAt(index + 1, created, created, 1), after(delayMs * 0.9))
  }
})

test('ends after nine attempts', () => {
  assert.ok(nextAttemptAt(8, created, created, 0))
  assert.equal(nextAttemptAt(9, created, created, 0), undefined)
})

test('an attempt that would fall after the window is made at its end instead, and is the last', () => {
  const last = nextAttemptAt(8, created, after(RETRY_WINDOW_MS - 3_600_000), 0)
  assert.deepEqual(last, after(RETRY_WINDOW_MS - 30_000))
  for (const lateMs of [30_000, 29_000])
    assert.equal(nextAttemptAt(2, created, after(RETRY_WINDOW_MS - lateMs), 0), undefined)
})

test('whatever delays attempts, none begins after 24 hours, and there are nine at most', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(12 * 3_600_000), { minLength: 12, maxLength: 12 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (late, random) => {
        let due: Date | undefined = created
        let attempts = 0
        while (due !== undefined) {
          const begun: Date = new Date(due.getTime() + (late[attempts] ?? 0))
          if (isWindowOver(created, begun)) break
          assert.ok(begun.getTime() < created.getTime() + RETRY_WINDOW_MS)
          attempts += 1
          due = nextAttemptAt(attempts, created, new Date(begun.getTime() + 5000), random)
        }
        assert.ok(attempts <= 9)
      },
    ),
  )
})

test('the window is over just before 24 hours', () => {
  assert.equal(isWindowOver(created, after(RETRY_WINDOW_MS - 5001)), false)
  assert.equal(isWindowOver(created, after(RETRY_WINDOW_MS - 5000)), true)
})
