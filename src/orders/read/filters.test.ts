import assert from 'node:assert/strict'
import { test } from 'node:test'
import { badField, type FieldName } from '../../bad-fields.ts'
import { encodeCursor } from './cursor.ts'
import { parseOrderFilters } from './filters.ts'

function filtersOf(query: Record<string, unknown>) {
  const parsed = parseOrderFilters('int_1', query)
  assert.ok(parsed.ok)
  return parsed.filters
}

test('without parameters it is the newest fifty', () => {
  assert.deepEqual(filtersOf({ unknown: ['x'] }), {
    direction: undefined,
    status: undefined,
    createdAfter: undefined,
    before: undefined,
    limit: 50,
  })
})

test('every bad parameter is named', () => {
  const bad: Record<string, unknown[]> = {
    direction: ['mint', 'BURN', '', ['MINT', 'MINT']],
    status: ['PENDING', 'done', '', ['pending', 'failed']],
    createdAfter: ['yesterday', '2026-01-01T00:00:00', '', ['2026-01-01', '2026-01-02']],
    createdBefore: ['2026-02-30', '', ['2026-01-01', '2026-01-02']],
    limit: ['0', '101', '-1', '1.5', '1e1', '050', ' 5', '', 5, ['5', '6']],
    cursor: ['x', '', ['a', 'b']],
  }
  for (const [field, values] of Object.entries(bad)) {
    for (const value of values) {
      const parsed = parseOrderFilters('int_1', { [field]: value })
      assert.deepEqual(!parsed.ok && parsed.refusal, badField(field as FieldName), `${field}=${value}`)
    }
  }
})

test('the page starts at the cursor or before the given instant, whichever is earlier', () => {
  const place = { createdAt: new Date('2026-03-01T00:00:00.000Z'), orderId: 12n }
  const cursor = encodeCursor('int_1', place)
  assert.deepEqual(filtersOf({ cursor }).before, place)
  assert.deepEqual(filtersOf({ cursor, createdBefore: '2026-03-02' }).before, place)
  const earlier = { createdAt: new Date('2026-02-01T00:00:00.000Z'), orderId: 0n }
  assert.deepEqual(filtersOf({ cursor, createdBefore: '2026-02-01' }).before, earlier)
})

test('a fraction below the millisecond includes the millisecond that lies before it', () => {
  const { createdAfter, before } = filtersOf({
    createdAfter: '2026-03-01T00:00:00.1235Z',
    createdBefore: '2026-03-01T00:00:00.5001Z',
  })
  assert.equal(createdAfter?.toISOString(), '2026-03-01T00:00:00.123Z')
  assert.equal(before?.createdAt.toISOString(), '2026-03-01T00:00:00.501Z')
})

test('limits from 1 to 100 are taken', () => {
  for (const limit of [1, 9, 10, 99, 100]) assert.equal(filtersOf({ limit: String(limit) }).limit, limit)
})
