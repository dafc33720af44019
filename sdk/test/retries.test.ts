import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { waitFor } from '../../test/support/wait-for.ts'
import * as errors from '../src/errors.ts'
import { type AttemptReport, CoinApiError, CoinConnectionError, UNEXPECTED_RESPONSE } from '../src/index.ts'
import { SYSTEM_TIMERS } from '../src/timers.ts'
import { API_KEY, hangUp, json, order, type Reply, refusal, silence, startFaulty } from './faulty-server.ts'

const MINT = {
  referenceId: 'order-2026-0001',
  amountMyr: '1000.50',
  walletAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  customerId: 'cus_3f9c2a7d1e8b4c6f0a5d9e2b',
}

async function start(...given: Parameters<typeof startFaulty>) {
  const faulty = await startFaulty(...given)
  after(() => faulty.close())
  return faulty
}

const html =
  (status: number): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
  }

/** Its text breaks off. */
const torn =
  (status: number, headers: Record<string, string>): Reply =>
  (response) => {
    response.writeHead(status, { 'content-length': '1000', ...headers }).write('{"ok":false', () => response.destroy())
  }

test('what the contract says to retry is retried, with the same key and body', async () => {
  const failures = [
    refusal(429, 'RATE_LIMITED', { 'retry-after': '17' }),
    refusal(500, 'SERVER_ERROR', {}, { correlationId: 'c-1' }),
    refusal(502, 'SETTLEMENT_FAILED'),
    refusal(503, 'SERVICE_UNAVAILABLE'),
    refusal(504, 'A_CODE_OF_TOMORROW'),
    html(502),
    hangUp,
  ]
  const { client, seen, delays } = await start([...failures, json(201, order())], { maxRetries: 10 })
  assert.equal((await client.mints.create(MINT)).status, 'pending')
  assert.equal(seen.length, failures.length + 1)
  assert.equal(new Set(seen.map(({ body }) => body)).size, 1)
  assert.deepEqual(JSON.parse(seen[0]?.body ?? ''), MINT)
  const keys = new Set(seen.map(({ headers }) => headers['idempotency-key']))
  assert.equal(keys.size, 1)
  assert.match(String([...keys][0]), /^[0-9a-f-]{36}$/)
  assert.deepEqual(delays, [17_125, 375, 750, 1_500, 3_000, 6_000, 6_000])
})

test('every call has a key of its own, unless one is given', async () => {
  const { client, seen } = await start([json(201, order())])
  await client.mints.create(MINT)
  await client.mints.create(MINT)
  await client.mints.cancel('order-2026-0001', { idempotencyKey: 'mine' })
  const keys = seen.map(({ headers }) => headers['idempotency-key'])
  assert.equal(new Set(keys).size, 3)
  assert.equal(keys[2], 'mine')
})

test('nothing else is retried', async () => {
  const refused: [number, string][] = [
    [400, 'INVALID_AMOUNT'],
    [401, 'UNAUTHORIZED'],
    [403, 'SCOPE_DENIED'],
    [404, 'NOT_FOUND'],
    [408, 'REQUEST_TIMEOUT'],
    [409, 'IDEMPOTENCY_CONFLICT'],
    [413, 'PAYLOAD_TOO_LARGE'],
    [418, 'A_CODE_OF_TOMORROW'],
    [500, 'A_CODE_OF_TOMORROW'],
    [501, 'A_CODE_OF_TOMORROW'],
  ]
  for (const [status, code] of refused) {
    const { client, seen } = await start([refusal(status, code)])
    await assert.rejects(client.transactions.get('order-2026-0001'), {
      name: 'CoinApiError',
      code,
      status,
      retryable: false,
    })
    assert.equal(seen.length, 1, code)
  }
})

