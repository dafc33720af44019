import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createLogger } from '../logs/logging.ts'
import { createRequestLog } from './request-log.ts'

/** Logs requests, each answered or given up at once. */
function logOf(
  requests: readonly { method: string; url?: string; pattern?: string; status: number; isSent?: boolean }[],
) {
  const lines: Record<string, unknown>[] = []
  const observed: unknown[] = []
  const logger = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const log = createRequestLog(logger, { observe: ({ seconds: _, ...rest }) => void observed.push(rest) })
  for (const [place, { method, url, pattern, status, isSent = true }] of requests.entries()) {
    const raw = Object.assign(new EventEmitter(), { statusCode: status, writableFinished: isSent })
    const request = { method, id: `id-${place}`, apiKey: { keyId: `key-${place}` }, routeOptions: { url }, pattern }
    log(request as unknown as FastifyRequest, { raw } as unknown as FastifyReply)
    raw.emit('close')
  }
  return { lines, observed }
}

test('each line and each observation has its own route, method and status, whatever came before', () => {
  const requests = [
    { method: 'GET', url: '/v1/a', status: 200 },
    { method: 'GET', url: '/v1/a', status: 404 },
    { method: 'POST', url: '/v1/a', status: 200 },
    { method: 'GET', url: '/v1/b', status: 200 },
    { method: 'GET', url: '/v1/a', status: 200 },
    { method: 'GET', status: 404 },
  ]
  const expected = requests.map(({ method, url: route = 'unmatched', status }) => ({ method, route, status }))
  const { lines, observed } = logOf(requests)
  assert.deepEqual(
    lines.map(({ method, route, status }) => ({ method, route, status })),
    expected,
  )
  assert.deepEqual(observed, expected)
  assert.deepEqual(
    lines.map(({ keyId, correlationId, msg, aborted }) => [keyId, correlationId, msg, aborted]),
    requests.map((_, place) => [`key-${place}`, `id-${place}`, 'request', undefined]),
  )
})

test('a request whose client left before the answer was sent is marked', () => {
  const { lines } = logOf([{ method: 'GET', url: '/v1/a', status: 200, isSent: false }])
  assert.equal(lines[0]?.aborted, true)
})

test('the pattern that a route has noted is its route', () => {
  assert.equal(logOf([{ method: 'GET', pattern: '/v1/{a}', status: 200 }]).lines[0]?.route, '/v1/{a}')
})
