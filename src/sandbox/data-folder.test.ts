import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/temp.ts'
import { StartError } from '../start/start-failure.ts'
import { makeDataFolder } from './data-folder.ts'

const refusal = (folder: string, why: RegExp) =>
  assert.throws(
    () => makeDataFolder(folder),
    (error) => {
      assert.ok(error instanceof StartError)
      assert.equal(error.message.split('\n').length, 1)
      assert.ok(error.message.startsWith(`The data folder ${folder} cannot be used: `), error.message)
      assert.match(error.message, why)
      return error.message.endsWith(' Choose another one with DATA_DIR.')
    },
  )

test('makes the folder and those above it, for their owner alone, and leaves one that is there', () => {
  const root = temporaryFolder()
  const folder = path.join(root, 'a', 'b')
  makeDataFolder(folder)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  writeFileSync(path.join(folder, 'kept'), '')
  makeDataFolder(folder)
  assert.deepEqual(readdirSync(folder), ['kept'])
})

test('says what is wrong with it, in one sentence', () => {
  const root = temporaryFolder()
  const file = path.join(root, 'file')
  writeFileSync(file, '')
  mkdirSync(path.join(root, 'folder'))
  refusal(file, /it is a file/)
  refusal(path.join(file, 'below'), /a part of its path is a file|it is a file/)
  refusal(path.join(root, 'n'.repeat(300)), /its name is too long/)
  if (process.platform === 'linux') refusal('/proc/no-such-folder', /it cannot be made there/)
})