test("a redirect is never followed, and an answer from somebody else is not taken for the API's", async () => {
  const redirect: Reply = (response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end()
  for (const reply of [redirect, html(200), json(200, { ok: 1 }), json(200, []), html(404), html(500)]) {
    const { client, seen } = await start([reply])
    await assert.rejects(client.config(), { code: UNEXPECTED_RESPONSE, retryable: false })
    assert.equal(seen.length, 1)
  }
})

test('retries come to an end, and the error says how to continue', async () => {
  const { client, seen } = await start([refusal(503, 'SERVICE_UNAVAILABLE')], { maxRetries: 2 })
  const error: unknown = await client.mints.create(MINT).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof CoinApiError)
  assert.deepEqual([error.status, error.retryable, seen.length], [503, true, 3])
  assert.equal(error.idempotencyKey, seen[0]?.headers['idempotency-key'])
  await assert.rejects(client.health({ maxRetries: 0 }), { status: 503 })
  assert.equal(seen.length, 4)
})

test('an error of a POST says whether it may have been accepted: unless every attempt was refused with a 4xx, it may', async () => {
  const lost = refusal(401, 'UNAUTHORIZED')
  const stories: [Reply[], boolean][] = [
    [[lost], false],
    [[refusal(429, 'RATE_LIMITED'), lost], false],
    [[hangUp, lost], true],
    [[refusal(503, 'SERVICE_UNAVAILABLE'), lost], true],
    [[html(504), refusal(429, 'RATE_LIMITED', { 'retry-after': '121' })], true],
    [[hangUp, hangUp], true],
    [[html(200)], true],
    [[html(500)], true],
    // Neither says that the API has seen it, nor that it has not: what looks at answers on their way may put its own page in their place.
    [[html(403)], true],
    [[html(404)], true],
    [[json(403, { ok: false })], true],
    [[torn(400, { 'x-coin-api-version': 'v1' })], false],
    [[torn(400, {})], true],
    [[(response) => response.writeHead(302, { location: '/' }).end()], true],
  ]
  for (const [index, [replies, undecided]] of stories.entries()) {
    const { client } = await start(replies, { maxRetries: 1 })
    await assert.rejects(client.mints.create(MINT), { undecided }, String(index))
    const reading = await start(replies, { maxRetries: 1 })
    await assert.rejects(reading.client.config(), { undecided: false }, String(index))
  }
})

test('an error of the other build of the package is a CoinError, too, so that what is undecided is not taken for a refusal', async () => {
  const other = (await import(`${import.meta.resolve('../src/errors.ts')}?other`)) as typeof errors
  const facts = { timedOut: true, undecided: true }
  const ofOther = new other.CoinConnectionError('no answer', facts)
  assert.notEqual(other.CoinError, errors.CoinError)
  assert.ok(ofOther instanceof errors.CoinError)
  class Own extends errors.CoinError {}
  assert.deepEqual(
    [
      ofOther,
      new errors.CoinConnectionError('', facts),
      new Own('', { retryable: true }),
      new Error('x'),
      null,
      'x',
    ].map((thrown) => [thrown instanceof errors.CoinError, thrown instanceof Own]),
    [
      [true, false],
      [true, false],
      [true, true],
      [false, false],
      [false, false],
      [false, false],
    ],
  )
})

test('with a key of the caller, what refuses without looking for its answer says nothing of earlier calls', async () => {
  const stories: [number, string, boolean][] = [
    [401, 'UNAUTHORIZED', true],
    [403, 'IP_NOT_ALLOWED', true],
    [403, 'SCOPE_DENIED', true],
    [408, 'REQUEST_TIMEOUT', true],
    [429, 'RATE_LIMITED', true],
    [431, 'HEADERS_TOO_LARGE', true],
    [403, 'CUSTOMER_NOT_VERIFIED', false],
    [400, 'INSUFFICIENT_BALANCE', false],
    [404, 'NOT_FOUND', false],
    [409, 'IDEMPOTENCY_CONFLICT', false],
  ]
  for (const [status, code, undecided] of stories) {
    const { client } = await start([refusal(status, code)], { maxRetries: 1 })
    await assert.rejects(client.mints.create(MINT, { idempotencyKey: 'mine' }), { code, undecided }, code)
    await assert.rejects(client.mints.create(MINT), { code, undecided: false }, code)
  }
  // The last attempt has looked for it, and the one before was refused.
  for (const [first, undecided] of [
    [refusal(429, 'RATE_LIMITED'), false],
    [hangUp, true],
  ] as const) {
    const { client: busy } = await start([first, refusal(400, 'INSUFFICIENT_BALANCE')], { maxRetries: 1 })
    await assert.rejects(busy.mints.create(MINT, { idempotencyKey: 'mine' }), { status: 400, undecided })
  }
  const { client } = await start([torn(403, { 'x-coin-api-version': 'v1' })], { maxRetries: 0 })
  await assert.rejects(client.mints.create(MINT, { idempotencyKey: 'mine' }), { undecided: true })
})

