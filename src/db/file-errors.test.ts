import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/temp.ts'
import { toDatabaseError } from './failures.ts'
import { readFileError } from './file-errors.ts'

/** As the embedded database throws it. */
const thrown = (errno: number) => ({ name: 'ErrnoError', errno })

test('says of which file the system spoke, and why', () => {
  const folder = temporaryFolder()
  assert.throws(
    () => mkdirSync(folder),
    (error) => {
      assert.deepEqual(readFileError(error), { file: folder, why: 'it is a file' })
      return true
    },
  )
  assert.deepEqual(readFileError({ code: 'ELOOP', path: '/a' }), { file: '/a', why: 'the system says ELOOP' })
})

test('understands what the embedded database throws, and no query fails with [object Object]', () => {
  assert.deepEqual(readFileError(thrown(51)), { file: undefined, why: 'its disk is full' })
  assert.deepEqual(readFileError(thrown(7)), { file: undefined, why: 'the system says error 7' })
  assert.equal(toDatabaseError(thrown(51)).message, 'the data folder cannot be used: its disk is full')
})

test('leaves every other error alone', () => {
  for (const error of [new Error('no'), new TypeError('no'), { code: '23505' }, null, undefined, 'text', 7])
    assert.equal(readFileError(error), undefined)
})
