// engine: pglite
/** Who has exported a token of their own, for commands, and starts the service in the same shell. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeToken, newOperatorId } from '../../src/operators/operator.ts'
import { temporaryFolder } from '../support/temp.ts'
import { codeOf, launch } from './sandbox-process.ts'

test('a token of a person does not become the one of the service, and the start says what to do', async () => {
  const { token } = makeToken(newOperatorId())
  const refused = await launch({ DATA_DIR: temporaryFolder('own-token'), OPERATOR_TOKEN: token })
  try {
    assert.equal(await codeOf(refused), 1)
    assert.match(refused.output(), /^OPERATOR_TOKEN is a person's own token, .*env -u OPERATOR_TOKEN/m)
    assert.ok(!refused.output().includes(token))
  } finally {
    await refused.end('SIGKILL')
  }
})
