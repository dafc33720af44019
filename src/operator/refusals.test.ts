import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KeyActionLateError, KeyUnsignedError } from '../chain/key-action-errors.ts'
import { RpcAnswerError, RpcUnreachableError } from '../chain/node.ts'
import { NoQuorumError } from '../chain/quorum.ts'
import { ChainUnreadableError } from '../chain-errors.ts'
import { DatabaseUnavailableError, StatementCancelledError } from '../db/database.ts'
import { WebhookError } from '../webhooks/errors.ts'
import { OperatorError } from './errors.ts'
import { refusalOf } from './refusals.ts'

const SECRET = 'insert … values (hunter2)'

describe('the refusal that an operator sees', () => {
  it('of a route or the webhooks is passed on word for word', () => {
    const own = new OperatorError('CONFLICT', 'Enable it first.')
    assert.equal(refusalOf(own), own)
    for (const code of ['BAD_REQUEST', 'NOT_FOUND', 'CONFLICT'] as const) {
      const { code: seen, message } = refusalOf(new WebhookError(code, 'Rotate first.'))
      assert.deepEqual([seen, message], [code, 'Rotate first.'])
    }
  })

  it('names what is away, and repeats nothing of what it said', () => {
    const chain = [
      new ChainUnreadableError(SECRET),
      new NoQuorumError(SECRET),
      new RpcAnswerError('http://node', -32_000, SECRET, undefined),
      new RpcUnreachableError(SECRET),
    ]
    for (const error of chain) {
      const { code, message } = refusalOf(error)
      assert.deepEqual([code, message.includes('hunter2')], ['CHAIN_UNAVAILABLE', false], error.name)
    }
    assert.equal(refusalOf(new KeyActionLateError('pause: not stopped yet')).message, 'pause: not stopped yet.')
    const unsigned = refusalOf(new KeyUnsignedError('0xab', 'no such key'))
    assert.deepEqual(
      [unsigned.code, unsigned.message],
      [
        'CHAIN_UNAVAILABLE',
        'The signer of 0xab does not sign: no such key. See that the signer runs and holds that key, then run the command again: it is safe to repeat.',
      ],
    )
    for (const [error, says] of [
      [new DatabaseUnavailableError(SECRET), /^The database cannot be reached, or accepts no work now\./],
      [new StatementCancelledError(SECRET), /^The database answers, but took too long: something may have locked/],
    ] as const) {
      const { code, message } = refusalOf(error)
      assert.deepEqual([code, message.includes('hunter2')], ['SERVICE_UNAVAILABLE', false])
      assert.match(message, says)
    }
  })

  it('of anything else is one sentence that repeats nothing', () => {
    const unknown = [
      new Error(SECRET),
      new TypeError(SECRET),
      Object.assign(new Error(SECRET), { code: '23505', constraint: SECRET }),
      Object.assign(new Error(SECRET), { statusCode: 500 }),
      Object.assign(new Error(SECRET), { statusCode: 200 }),
      Object.assign(new Error(SECRET), { statusCode: '404' }),
      SECRET,
      { message: SECRET },
      { name: 'NoQuorumError' },
      null,
      undefined,
    ]
    for (const error of unknown) {
      const { code, message } = refusalOf(error)
      assert.deepEqual([code, message], ['SERVER_ERROR', 'An unexpected error occurred. See the service log.'])
    }
  })

  it('of the framework keeps its status, in words of its own', () => {
    const of = (statusCode: number) => refusalOf(Object.assign(new Error(SECRET), { statusCode }))
    for (const [statusCode, code] of [
      [400, 'BAD_REQUEST'],
      [415, 'BAD_REQUEST'],
      [499, 'BAD_REQUEST'],
      [413, 'PAYLOAD_TOO_LARGE'],
      [503, 'SERVICE_UNAVAILABLE'],
      [399, 'SERVER_ERROR'],
      [500, 'SERVER_ERROR'],
    ] as const) {
      const { code: seen, message } = of(statusCode)
      assert.deepEqual([seen, message.includes('hunter2')], [code, false], String(statusCode))
    }
  })

  it('of what is too large names the bounds of a command and of a bank file, for it may be either', () => {
    const { message } = refusalOf(Object.assign(new Error(SECRET), { statusCode: 413 }))
    assert.match(message, /64 KiB.*16 MiB/)
  })
})
