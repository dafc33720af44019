import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Approval } from '../../operators/approval.ts'
import { createSecretBox } from '../../secrets/secrets.ts'
import { OperatorError } from '../errors.ts'
import { sealRequest } from './sealed-request.ts'
import { hasChanged } from './seen.ts'

const secrets = createSecretBox(new Uint8Array(32).fill(1))
const answering = (query: () => Promise<unknown>) => ({ query }) as never
const tx = answering(() => Promise.resolve([]))
const kept = { body: { integrationId: 'int_1' }, digest: 'd', seen: 's', key: null }
const approvalOf = (command: string) =>
  ({
    approvalId: 'apr_1',
    command,
    method: 'POST',
    path: '/operator/v1/x',
    body: sealRequest(secrets, 'apr_1', kept),
  }) as Approval
/** Whether approving a payout's retry is in vain when its payout is looked for like this. */
const changedWhen = (find: () => Promise<unknown>) =>
  hasChanged({ secrets }, answering(find), approvalOf('payout retry'))

test('what no key opens, and a command that is no more, are not called changed', async () => {
  const others = createSecretBox(new Uint8Array(32).fill(2))
  assert.equal(await hasChanged({ secrets: others }, tx, approvalOf('chain resume')), false)
  assert.equal(await hasChanged({ secrets }, tx, approvalOf('chain explode')), false)
})

test('what is there no more has changed; what cannot be looked at just now has not', async () => {
  assert.equal(await changedWhen(() => Promise.resolve([])), true)
  for (const code of ['SERVICE_UNAVAILABLE', 'SERVER_ERROR', 'CHAIN_UNAVAILABLE'] as const) {
    const away = new OperatorError(code, 'Away.')
    await assert.rejects(
      changedWhen(() => Promise.reject(away)),
      away,
    )
  }
  const fault = new TypeError('a fault of ours')
  await assert.rejects(
    changedWhen(() => Promise.reject(fault)),
    fault,
  )
})
