import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../test/support/temp.ts'
import { DatabaseUnavailableError } from './db/database.ts'
import { describeStartFailure } from './start-failure.ts'

function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

test('a file that cannot be used is one sentence, from whichever part it comes', () => {
  const missing = path.join(temporaryFolder(), 'missing', 'folder')
  assert.equal(
    describeStartFailure(thrownBy(() => mkdirSync(missing))),
    `${missing} cannot be used: it cannot be made there.`,
  )
  assert.equal(
    describeStartFailure({ name: 'ErrnoError', errno: 51 }),
    'The data folder cannot be used: its disk is full.',
  )
})

test('a full disk of the database is no question of DATABASE_URL', () => {
  const full = new DatabaseUnavailableError('could not extend file "base/5/2608" (SQLSTATE 53100)')
  assert.match(describeStartFailure(full), /^The disk of the database is full: /)
  assert.match(describeStartFailure(new DatabaseUnavailableError('refused')), /Check DATABASE_URL/)
})

test('what nobody foresaw is shown whole', () => {
  assert.match(describeStartFailure(new Error('unforeseen')), /unforeseen\n +at /)
})
