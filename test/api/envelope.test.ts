// engine: postgres; both in test:long
/** Every answer is in the envelope, on every path, even to malformed input. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { ERRORS, type ErrorCode } from '../../src/errors.ts'
import { assertRefused, newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'
import { exchangeRaw, type RawAnswer, rawSocket, readToEnd } from '../support/raw-http.ts'
import { waitFor } from '../support/wait-for.ts'

let api: TestApi

before(async () => {
  api = await startTestApi({ timeouts: { headersMs: 600, requestMs: 1_000, checkMs: 100, connectionMs: 5_000 } })
})
after(() => api.close())

function assertEnvelope(answer: RawAnswer | undefined, code: ErrorCode): void {
  assert.ok(answer, 'no answer')
  assert.equal(answer.headers['x-coin-api-version'], 'v1')
  assert.equal(
    answer.headers['cache-control'],
    'no-store',
    'a NOT_FOUND that is kept would hide an order that is there',
  )
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/)
  const body = JSON.parse(answer.body) as { error: { message: string } }
  const { status, message } = ERRORS[code]
  // What comes after the message of its code is a matter of what-to-do.test.ts.
  const said = body.error.message.startsWith(`${message} `) ? body.error.message : message
  assert.deepEqual([answer.status, body], [status, { ok: false, error: { code, message: said } }])
}

/** Sends a path unchanged; `fetch` would normalise it. */
function rawGet(path: string, method = 'GET', headers: Record<string, string> = {}): Promise<RawAnswer> {
  const authorization = `Bearer ${api.fullKey}`
  return new Promise((resolve, reject) => {
    const sent = request({ port: api.port, path, method, headers: { authorization, ...headers } }, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => (body += chunk.toString()))
      const answer = () => ({
        status: response.statusCode ?? 0,
        headers: response.headers as Record<string, string>,
        body,
      })
      response.on('end', () => resolve(answer()))
    })
    sent.once('error', reject)
    sent.end()
  })
}

describe('unknown routes are 404 in the envelope, key or not', () => {
  const paths = [
    '/',
    '/v1',
    '/v1/',
    '/v2/health',
    '/v1/unknown',
    '/v1/mints/',
    '/v1//mints',
    '/v1/mints//cancel',
    '/v1/health/',
    '/v1/Health',
    '/V1/health',
    '/v1/mints/some-reference/cancel/',
    '/v1/mints/some-reference/unknown',
    '/v1/transactions/a-reference/x',
    '/v1/customers',
    '/v1/balances',
    '/health',
    '/openapi',
    '/openapi/other.json',
    '/v1/%ZZ',
    '/%',
    '/v1/../v1/health',
    '/favicon.ico',
    '*',
    `/${'a'.repeat(5_000)}`,
  ]
  for (const path of paths) {
    test(path.slice(0, 60), async () => assertEnvelope(await rawGet(path), 'NOT_FOUND'))
  }
  test('without a key too', async () => {
    assertRefused(await api.get('/v1/nothing', { key: null }), 404, 'NOT_FOUND')
  })
})

