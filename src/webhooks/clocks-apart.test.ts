import assert from 'node:assert/strict'
import { test } from 'node:test'
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