test('a Retry-After of no time, or of a time that has passed by this clock, shortens no wait', async () => {
  for (const header of ['0', 'Sat, 31 Jan 2026 11:59:00 GMT']) {
    const busy = refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': header })
    const { client, delays } = await start([busy, busy, busy, json(201, order())])
    await client.mints.create(MINT)
    assert.deepEqual(delays, [187.5, 375, 750], header)
  }
})

test('a wait of more than two minutes is left to the caller', async () => {
  const { client, seen } = await start([refusal(429, 'RATE_LIMITED', { 'retry-after': '121' })])
  await assert.rejects(client.config(), { code: 'RATE_LIMITED', retryAfterMs: 121_000 })
  assert.equal(seen.length, 1)
  const { client: waiting, delays } = await start([
    refusal(429, 'RATE_LIMITED', { 'retry-after': '120' }),
    json(201, order()),
  ])
  await waiting.mints.create(MINT)
  assert.deepEqual(delays, [120_125])
})

test('a silent server is a timeout, retried; a lost connection too', async () => {
  const { client, seen } = await start([silence], { timeoutMs: 500, maxRetries: 1 })
  const error: unknown = await client.mints.create(MINT).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof CoinConnectionError)
  assert.deepEqual([error.timedOut, error.retryable, seen.length], [true, true, 2])
  assert.equal(error.idempotencyKey, seen[1]?.headers['idempotency-key'])

  const lost = await start([hangUp], { maxRetries: 1 })
  await assert.rejects(lost.client.config(), { name: 'CoinConnectionError', timedOut: false })
  assert.equal(lost.seen.length, 2)
})

test('why a connection failed stands in the message, which is what gets into logs', async () => {
  const { client, close } = await start([json(200, { ok: true })], { maxRetries: 0 })
  close()
  await assert.rejects(client.config(), { message: 'the connection failed: ECONNREFUSED' })
  const told = async (error: unknown) => {
    const { client: failing } = await start([], { maxRetries: 0, fetch: () => Promise.reject(error) })
    return ((await failing.config().catch((thrown: unknown) => thrown)) as Error).message
  }
  const loop = new Error('around')
  loop.cause = loop
  for (const error of [loop, undefined, 'a text', { code: 7 }, { code: `coin_live_${'x'.repeat(80)}` }])
    assert.equal(await told(error), 'the connection failed')
})

test('an answer that breaks off is no answer; an endless one is refused', async () => {
  const broken: Reply = (response) => {
    response.writeHead(201, { 'content-length': '1000' }).write('{"ok":true')
    response.destroy()
  }
  const { client, seen } = await start([broken, json(201, order())])
  await client.mints.create(MINT)
  assert.equal(seen.length, 2)

  const endless: Reply = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const chunk = 'x'.repeat(65_536)
    const more = () => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  }
  const flood = await start([endless])
  await assert.rejects(flood.client.config(), { code: UNEXPECTED_RESPONSE, retryable: false })
})

