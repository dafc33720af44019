import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'
import { whyNotDone } from './no-arguments.ts'

const MAIN = path.join(import.meta.dirname, '../main.ts')

test('what was given no arguments is done', () => {
  assert.equal(whyNotDone('This does it.', []), undefined)
  assert.match(whyNotDone('This does it.', ['--help', 'x']) ?? '', /^This does it\. .*--help: nothing was done\.$/)
})

test('the service is not started by who gives it a setting as an argument, or asks for help', () => {
  for (const argument of ['--help', '--roles=api', '5000']) {
    const env = { COIN_ENVIRONMENT: 'live' }
    const { status, stderr } = spawnSync(process.execPath, [MAIN, argument], { env, encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, /^This starts the service\. .* environment variables alone .* nothing was done\.\n$/)
  }
})
