// engine: postgres; both in test:long
/** HTTP itself: persistent connections, pipelining, 1.0, expectations, lengths that lie. The envelope is kept throughout. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { MAX_SHORT_PIECES } from '../../src/http-server/chunks.ts'
import { MAX_UNANSWERED } from '../../src/http-server/pipelining.ts'
import { newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'
import { exchangeRaw, parseAnswers, rawSocket, readToEnd } from '../support/raw-http.ts'

let api: TestApi
let customerId: string
before(async () => {
  api = await startTestApi()
  customerId = await api.makeCustomer()
})
after(() => api.close())

const mintBody = (referenceId = newReference(), of = customerId) =>
  JSON.stringify({ referenceId, amountMyr: '5', walletAddress: newAddress(), customerId: of })
const head = (key: string, ...lines: string[]) =>
  [
    'POST /v1/mints HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${api.fullKey}`,
    `Idempotency-Key: ${key}`,
    'Content-Type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n')
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status)

test('pipelined requests are answered in their order, each with the version header', async () => {
  const body = mintBody()
  const get = (path: string, ...lines: string[]) => [`GET ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n')
  const bytes =
    get('/v1/health') +
    head('pipelined', `Content-Length: ${body.length}`) +
    body +
    get('/v1/nowhere') +
    get('/v1/config') +
    head('pipelined', `Content-Length: ${body.length}`) +
    body +
    get('/v1/system/time', 'Connection: close')
  const answers = await exchangeRaw(api.port, bytes)
  assert.deepEqual(statuses(answers), [200, 201, 404, 401, 201, 200])
  for (const { headers } of answers)
    assert.deepEqual([headers['x-coin-api-version'], headers['cache-control']], ['v1', 'no-store'])
  assert.equal(answers[1]?.body, answers[4]?.body)
  const replays = [answers[1], answers[4]].map((answer) => answer?.headers['x-coin-idempotent-replay'])
  assert.deepEqual(replays, [undefined, 'true'])
})

test('who sends more ahead than may wait is answered that much, then closed, and none of the rest is carried out', async () => {
  const body = mintBody()
  const get = 'GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n'
  const post = head('ahead', `Content-Length: ${body.length}`) + body
  const answers = await exchangeRaw(api.port, get.repeat(MAX_UNANSWERED) + post + get.repeat(5_000))
  assert.deepEqual(statuses(answers), Array(MAX_UNANSWERED).fill(200))
  const { referenceId } = JSON.parse(body) as { referenceId: string }
  assert.equal((await api.get(`/v1/mints/${referenceId}`)).status, 404)
})

test('Expect: 100-continue is granted, then the body is answered', async () => {
  const body = mintBody()
  const socket = await rawSocket(api.port)
  const ended = readToEnd(socket)
  socket.write(head('continue', `Content-Length: ${body.length}`, 'Expect: 100-continue', 'Connection: close'))
  await once(socket, 'data')
  socket.write(body)
  assert.deepEqual(statuses(parseAnswers(await ended)), [100, 201])
})

test('Expect: 100-continue of a refused caller: the refusal is the answer', async () => {
  const bytes = head('refused', 'Content-Length: 100000', 'Expect: 100-continue', 'Connection: close').replace(
    api.fullKey,
    `${api.fullKey.slice(0, -1)}${api.fullKey.endsWith('A') ? 'B' : 'A'}`,
  )
  const answers = await exchangeRaw(api.port, bytes)
  assert.equal(answers.at(-1)?.status, 401)
  assert.ok(answers.length <= 2)
})

test('HTTP/1.0: a POST is served and the connection ends with its answer', async () => {
  const body = mintBody()
  const bytes = head('one-dot-zero', `Content-Length: ${body.length}`).replace('HTTP/1.1', 'HTTP/1.0') + body
  const answers = await exchangeRaw(api.port, bytes)
  assert.deepEqual(statuses(answers), [201])
})

test('a body shorter than its length is a timeout, and nothing is recorded', async () => {
  // Of its own: on a busy machine others need longer for what is no timeout.
  const hasty = await startTestApi({ timeouts: { headersMs: 600, requestMs: 1_000, checkMs: 100 } })
  const referenceId = newReference()
  const body = mintBody(referenceId, await hasty.makeCustomer())
  const begun = head('short', `Content-Length: ${body.length + 5}`).replace(api.fullKey, hasty.fullKey)
  const [answer] = await exchangeRaw(hasty.port, begun + body)
  assert.equal(answer?.status, 408)
  assert.equal((await hasty.get(`/v1/mints/${referenceId}`)).status, 404)
  await hasty.close()
})

test('a client that leaves in the middle of its body records nothing and breaks nothing', async () => {
  const referenceId = newReference()
  const body = mintBody(referenceId)
  const socket = await rawSocket(api.port)
  socket.write(head('left', `Content-Length: ${body.length + 1}`) + body)
  socket.resume().end()
  await once(socket, 'close')
  assert.equal((await api.get(`/v1/mints/${referenceId}`)).status, 404)
})

test('a body longer than its length: the first bytes are the body, the rest is no request', async () => {
  const body = mintBody()
  const answers = await exchangeRaw(
    api.port,
    `${head('long', `Content-Length: ${body.length}`)}${body}{"more":1}\r\n\r\n`,
  )
  assert.equal(answers[0]?.status, 201)
  for (const answer of answers.slice(1)) {
    assert.equal(answer.status, 400)
    assert.equal(JSON.parse(answer.body).error.code, 'BAD_REQUEST')
  }
})

test('a chunked body, in any pieces, with trailers, is the same request', async () => {
  const body = mintBody()
  const plain = await exchangeRaw(
    api.port,
    head('chunks', `Content-Length: ${body.length}`, 'Connection: close') + body,
  )
  for (const size of [1, 7, body.length]) {
    let chunks = ''
    for (let at = 0; at < body.length; at += size) {
      const piece = body.slice(at, at + size)
      chunks += `${piece.length.toString(16)};name=value\r\n${piece}\r\n`
    }
    const bytes = `${head('chunks', 'Transfer-Encoding: chunked', 'Connection: close')}${chunks}0\r\nTrailer: x\r\n\r\n`
    const [answer] = await exchangeRaw(api.port, bytes)
    assert.deepEqual([answer?.status, answer?.body], [201, plain[0]?.body])
    assert.equal(answer?.headers['x-coin-idempotent-replay'], 'true')
  }
})

test('a body may come byte by byte, up to a bound; one in more pieces is too large, and its connection is closed', async () => {
  const send = (key: string, body: string) => {
    const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join('')
    return exchangeRaw(api.port, `${head(key, 'Transfer-Encoding: chunked', 'Connection: close')}${chunks}0\r\n\r\n`)
  }
  const referenceId = newReference()
  const body = mintBody(referenceId)
  const [refused, ...more] = await send('many-pieces', body.padEnd(MAX_SHORT_PIECES + 1))
  assert.equal(refused?.status, 413)
  assert.match(refused?.body ?? '', /"code":"PAYLOAD_TOO_LARGE"/)
  assert.deepEqual(more, [])
  assert.equal((await api.get(`/v1/mints/${referenceId}`)).status, 404)
  assert.deepEqual(statuses(await send('many-pieces', body.padEnd(MAX_SHORT_PIECES))), [201])
})

test('a body under another coding than chunks, or in chunks of HTTP/1.0, is refused and not carried out', async () => {
  const referenceId = newReference()
  const body = mintBody(referenceId)
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  const codings = ['gzip, chunked', 'chunked, chunked', 'identity, chunked', 'gzip,chunked', 'x;chunked', 'Chunked;q=1']
  const odd = codings.map((coding) => head('coded', `Transfer-Encoding: ${coding}`, 'Connection: close'))
  odd.push(head('coded', 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked', 'Connection: close'))
  odd.push(head('coded', 'Transfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0'))
  for (const bytes of odd) {
    const [answer] = await exchangeRaw(api.port, bytes + chunks)
    assert.equal(answer?.status, 400, bytes)
    assert.equal(JSON.parse(answer?.body ?? '{}').error.code, 'BAD_REQUEST')
  }
  assert.equal((await api.get(`/v1/mints/${referenceId}`)).status, 404)
  const [plain] = await exchangeRaw(api.port, head('coded', 'transfer-encoding: CHUNKED', 'Connection: close') + chunks)
  assert.equal(plain?.status, 201)
})

test('another version of HTTP on the request line is refused, whatever Node makes of it, and not carried out', async () => {
  const referenceId = newReference()
  const body = mintBody(referenceId)
  for (const version of ['0.9', '2.0', '1.2', '3.0']) {
    const bytes = head('version', `Content-Length: ${body.length}`, 'Connection: close').replace(
      'HTTP/1.1',
      `HTTP/${version}`,
    )
    const [answer] = await exchangeRaw(api.port, bytes + body)
    assert.deepEqual([answer?.status, JSON.parse(answer?.body ?? '{}').error.code], [400, 'BAD_REQUEST'], version)
  }
  assert.equal((await api.get(`/v1/mints/${referenceId}`)).status, 404)
})

test('a compressed body is not unpacked: it is no JSON object', async () => {
  const [answer] = await exchangeRaw(
    api.port,
    `${head('gzip', 'Content-Length: 2', 'Content-Encoding: gzip', 'Connection: close')}\x1f\x8b`,
  )
  assert.equal(answer?.status, 400)
  assert.equal(JSON.parse(answer?.body ?? '{}').error.code, 'INVALID_JSON')
})

test('a GET with a body answers as one without', async () => {
  const bytes = `GET /v1/config HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.fullKey}\r\nContent-Type: text/plain\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc`
  const [answer] = await exchangeRaw(api.port, bytes)
  assert.equal(answer?.status, 200, String(answer?.body))
})

test('two bodies at once, sent byte by byte, are not mixed up', async () => {
  const send = async (key: string) => {
    const referenceId = newReference()
    const body = mintBody(referenceId)
    const socket = await rawSocket(api.port)
    socket.setNoDelay(true)
    const ended = readToEnd(socket)
    for (const byte of head(key, `Content-Length: ${body.length}`, 'Connection: close') + body) {
      await new Promise((resolve) => socket.write(byte, resolve))
    }
    const [answer] = parseAnswers(await ended)
    assert.equal(answer?.status, 201, String(answer?.body))
    assert.equal(JSON.parse(answer?.body ?? '{}').referenceId, referenceId)
  }
  await Promise.all([send('slow-one'), send('slow-two')])
})

test('who has sent half a request does not keep an ending process from its end', async () => {
  const ending = await startTestApi()
  const socket = await rawSocket(ending.port)
  socket.on('error', () => {}).resume()
  socket.write('GET /v1/health HTTP/1.1\r\nX: a')
  const more = setInterval(() => socket.writable && socket.write('a'), 200)
  assert.equal((await ending.get('/v1/health')).status, 200)
  await ending.app.drain(0)
  clearInterval(more)
  await ending.close()
})
