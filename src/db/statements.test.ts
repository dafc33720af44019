import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStatementNames } from './statements.ts'

test('a text has a name from its second use on, always the same', () => {
  const nameOf = createStatementNames(10)
  assert.equal(nameOf('select 1'), undefined)
  const name = nameOf('select 1')
  assert.ok(name)
  assert.equal(nameOf('select 1'), name)
  nameOf('select 2')
  assert.notEqual(nameOf('select 2'), name)
})

test('no more texts than allowed are remembered', () => {
  const nameOf = createStatementNames(1)
  nameOf('select 1')
  nameOf('select 2')
  assert.equal(nameOf('select 2'), undefined)
  assert.ok(nameOf('select 1'))
})

test('a text with a condition that only some of its calls have is never named', () => {
  const nameOf = createStatementNames(10)
  for (const text of ['select 1 where $1::text is null or $1 = $2', 'select 1 where ($2 is null or 1 = $2)']) {
    nameOf(text)
    assert.equal(nameOf(text), undefined)
  }
  const other = 'select 1 where claimed_until is null or $1 = 1'
  nameOf(other)
  assert.ok(nameOf(other))
})
