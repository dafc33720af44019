import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { DatabaseUnavailableError } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import { createErrorHandler } from './failure.ts'

/** What the handler answers and logs for an error. */
function handled(
  error: unknown,
  raw: { destroyed: boolean; complete: boolean } = { destroyed: false, complete: true },
) {
  const logged: { level: string; fields: { err?: unknown; correlationId?: unknown } }[] = []
  const level = (name: string) => (fields: object) => void logged.push({ level: name, fields })
  const logger = { error: level('error'), warn: level('warn') } as unknown as Logger
  const sent = { status: 0, text: '' }
  const reply = {
    code(status: number) {
      sent.status = status
      return reply
    },
    header: () => reply,
    send(text: string) {
      sent.text = text
      return reply
    },
  }
  const request = { id: 'correlation-1', raw } as unknown as FastifyRequest
  createErrorHandler(logger)(error, request, reply as unknown as FastifyReply)
  return { ...sent, error: (JSON.parse(sent.text) as { error: Record<string, unknown> }).error, logged }
}

test('an unexpected error answers its correlation id alone; its text goes to the log', () => {
  const secret = 'connection to postgres://user:canary@db failed'
  for (const thrown of [
    new Error(secret),
    new TypeError(secret),
    Object.assign(new Error(secret), { code: 'X' }),
    secret,
    null,
  ]) {
    const { status, text, error, logged } = handled(thrown)
    assert.deepEqual([status, error.code, error.meta], [500, 'SERVER_ERROR', { correlationId: 'correlation-1' }])
    assert.doesNotMatch(text, /canary/)
    assert.deepEqual(logged, [{ level: 'error', fields: { err: thrown, correlationId: 'correlation-1' } }])
  }
})

test('a database that is away is 503 without saying why; the log says it', () => {
  const away = new DatabaseUnavailableError('canary: connection refused')
  const { status, text, error, logged } = handled(away)
  assert.deepEqual([status, error.code, error.meta], [503, 'SERVICE_UNAVAILABLE', undefined])
  assert.doesNotMatch(text, /canary/)
  assert.deepEqual(logged, [{ level: 'warn', fields: { err: away, correlationId: 'correlation-1' } }])
})

test("a refusal answers its code and meta, and is nobody's fault in the log", () => {
  const { status, error, logged } = handled(new ApiError('POLICY_REJECTED', { reason: 'wallet_frozen' }))
  assert.deepEqual([status, error.code, error.meta], [400, 'POLICY_REJECTED', { reason: 'wallet_frozen' }])
  assert.deepEqual(logged, [])
})

test('a client that left in its body is at fault, and no other error of ours is its', () => {
  assert.equal(handled(new Error('aborted'), { destroyed: true, complete: false }).error.code, 'BAD_REQUEST')
  assert.equal(handled(new Error('bug'), { destroyed: true, complete: true }).error.code, 'SERVER_ERROR')
  assert.equal(handled(new Error('bug'), { destroyed: false, complete: false }).error.code, 'SERVER_ERROR')
})
