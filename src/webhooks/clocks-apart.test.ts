import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createClockComparison } from './clocks-apart.ts'

test('a database that is a minute ahead or behind is told of, and one that is less is not', () => {
  const now = new Date('2026-11-20T04:00:00Z')
  const toldOf = (databaseAheadSeconds: number) => {
    const told: object[] = []
    const compare = createClockComparison({ warn: (fields: object) => void told.push(fields) }, () => now)
    compare(new Date(now.getTime() + databaseAheadSeconds * 1_000))
    return told
  }
  assert.deepEqual(toldOf(60), [{ databaseAheadSeconds: 60 }])
  assert.deepEqual(toldOf(-60), [{ databaseAheadSeconds: -60 }])
  assert.deepEqual([...toldOf(59), ...toldOf(-59)], [])
})

test('a difference that stays is told of once a minute', (t: TestContext) => {
  let passedMs = 1_000
  t.mock.method(performance, 'now', () => passedMs)
  let told = 0
  const compare = createClockComparison({ warn: () => (told += 1) }, () => new Date(0))
  const toldAfter = (ms: number) => {
    passedMs += ms
    compare(new Date(90_000))
    return told
  }
  assert.deepEqual([0, 1, 59_998, 1, 59_999, 1].map(toldAfter), [1, 1, 1, 2, 2, 3])
})
