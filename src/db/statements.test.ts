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
