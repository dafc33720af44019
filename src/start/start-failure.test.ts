import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { childEnvironment } from '../../test/support/child-environment.ts'
import { freePort } from '../../test/support/ports.ts'
import { temporaryFolder } from '../../test/support/temp.ts'
import { DatabaseUnavailableError } from '../db/database.ts'
import { checkPort, describeStartFailure } from './start-failure.ts'

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

test('a standby that was not promoted is there, and is said to be one', () => {
  const standby = new DatabaseUnavailableError('cannot execute LISTEN during recovery (SQLSTATE 25006)')
  assert.match(describeStartFailure(standby), /^The database lets nobody write: .* a standby that was not promoted\?$/)
})

test('a host that is not this machine is one sentence: some shells set HOST for themselves', async () => {
  for (const host of ['no-such-host.invalid', '192.0.2.1'])
    await assert.rejects(checkPort({ host, port: 0, setting: 'OPERATOR_PORT' }), {
      name: 'StartError',
      message: `OPERATOR_HOST is ${host}, which is no address of this machine. Set it to one; 127.0.0.1 always is.`,
    })
})

test('what nobody foresaw is shown whole', () => {
  assert.match(describeStartFailure(new Error('unforeseen')), /unforeseen\n +at /)
})

test('what is printed ends no start where its reader has ended or its disk is full', async () => {
  const nobody = `postgres://nobody@127.0.0.1:${await freePort()}/nothing`
  const full = process.platform === 'linux' ? [openSync('/dev/full', 'w')] : []
  for (const output of ['pipe' as const, ...full]) {
    const env = { ...childEnvironment(), DATA_DIR: temporaryFolder('printing'), PORT: '0', OPERATOR_PORT: '0' }
    const program = spawn(process.execPath, [path.join(import.meta.dirname, '../main.ts')], {
      env: { ...env, DATABASE_URL: nobody },
      stdio: ['ignore', output, 'pipe'],
    })
    program.stdout?.once('data', () => program.stdout?.destroy())
    const [said, [code]] = await Promise.all([text(program.stderr ?? assert.fail()), once(program, 'exit')])
    assert.match(said, /^The database cannot be reached: /)
    assert.equal(code, 1)
  }
  for (const each of full) closeSync(each)
})
