import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_SEARCH, searchAfter, searchFrom } from './search.ts'

test('a search begins where the last one found something, and from the beginning once a second', () => {
  assert.equal(searchFrom(FIRST_SEARCH, 5_000), 0n)
  const first = searchAfter(FIRST_SEARCH, 0n, 40n, 5_000)
  assert.equal(searchFrom(first, 5_999), 40n)
  const second = searchAfter(first, 40n, 60n, 5_999)
  assert.equal(searchFrom(second, 5_999), 60n)
  assert.equal(searchFrom(second, 6_000), 0n)
  const full = searchAfter(second, 0n, 7n, 6_000)
  assert.equal(searchFrom(full, 6_999), 7n)
})

test('when nothing waits, the next search begins where the last one did', () => {
  const found = searchAfter(FIRST_SEARCH, 0n, 40n, 5_000)
  assert.equal(searchFrom(searchAfter(found, 40n, undefined, 5_100), 5_100), 40n)
  const nothing = searchAfter(FIRST_SEARCH, 0n, undefined, 5_000)
  assert.equal(searchFrom(nothing, 5_100), 0n)
})
