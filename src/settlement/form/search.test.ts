import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_SEARCH, searchAfter, searchFrom } from './search.ts'

const order = (integrationId: string, orderId: bigint) => ({ integrationId, orderId, direction: 'MINT' as const })
const BEGINNING = { from: new Map(), othersFrom: 0n }

test('a search begins in each queue where the last one found something, and from the beginning once a second', () => {
  const start = searchFrom(FIRST_SEARCH, 5_000)
  assert.deepEqual(start, BEGINNING)
  const first = searchAfter(FIRST_SEARCH, start, [order('a', 41n), order('a', 40n), order('b', 70n)], 5_000)
  const marks = searchFrom(first, 5_999)
  assert.deepEqual(marks, {
    from: new Map([
      ['a MINT', 40n],
      ['b MINT', 70n],
    ]),
    othersFrom: 40n,
  })
  const second = searchAfter(first, marks, [order('b', 80n), order('b', 81n)], 5_999)
  assert.deepEqual(searchFrom(second, 5_999), {
    from: new Map([
      ['a MINT', 40n],
      ['b MINT', 80n],
    ]),
    othersFrom: 80n,
  })
  assert.deepEqual(searchFrom(second, 6_000), BEGINNING)
  const full = searchAfter(second, searchFrom(second, 6_000), [order('a', 7n)], 6_000)
  assert.equal(searchFrom(full, 6_999).from.get('a MINT'), 7n)
})

test('when nothing waits, the next search begins where the last one did', () => {
  const found = searchAfter(FIRST_SEARCH, searchFrom(FIRST_SEARCH, 5_000), [order('a', 40n)], 5_000)
  const marks = searchFrom(found, 5_100)
  assert.deepEqual(searchFrom(searchAfter(found, marks, [], 5_100), 5_100), marks)
  const nothing = searchAfter(FIRST_SEARCH, searchFrom(FIRST_SEARCH, 5_000), [], 5_000)
  assert.deepEqual(searchFrom(nothing, 5_100), BEGINNING)
})