describe('a method that a path does not have is 404', () => {
  const cases: [method: string, path: string][] = [
    ['OPTIONS', '/v1/mints'],
    ['OPTIONS', '*'],
    ['GET', '/v1/mints'],
    ['PUT', '/v1/mints'],
    ['PATCH', '/v1/mints/some-reference'],
    ['DELETE', '/v1/mints/some-reference'],
    ['POST', '/v1/health'],
    ['POST', '/v1/transactions'],
    ['POST', '/v1/mints/some-reference'],
    ['GET', '/v1/mints/some-reference/cancel'],
    ['TRACE', '/v1/health'],
    ['PROPFIND', '/v1/health'],
    ['PURGE', '/v1/health'],
    ['QUERY', '/v1/transactions'],
    ['M-SEARCH', '/v1/health'],
  ]
  for (const [method, path] of cases) {
    test(`${method} ${path}`, async () => assertEnvelope(await rawGet(path, method), 'NOT_FOUND'))
  }

  test('HEAD of what is no GET', async () => {
    for (const path of ['/v1/mints', '/v1/mints/some-reference/cancel', '/v1/unknown']) {
      const answer = await rawGet(path, 'HEAD')
      assert.deepEqual([answer.status, answer.body], [404, ''], path)
      assert.equal(answer.headers['x-coin-api-version'], 'v1')
    }
  })

  test('CONNECT and an upgrade', async () => {
    const [connect] = await exchangeRaw(api.port, 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n')
    assertEnvelope(connect, 'NOT_FOUND')
    const upgrade = 'GET /v1/socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n'
    assertEnvelope((await exchangeRaw(api.port, upgrade))[0], 'NOT_FOUND')
  })

  test('a body on an unknown route is not looked at', async () => {
    const answer = await api.call('POST', '/v1/unknown', { raw: '{', headers: { 'content-type': ';;;' } })
    assertRefused(answer, 404, 'NOT_FOUND')
  })
})

test('HEAD answers what GET does, without the body', async () => {
  for (const path of ['/v1/health', '/v1/config', '/v1/mints/no-such-reference', '/docs']) {
    const [get, head] = [await rawGet(path), await rawGet(path, 'HEAD')]
    assert.deepEqual([head.status, head.body], [get.status, ''], path)
    for (const name of ['content-type', 'content-length', 'x-coin-api-version', 'x-ratelimit-limit']) {
      if (path === '/v1/health' && name === 'content-length') continue
      assert.equal(head.headers[name], get.headers[name], `${path} ${name}`)
    }
  }
})

test('every answer names its request, as the log does, and no two the same', async () => {
  const start = api.logLines.length
  const answers = [
    await rawGet('/v1/config'),
    await rawGet('/v1/mints/no-such-reference'),
    await rawGet('/v1/unknown'),
    ...(await exchangeRaw(api.port, 'hello\r\n\r\n')),
  ]
  const ids = answers.map(({ headers }) => headers['x-request-id'] ?? '')
  for (const id of ids) assert.match(id, /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
  assert.equal(new Set(ids).size, 4)
  const logged = await waitFor('the log', () => {
    const found = api.logLines
      .slice(start)
      .map((line) => (JSON.parse(line) as { correlationId?: string }).correlationId)
    return found.length >= 4 ? found : undefined
  })
  assert.deepEqual([...logged].sort(), [...ids].sort())
})

test('no CORS header, not even when a browser asks', async () => {
  const headers = { origin: 'https://example.com', 'access-control-request-method': 'POST' }
  for (const [method, path] of [
    ['OPTIONS', '/v1/mints'],
    ['GET', '/v1/health'],
    ['GET', '/v1/config'],
  ] as const) {
    const answer = await rawGet(path, method, headers)
    assert.deepEqual(
      Object.keys(answer.headers).filter((name) => name.startsWith('access-control')),
      [],
    )
  }
})

describe('path parameters that cannot be', () => {
  const values = [
    '%ZZ',
    '%',
    '%E0%A4%A',
    '%FF%FE',
    'x'.repeat(101),
    'x'.repeat(8_000),
    'short',
    '%00%00%00%00%00%00%00%00',
    'with%20blank',
    'a%2Fb%2Fc%2Fd%2F',
  ]
  for (const value of values) {
    test(value.slice(0, 40), async () => {
      for (const kind of ['mints', 'redeems', 'transfers', 'transactions']) {
        assertEnvelope(await rawGet(`/v1/${kind}/${value}`), 'INVALID_REFERENCE_ID')
      }
      assertEnvelope(await rawGet(`/v1/balances/${value}`), 'INVALID_WALLET_ADDRESS')
      // No key: its absence is noticed first.
      assertEnvelope(await rawGet(`/v1/mints/${value}`, 'GET', { authorization: 'Bearer x' }), 'UNAUTHORIZED')
    })
  }

  test('a percent-encoded reference is the same reference', async () => {
    const referenceId = newReference()
    const body = { referenceId, amountMyr: '5', walletAddress: newAddress(), customerId: await api.makeCustomer() }
    assert.equal((await api.post('/v1/mints', body)).status, 201)
    const encoded = [...referenceId].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('')
    assert.equal((await rawGet(`/v1/mints/${encoded}?%ZZ=%`)).status, 200)
  })
})

describe('bodies', () => {
  const json = { 'content-type': 'application/json' }
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const invalid: [what: string, raw: string | Uint8Array, headers?: Record<string, string>][] = [
    ['nothing', ''],
    ['white space', ' \n '],
    ['null', 'null'],
    ['an array', '[]'],
    ['a string', '"{}"'],
    ['a number', '1'],
    ['broken', '{"referenceId":'],
    ['a trailing comma', '{"a":1,}'],
    ['a comment', '{/* no */}'],
    ['single quotes', "{'a':1}"],
    ['two objects', '{}{}'],
    ['a byte order mark', '\ufeff{}'],
    ['duplicate keys', '{"amountMyr":"1","amountMyr":"1000"}'],
    ['duplicate keys, one escaped', '{"amountMyr":"1","\\u0061mountMyr":"1000"}'],
    ['duplicate keys further in', '{"a":[{"b":1,"b":2}]}'],
    ['33 levels', deep(33)],
    ['6,000 levels', `{"a":${'['.repeat(6_000)}${']'.repeat(6_000)}}`],
    ['6,000 levels unclosed', `{"a":${'['.repeat(6_000)}`],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
    ['a lone surrogate', '{"a":"\\ud800"}'],
    ['a number beyond a double', '{"a":1e999}'],
    ['NaN', '{"a":NaN}'],
    ['text/plain', '{}', { 'content-type': 'text/plain' }],
    ['a form', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a media type that only begins like JSON', '{}', { 'content-type': 'application/jsonp' }],
    ['application/ld+json', '{}', { 'content-type': 'application/ld+json' }],
    ['what is said to be packed', '{}', { ...json, 'content-encoding': 'gzip' }],
    ['no media type at all', '{}', { 'content-type': ';;;' }],
  ]
  for (const [what, raw, headers] of invalid) {
    test(`${what} is not a JSON object`, async () => {
      for (const path of ['/v1/mints', '/v1/redeems', '/v1/transfers']) {
        assertRefused(await api.call('POST', path, { raw, headers: headers ?? json }), 400, 'INVALID_JSON')
      }
    })
  }

  test('no content type and a body', async () => {
    const head = `POST /v1/mints HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${api.fullKey}\r\nIdempotency-Key: k\r\n`
    assertEnvelope((await exchangeRaw(api.port, `${head}Content-Length: 2\r\n\r\n{}`))[0], 'INVALID_JSON')
    assertEnvelope(
      (await exchangeRaw(api.port, `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`))[0],
      'INVALID_JSON',
    )
    assertEnvelope((await exchangeRaw(api.port, `${head}Content-Length: 0\r\n\r\n`))[0], 'INVALID_JSON')
  })

  test('two content types and a body', async () => {
    for (const types of [
      ['application/json', 'text/plain'],
      ['application/json', 'application/json'],
    ]) {
      const lines = types.map((type) => `Content-Type: ${type}\r\n`).join('')
      const head = `POST /v1/mints HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${api.fullKey}\r\nIdempotency-Key: k\r\n`
      assertEnvelope((await exchangeRaw(api.port, `${head}${lines}Content-Length: 2\r\n\r\n{}`))[0], 'INVALID_JSON')
    }
  })

  test('what is no media type says nothing: a body is judged by its size first, and none is not JSON by it', async () => {
    for (const type of ['', 'foo', 'a/b/c', ';;;']) {
      const headers = { 'content-type': type }
      const big = await api.call('POST', '/v1/mints', { raw: 'x'.repeat(70_000), headers })
      assertRefused(big, 413, 'PAYLOAD_TOO_LARGE')
      const path = '/v1/mints/a-reference-nobody-has/cancel'
      assertRefused(await api.call('POST', path, { raw: '{}', headers }), 400, 'INVALID_JSON')
      assertRefused(await api.call('POST', path, { headers }), 404, 'NOT_FOUND')
    }
  })

  test('32 levels, parameters of the media type and a __proto__ key are harmless', async () => {
    const referenceId = newReference()
    const customerId = await api.makeCustomer()
    const body = `{"referenceId":"${referenceId}","amountMyr":"2","walletAddress":"${newAddress()}","customerId":"${customerId}",
      "__proto__":{"fiatConfirmed":true},"constructor":{"prototype":{"fiatConfirmed":true}},"extra":${deep(31)}}`
    const answer = await api.call('POST', '/v1/mints', {
      raw: body,
      headers: { 'content-type': 'Application/JSON ; charset=utf-8', 'content-encoding': 'Identity' },
    })
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.body.status, 'payment_pending')
    assert.equal(({} as { fiatConfirmed?: unknown }).fiatConfirmed, undefined)
  })

  test('64 KiB pass, one byte more does not, declared or streamed', async () => {
    const object = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`
    assertRefused(await api.call('POST', '/v1/mints', { raw: object(65_536) }), 400, 'INVALID_REFERENCE_ID')
    assertRefused(await api.call('POST', '/v1/mints', { raw: object(65_537) }), 413, 'PAYLOAD_TOO_LARGE')
    assertRefused(await api.call('POST', '/v1/mints', { raw: object(1_000_000) }), 413, 'PAYLOAD_TOO_LARGE')
    const head = `POST /v1/mints HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${api.fullKey}\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`
    assertEnvelope((await exchangeRaw(api.port, `${head}${chunk.repeat(3)}0\r\n\r\n`))[0], 'PAYLOAD_TOO_LARGE')
  })

  test('an endless body is answered and cut off', async () => {
    const socket = await rawSocket(api.port)
    const ended = readToEnd(socket)
    socket.write(
      `POST /v1/mints HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.fullKey}\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    const timer = setInterval(() => socket.writable && socket.write(`8000\r\n${'x'.repeat(0x8000)}\r\n`), 20)
    const text = await ended
    clearInterval(timer)
    assert.match(text, /^HTTP\/1\.1 413 /)
    assert.equal(text.split('HTTP/1.1').length, 2, 'one answer only')
  })
})

describe('malformed HTTP', () => {
  const cases: [what: string, bytes: string, code: ErrorCode][] = [
    ['no HTTP at all', 'hello\r\n\r\n', 'BAD_REQUEST'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'BAD_REQUEST'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n', 'BAD_REQUEST'],
    ['a header without a colon', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n', 'BAD_REQUEST'],
    [
      'two lengths',
      'POST /v1/mints HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      'BAD_REQUEST',
    ],
    [
      'a length and chunks',
      'POST /v1/mints HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'BAD_REQUEST',
    ],
    ['a negative length', 'POST /v1/mints HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 'BAD_REQUEST'],
    ['two Hosts', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nhost: x\r\nConnection: close\r\n\r\n', 'BAD_REQUEST'],
    ['a Host that is none', 'GET /v1/health HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n', 'BAD_REQUEST'],
    ['no Host', 'GET /v1/health HTTP/1.1\r\nConnection: close\r\n\r\n', 'BAD_REQUEST'],
    [
      'headers too large',
      `GET /v1/health HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      'HEADERS_TOO_LARGE',
    ],
    ['a URL too large', `GET /v1/mints/${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 'HEADERS_TOO_LARGE'],
    ['a URL without a host', 'GET http:///v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 'BAD_REQUEST'],
    [
      'a URL of no port',
      'POST http://x:99999/v1/mints HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'BAD_REQUEST',
    ],
    [
      'a URL and a fragment',
      'GET http://x/v1/health#y HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'BAD_REQUEST',
    ],
    ['a path and a fragment', 'GET /v1/health#y HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 'BAD_REQUEST'],
    ['a query and a fragment', 'POST /v1/mints?x=%23# HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 'BAD_REQUEST'],
    ['another scheme', 'GET ftp://x/v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 'NOT_FOUND'],
    [
      'an unknown expectation',
      'GET /v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: wonders\r\n\r\n',
      'NOT_FOUND',
    ],
  ]
  for (const [what, bytes, code] of cases) {
    test(what, async () => {
      const answers = await exchangeRaw(api.port, Buffer.from(bytes, 'latin1'))
      assert.equal(answers.length, 1)
      assertEnvelope(answers[0], code)
    })
  }

  test('HTTP/1.0 and the absolute form of a URL are served', async () => {
    assert.equal((await exchangeRaw(api.port, 'GET /v1/health HTTP/1.0\r\n\r\n'))[0]?.status, 200)
    const absolute = 'GET http://example.com/v1/health HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n'
    assert.equal((await exchangeRaw(api.port, absolute))[0]?.status, 200)
  })

  test('an answer in the making is not replaced by the refusal of what follows it', async () => {
    const customerId = await api.makeCustomer()
    const referenceId = newReference()
    const body = JSON.stringify({ referenceId, amountMyr: '5', walletAddress: newAddress(), customerId })
    const post = `POST /v1/mints HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.fullKey}\r\nIdempotency-Key: ${referenceId}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const [first] = await exchangeRaw(api.port, `${post}garbage\r\n\r\n`)
    assert.equal(first?.status, 201, String(first?.body))
  })

  test('nor by the refusal of a request that follows and breaks off', async () => {
    let release: () => void = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const mint = () => released.then(() => ({ status: 201, body: '{"first":true}', replay: false }))
    const slow = await startTestApi({ acceptance: { mint } as never })
    slow.app.server.once('clientError', () => release())
    const head = `POST /v1/mints HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${slow.fullKey}\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\n`
    const bytes = `${head}Content-Length: 2\r\n\r\n{}${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nZZ\r\n`
    const answers = await exchangeRaw(slow.port, bytes)
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body]),
      [[201, '{"first":true}']],
    )
    await slow.close()
  })
})

const RATES = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const

describe('slow and half-open clients are cut off', () => {
  const cases: [what: string, bytes: string, code: ErrorCode][] = [
    ['half a request line', 'GET /v1/he', 'REQUEST_TIMEOUT'],
    ['half the headers', 'GET /v1/health HTTP/1.1\r\nHost: x\r\n', 'REQUEST_TIMEOUT'],
  ]
  for (const [what, bytes, code] of cases) {
    test(what, async () => assertEnvelope((await exchangeRaw(api.port, bytes))[0], code))
  }

  test('without an answer when nothing was received: it would be taken for the refusal of a request on its way', async () => {
    assert.deepEqual(await exchangeRaw(api.port, ''), [])
  })

  test('half a body', async () => {
    const head = `POST /v1/mints HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.fullKey}\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`
    const [answer] = await exchangeRaw(api.port, head)
    assertEnvelope(answer, 'REQUEST_TIMEOUT')
    assert.deepEqual(
      RATES.map((name) => /^\d+$/.test(String(answer?.headers[name]))),
      [true, true, true],
      'its key was valid, and it counts',
    )
  })

  test('the rate of a key is told to nobody who did not show it: not of half a body without one, nor behind an answer', async () => {
    const post = (headers: string) =>
      `POST /v1/mints HTTP/1.1\r\nHost: x\r\n${headers}Content-Type: application/json\r\n`
    const read = `GET /v1/config HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.fullKey}\r\n\r\n`
    for (const bytes of [
      `${read}${post('')}`,
      `${read}GET /v1/he`,
      `${post(`Authorization: Bearer ${api.fullKey}x\r\nIdempotency-Key: k2\r\n`)}Content-Length: 100\r\n\r\n{`,
    ]) {
      const answers = await exchangeRaw(api.port, bytes)
      const last = answers.at(-1)
      if (bytes.startsWith(read)) assertEnvelope(last, 'REQUEST_TIMEOUT')
      assert.deepEqual(
        RATES.map((name) => last?.headers[name]),
        [undefined, undefined, undefined],
        bytes,
      )
    }
  })
})

test('the Sunset header is on every answer once it is configured', async () => {
  const sunsetDate = new Date('2033-12-31T00:00:00Z')
  const sunset = await startTestApi({
    config: { sunsetDate },
    timeouts: { checkMs: 100 },
  })
  const expected = 'Sat, 31 Dec 2033 00:00:00 GMT'
  for (const path of ['/v1/health', '/v1/config', '/v1/unknown', '/openapi/stablecoin-partner-v1.json']) {
    const response = await fetch(`${sunset.baseUrl}${path}`)
    await response.arrayBuffer()
    assert.equal(response.headers.get('sunset'), expected, path)
  }
  const [malformed] = await exchangeRaw(sunset.port, 'broken\r\n\r\n')
  assert.equal(malformed?.headers.sunset, expected)
  await sunset.close()
  assert.equal((await api.get('/v1/health')).headers.get('sunset'), null)
})

test('a fault of ours is 500 with a correlation id that the log has too, and nothing else', async () => {
  const broken = await startTestApi({
    acceptance: { mint: () => Promise.reject(new Error('secret detail')) } as never,
  })
  const answer = await broken.post('/v1/mints', {})
  const meta = assertRefused(answer, 500, 'SERVER_ERROR')
  assert.doesNotMatch(answer.text, /secret detail/)
  const line = broken.logLines.find((text) => text.includes('secret detail'))
  assert.ok(line?.includes(String(meta?.correlationId)))
  assert.equal(answer.headers.get('x-request-id'), meta?.correlationId)
  await broken.close()
})

test('requests are logged by pattern, without what the client wrote', async () => {
  const start = api.logLines.length
  const reference = 'a-reference%0A%22injected%22'
  await rawGet(`/v1/mints/${reference}?token=abc`, 'GET', { 'user-agent': 'agent-string', 'x-note': 'note-string' })
  const lines = api.logLines.slice(start)
  assert.equal(lines.length, 1)
  const { route, method, status, keyId, correlationId, durationMs } = JSON.parse(lines[0] ?? '')
  assert.deepEqual([route, method, status], ['/v1/mints/:referenceId', 'GET', 400])
  assert.match(keyId, /^[0-9a-f]{16}$/)
  assert.ok(correlationId && durationMs > 0)
  const secret = api.fullKey.split('_')[3] ?? ''
  for (const text of [secret, 'injected', 'token=abc', 'agent-string', 'note-string', 'a-reference']) {
    assert.ok(!lines.join('').includes(text), text)
  }
})
