// engine: pglite
/** Commands that share a process see nothing of one another. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CliResult, runCommand } from './commands.ts'

const NOWHERE = { OPERATOR_URL: 'http://127.0.0.1:1', OPERATOR_TOKEN: 'a-token' }

const codeOf = ({ stdout }: CliResult): string => JSON.parse(stdout).error.code

describe('a command', () => {
  it('says in a shared process what it says in its own', async () => {
    const args = ['whoami', '--json']
    const own = await runCommand(args, NOWHERE)
    assert.deepEqual(await runCommand(args, NOWHERE), own)
    assert.deepEqual([own.code, codeOf(own)], [1, 'UNREACHABLE'])
    assert.match(own.stderr, /does not answer/)
  })

  it('runs beside another, too', async () => {
    const results = await Promise.all([1, 2, 3].map(() => runCommand(['whoami', '--json'], NOWHERE)))
    assert.deepEqual(results.map(codeOf), ['UNREACHABLE', 'UNREACHABLE', 'UNREACHABLE'])
  })

  it('keeps nothing of the one before: neither options, nor environment, nor exit code', async () => {
    const list = ['audit', 'list', '--json']
    assert.equal(codeOf(await runCommand(list, NOWHERE)), 'UNREACHABLE')
    assert.equal(codeOf(await runCommand([...list, '--reason', 'ticket 17'], NOWHERE)), 'USAGE')
    assert.equal(codeOf(await runCommand(list, NOWHERE)), 'UNREACHABLE')
    assert.equal(codeOf(await runCommand(list, { ...NOWHERE, OPERATOR_URL: 'ftp://nowhere' })), 'SETTINGS')
    assert.equal(codeOf(await runCommand(list, NOWHERE)), 'UNREACHABLE')
    assert.equal((await runCommand(['audit', 'list', '--help'], NOWHERE)).code, 0)
  })
})
