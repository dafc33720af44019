// engine: postgres; both in test:long
/** Requests that a client sends before it has the answer to the one before: they take effect in their order. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'
import { exchangeRaw, parseAnswers, rawSocket, readToEnd } from '../support/raw-http.ts'

let api: TestApi
let customerId: string
before(async () => {
  api = await startTestApi()
  customerId = await api.makeCustomer()
})
after(() => api.close())

const CLOSE = 'Connection: close'

function request(method: 'GET' | 'POST', path: string, body: object | undefined, ...lines: string[]): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const ofPost = [
    `Idempotency-Key: ${newReference()}`,
    'Content-Type: application/json',
    `Content-Length: ${text.length}`,
  ]
  const start = [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${api.fullKey}`]
  return [...start, ...(method === 'POST' ? ofPost : []), ...lines, '', text].join('\r\n')
}
const mint = (referenceId: string, amountMyr: string, ...lines: string[]) =>
  request('POST', '/v1/mints', { referenceId, amountMyr, walletAddress: newAddress(), customerId }, ...lines)
const told = (answers: { status: number; body: string }[]) =>
  answers.map(({ status, body }) => [status, JSON.parse(body).status ?? JSON.parse(body).error?.code])

test('what follows a POST on its connection finds what the POST did', async () => {
  for (let round = 0; round < 5; round += 1) {
    const reference = newReference()
    const bytes = [
      request('GET', `/v1/mints/${reference}`, undefined),
      mint(reference, '5'),
      request('GET', `/v1/mints/${reference}`, undefined),
      request('POST', `/v1/mints/${reference}/cancel`, {}),
      mint(reference, '6'),
      request('GET', `/v1/transactions/${reference}`, undefined, CLOSE),
    ]
    assert.deepEqual(told(await exchangeRaw(api.port, bytes.join(''))), [
      [404, 'NOT_FOUND'],
      [201, 'payment_pending'],
      [200, 'payment_pending'],
      [200, 'cancelled'],
      [201, 'cancelled'],
      [200, 'cancelled'],
    ])
  }
})

test('of two orders with one reference, the first one sent is the one', async () => {
  for (let round = 0; round < 5; round += 1) {
    const reference = newReference()
    const answers = await exchangeRaw(
      api.port,
      mint(reference, '1') + mint(reference, '2') + mint(reference, '3', CLOSE),
    )
    assert.deepEqual(
      answers.map(({ status, body }) => [status, JSON.parse(body).amounts.myr]),
      [1, 2, 3].map(() => [201, '1']),
    )
  }
})

test('what opens no tunnel is refused after what was asked before it is answered', async () => {
  for (let round = 0; round < 5; round += 1) {
    const reference = newReference()
    const read = request('GET', `/v1/mints/${reference}`, undefined)
    const tunnel = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n'
    assert.deepEqual(told(await exchangeRaw(api.port, mint(reference, '5') + read + tunnel)), [
      [201, 'payment_pending'],
      [200, 'payment_pending'],
      [404, 'NOT_FOUND'],
    ])
    assert.deepEqual(told(await exchangeRaw(api.port, mint(newReference(), '5', CLOSE) + tunnel)), [
      [201, 'payment_pending'],
    ])
    const leaving = await rawSocket(api.port)
    leaving.write(mint(newReference(), '5') + tunnel)
    leaving.resetAndDestroy()
  }
})

test('bodies larger than what is read ahead wait for their turn whole', async () => {
  const [first, second] = [newReference(), newReference()]
  const padded = (referenceId: string) => {
    const body = { referenceId, amountMyr: '5', walletAddress: newAddress(), customerId, note: 'x'.repeat(60_000) }
    return request('POST', '/v1/mints', body)
  }
  const bytes = padded(first) + padded(second) + request('GET', `/v1/mints/${second}`, undefined, CLOSE)
  assert.deepEqual(
    (await exchangeRaw(api.port, bytes)).map(({ status }) => status),
    [201, 201, 200],
  )
})

test('many that wait for one are no leak to Node', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  const reference = newReference()
  const reads = Array.from({ length: 20 }, () => request('GET', `/v1/mints/${reference}`, undefined))
  const last = request('GET', `/v1/mints/${reference}`, undefined, CLOSE)
  const answers = await exchangeRaw(api.port, mint(reference, '5') + reads.join('') + last)
  process.off('warning', note)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, ...reads.map(() => 200), 200],
  )
  assert.deepEqual(warnings, [])
})

test('after a request that ends the connection nothing is carried out', async () => {
  const [first, second] = [newReference(), newReference()]
  const answers = await exchangeRaw(api.port, mint(first, '5', CLOSE) + mint(second, '5'))
  assert.equal(answers.length, 1)
  assert.equal((await api.get(`/v1/mints/${first}`)).status, 200)
  assert.equal((await api.get(`/v1/mints/${second}`)).status, 404)
})

test('nor after an answer that ends it, as those of a server that is about to stop do', async () => {
  const own = await startTestApi()
  const owner = await own.makeCustomer()
  const references = [newReference(), newReference()]
  const bytes = references.map((referenceId) => {
    const body = { referenceId, amountMyr: '5', walletAddress: newAddress(), customerId: owner }
    return request('POST', '/v1/mints', body).replace(api.fullKey, own.fullKey)
  })
  const drained = own.app.drain(3_000)
  const answers = await exchangeRaw(own.port, bytes.join(''))
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers.connection]),
    [[201, 'close']],
  )
  await drained
  const recorded = await own.db.query<{ reference_id: string }>('select reference_id from orders')
  assert.deepEqual(
    recorded.map((row) => row.reference_id),
    references.slice(0, 1),
  )
  await own.close()
})

test('a client that has said all it has to say, and closed its side, gets its answers', async () => {
  const reference = newReference()
  const ends = [mint(reference, '5'), mint(reference, '5') + request('GET', `/v1/mints/${reference}`, undefined)]
  for (const bytes of ends) {
    const socket = await rawSocket(api.port)
    const ended = readToEnd(socket)
    socket.end(bytes)
    const answers = parseAnswers(await ended)
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(ends[0] === bytes ? [201] : [201, 200]))
  }
})