test('an answer that broke off is no answer either where the runtime takes it for whole, as Node 20 does with chunks', async () => {
  const torn =
    (status: string, framing: string, text: string): Reply =>
    (response) => {
      const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\n${framing}\r\n`
      response.socket?.end(head + text)
    }
  const replies = [
    torn('201 Created', '', '{"ok":true,"referenceId":"ord'),
    torn('201 Created', '', ''),
    torn('500 Internal Server Error', '', '{"ok":false,"error":{"code":"SERV'),
    torn('201 Created', 'transfer-encoding: chunked\r\n', '40\r\n{"ok":true,"referenceId":"ord'),
  ]
  const { client, seen } = await start([...replies, json(201, order())], { maxRetries: 4 })
  assert.equal((await client.mints.create(MINT)).status, 'pending')
  assert.equal(seen.length, 5)
  assert.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1)

  const given = await start(replies.slice(0, 1), { maxRetries: 1 })
  await assert.rejects(given.client.mints.create(MINT), { name: 'CoinConnectionError', timedOut: false })
  // What the status decides, it decides with a torn text too.
  const busy = await start([torn('503 Service Unavailable', 'retry-after: 3\r\n', '{"ok"'), json(201, order())])
  await busy.client.mints.create(MINT)
  assert.deepEqual(busy.delays, [3_125])
  for (const status of ['409 Conflict', '302 Found']) {
    const decided = await start([torn(status, '', '{"ok"')])
    await assert.rejects(decided.client.mints.create(MINT), { code: UNEXPECTED_RESPONSE, retryable: false })
    assert.equal(decided.seen.length, 1)
  }
})

test('an error page that is too long to be read is the error that its status says, and is retried as one', async () => {
  const page: Reply = (response) => {
    response.writeHead(503, { 'retry-after': '2', 'x-request-id': 'r-1' }).end('x'.repeat(2 * 1024 * 1024 + 1))
  }
  const heard: unknown[] = []
  const onAttempt = ({ status, correlationId }: AttemptReport) => heard.push([status, correlationId])
  const { client, seen, delays } = await start([page, json(201, order())], { onAttempt })
  assert.equal((await client.mints.create(MINT)).status, 'pending')
  assert.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1)
  assert.deepEqual(delays, [2_125])
  assert.deepEqual(heard[0], [503, 'r-1'])

  const forbidden = await start([(response) => response.writeHead(403).end('x'.repeat(2 * 1024 * 1024 + 1))])
  const error: unknown = await forbidden.client.config().catch((thrown: unknown) => thrown)
  assert.ok(error instanceof CoinApiError)
  assert.deepEqual([error.status, error.code, error.retryable], [403, UNEXPECTED_RESPONSE, false])
  assert.equal(error.answer?.text, '')
})

test('a refusal whose text breaks off, or never ends, is that refusal: what the contract lets nobody repeat is not repeated', async () => {
  const begun =
    (status: number, end: (response: ServerResponse) => void): Reply =>
    (response) => {
      response
        .writeHead(status, { 'content-length': '1000', 'retry-after': '3' })
        .write('{"ok":false', () => end(response))
    }
  const breaksOff = (response: ServerResponse) => void response.destroy()
  for (const end of [breaksOff, () => undefined]) {
    const { client, seen } = await start([begun(409, end)], { timeoutMs: 500 })
    await assert.rejects(client.mints.create(MINT), { code: UNEXPECTED_RESPONSE, status: 409, retryable: false })
    assert.equal(seen.length, 1)
  }
  const limited = await start([begun(429, breaksOff), begun(500, breaksOff), json(201, order())])
  await limited.client.mints.create(MINT)
  assert.deepEqual(limited.delays, [3_125, 375])

  const reason = new Error('enough')
  const controller = new AbortController()
  const given = await start([begun(409, () => setTimeout(() => controller.abort(reason), 50))])
  await assert.rejects(given.client.config({ signal: controller.signal }), reason)
})

test('an aborted call stops at once, with the reason', async () => {
  const reason = new Error('enough')
  const before = await start([json(200, { ok: true })])
  await assert.rejects(before.client.config({ signal: AbortSignal.abort(reason) }), reason)
  assert.equal(before.seen.length, 0)

  const controller = new AbortController()
  const during = await start([() => controller.abort(reason)])
  await assert.rejects(during.client.config({ signal: controller.signal }), reason)
  assert.equal(during.seen.length, 1)

  const between = new AbortController()
  const waiting = await start([refusal(503, 'SERVICE_UNAVAILABLE')], { onAttempt: () => between.abort(reason) })
  await assert.rejects(waiting.client.config({ signal: between.signal }), reason)
  assert.equal(waiting.seen.length, 1)
})

test('an attempt that was aborted is heard of too: what it posted may have been accepted', async () => {
  const heard: unknown[] = []
  const onAttempt = ({ attempt, code, status, retryInMs }: AttemptReport) =>
    heard.push([attempt, code, status, retryInMs])
  const controller = new AbortController()
  const { client, seen } = await start([hangUp, () => controller.abort(new Error('enough'))], { onAttempt })
  await assert.rejects(client.mints.create(MINT, { signal: controller.signal }), /enough/)
  assert.equal(seen.length, 2)
  assert.deepEqual(heard, [
    [1, 'NO_ANSWER', undefined, 187.5],
    [2, 'NO_ANSWER', undefined, undefined],
  ])
  // What was never sent is no attempt.
  await assert.rejects(client.mints.create(MINT, { signal: controller.signal }), /enough/)
  assert.deepEqual([seen.length, heard.length], [2, 2])
})

test('calls that share a signal listen to it once, and not at all when they have ended', async () => {
  const { client, seen } = await start([silence], { timeoutMs: 500, maxRetries: 0 })
  const { client: busy } = await start([refusal(503, 'SERVICE_UNAVAILABLE')], {
    timers: SYSTEM_TIMERS,
    maxRetries: 20,
  })
  const controller = new AbortController()
  const { signal } = controller
  const calls = [client, client, busy, busy].map((one) => one.config({ signal }).catch((error: unknown) => error))
  await waitFor('requests', () => seen.length === 2)
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  // Those that time out end by themselves, the others are retried.
  assert.ok((await calls[0]) instanceof CoinConnectionError)
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  controller.abort(new Error('enough'))
  assert.deepEqual(
    (await Promise.all(calls.slice(2))).map((error) => (error as Error).message),
    ['enough', 'enough'],
  )
  assert.deepEqual(getEventListeners(signal, 'abort'), [])

  const other = new AbortController()
  const { client: quick } = await start([json(200, { ok: true })])
  await Promise.all(Array.from({ length: 20 }, () => quick.config({ signal: other.signal })))
  assert.deepEqual(getEventListeners(other.signal, 'abort'), [])
})

test('errors carry what support needs', async () => {
  const meta = { correlationId: 'c-1' }
  const { client } = await start([refusal(500, 'SERVER_ERROR', { 'x-request-id': 'r-1' }, meta)], { maxRetries: 0 })
  await assert.rejects(client.config(), { correlationId: 'c-1', meta, status: 500, retryable: true })
})

test('onAttempt hears of every attempt, never of the key, and cannot break a call', async () => {
  const heard: unknown[] = []
  const rate = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59', 'x-ratelimit-reset': '1769860860' }
  const replies = [
    hangUp,
    refusal(502, 'SETTLEMENT_FAILED'),
    json(201, order(), { ...rate, 'x-coin-idempotent-replay': 'true', 'x-request-id': 'r-1' }),
  ]
  const { client } = await start(replies, {
    onAttempt(report) {
      heard.push(report)
      throw new Error('a broken log')
    },
  })
  await client.mints.create(MINT)
  const base = { method: 'POST', path: '/mints', replayed: false, rateLimit: undefined, correlationId: undefined }
  assert.deepEqual(heard, [
    { ...base, attempt: 1, status: undefined, code: 'NO_ANSWER', retryInMs: 187.5 },
    { ...base, attempt: 2, status: 502, code: 'SETTLEMENT_FAILED', retryInMs: 375 },
    {
      ...base,
      attempt: 3,
      status: 201,
      code: undefined,
      retryInMs: undefined,
      replayed: true,
      rateLimit: { limit: 60, remaining: 59, resetAt: 1_769_860_860 },
      correlationId: 'r-1',
    },
  ])
  assert.ok(!JSON.stringify(heard).includes(API_KEY))
})
