/** The Idempotency-Key over HTTP. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { type Answer, assertRefused, newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'

let api: TestApi
let customerId: string
before(async () => {
  api = await startTestApi()
  customerId = await api.makeCustomer()
})
after(() => api.close())

const mintBody = (different: Record<string, unknown> = {}) => ({
  referenceId: newReference(),
  amountMyr: '10',
  walletAddress: newAddress(),
  customerId,
  ...different,
})
const replayed = (answer: Answer) => answer.headers.get('x-coin-idempotent-replay')
const orderCount = async () => (await api.db.query<{ n: bigint }>('select count(*) as n from orders'))[0]?.n

test('every POST needs a key of 1 to 255 visible characters', async () => {
  const paths = ['/v1/mints', '/v1/redeems', '/v1/transfers', '/v1/mints/some-reference/cancel']
  for (const path of paths) {
    assertRefused(await api.post(path, {}, { idempotencyKey: null }), 400, 'IDEMPOTENCY_KEY_REQUIRED')
    for (const idempotencyKey of ['', ' ', 'x'.repeat(256), 'ä', 'tab\there']) {
      assertRefused(await api.post(path, {}, { idempotencyKey }), 400, 'IDEMPOTENCY_KEY_REQUIRED')
    }
  }
  for (const idempotencyKey of ['x', `${randomUUID()}${'x'.repeat(255 - 36)}`, 'a key, with: blanks; and "signs"']) {
    assert.equal((await api.post('/v1/mints', mintBody(), { idempotencyKey })).status, 201)
  }
})

test('a repeated header is no key', async () => {
  const status = await new Promise<string>((resolve, reject) => {
    const sent = request({ port: api.port, path: '/v1/mints', method: 'POST' }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => resolve(text))
    })
    sent.setHeader('authorization', `Bearer ${api.fullKey}`)
    sent.setHeader('content-type', 'application/json')
    sent.setHeader('idempotency-key', ['one', 'two'])
    sent.once('error', reject)
    sent.end(JSON.stringify(mintBody()))
  })
  assert.match(status, /IDEMPOTENCY_KEY_REQUIRED/)
})

test('the same key and body: the same bytes again, whatever the order of keys and the white space', async () => {
  const idempotencyKey = randomUUID()
  const body = mintBody({ amountMyr: '7.50', extra: { b: [1, 2.5e3], a: null } })
  const first = await api.post('/v1/mints', body, { idempotencyKey })
  assert.deepEqual([first.status, replayed(first)], [201, null])
  const again = await api.post('/v1/mints', body, { idempotencyKey })
  assert.deepEqual([again.status, again.text, replayed(again)], [201, first.text, 'true'])
  const reordered = `{ "extra" : {"a":null,"b":[1.0,2500]},\n"customerId":"${body.customerId}", "walletAddress":"${body.walletAddress}","amountMyr":"7.50","referenceId":"${body.referenceId.replace('-', '\\u002d')}" }`
  const same = await api.call('POST', '/v1/mints', { raw: reordered, idempotencyKey })
  assert.deepEqual([same.status, same.text, replayed(same)], [201, first.text, 'true'])
})

test('the same key with another body, on another path or as another scope of the body: 409', async () => {
  const idempotencyKey = randomUUID()
  const body = mintBody()
  assert.equal((await api.post('/v1/mints', body, { idempotencyKey })).status, 201)
  const others: [string, unknown][] = [
    ['/v1/mints', { ...body, amountMyr: '10.0' }],
    ['/v1/mints', { ...body, fiatConfirmed: true }],
    ['/v1/mints', { ...body, fiatConfirmed: false }],
    ['/v1/mints', { ...body, unknown: 1 }],
    ['/v1/mints', {}],
    ['/v1/transfers', body],
    ['/v1/redeems', body],
    [`/v1/mints/${body.referenceId}/cancel`, {}],
    [`/v1/mints/${body.referenceId}/cancel`, body],
  ]
  for (const [path, other] of others) {
    assertRefused(await api.post(path, other, { idempotencyKey }), 409, 'IDEMPOTENCY_CONFLICT')
  }
})

test('a body that differs only in digits that no double holds is another one', async () => {
  const idempotencyKey = randomUUID()
  const start = JSON.stringify(mintBody()).slice(0, -1)
  const first = await api.post('/v1/mints', undefined, { raw: `${start},"invoice":9007199254740993}`, idempotencyKey })
  assert.equal(first.status, 201)
  const again = await api.post('/v1/mints', undefined, { raw: `${start},"invoice":9007199254740993 }`, idempotencyKey })
  assert.deepEqual([again.status, replayed(again)], [201, 'true'])
  const others = ['9007199254740992', '9007199254740993.5', '9007199254740994', '"9007199254740993"']
  // What such a number might be read into is another body, too.
  for (const invoice of [...others, '{"rounded":"9007199254740993"}', '["9007199254740993"]']) {
    const other = await api.post('/v1/mints', undefined, { raw: `${start},"invoice":${invoice}}`, idempotencyKey })
    assertRefused(other, 409, 'IDEMPOTENCY_CONFLICT')
  }
})

test('many equal requests at once create one order and get one answer', async () => {
  const idempotencyKey = randomUUID()
  const body = mintBody()
  const before = (await orderCount()) ?? 0n
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.post('/v1/mints', body, { idempotencyKey })))
  assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.equal(answers[0]?.status, 201)
  assert.equal(answers.filter((answer) => replayed(answer) === null).length, 1)
  assert.equal(await orderCount(), before + 1n)
})

test('a refusal is not remembered: the key stays free', async () => {
  const idempotencyKey = randomUUID()
  assertRefused(
    await api.post('/v1/mints', mintBody({ amountMyr: '0.5' }), { idempotencyKey }),
    400,
    'AMOUNT_BELOW_FLOOR',
  )
  assertRefused(await api.post('/v1/mints', mintBody({ customerId: 'cus_none' }), { idempotencyKey }), 404, 'NOT_FOUND')
  assert.equal((await api.post('/v1/mints', mintBody(), { idempotencyKey })).status, 201)
})

test('keys belong to an integration, not to an API key', async () => {
  const idempotencyKey = randomUUID()
  const body = mintBody()
  const first = await api.post('/v1/mints', body, { idempotencyKey })
  const second = await api.post('/v1/mints', body, { idempotencyKey, key: await api.makeKey() })
  assert.deepEqual([second.text, replayed(second)], [first.text, 'true'])
  const integrationId = await api.makeIntegration()
  const key = await api.makeKey({ integrationId })
  const other = mintBody({ customerId: await api.makeCustomer({}, integrationId), referenceId: body.referenceId })
  const third = await api.post('/v1/mints', other, { idempotencyKey, key })
  assert.deepEqual([third.status, replayed(third)], [201, null])
})

test('cancel: without a body, with an empty object, in any form of the path, it is one request', async () => {
  const { referenceId } = (await api.post('/v1/mints', mintBody())).body
  const idempotencyKey = randomUUID()
  const path = `/v1/mints/${referenceId}/cancel`
  const first = await api.call('POST', path, { idempotencyKey })
  assert.deepEqual(
    [first.status, first.body.status, first.body.phase, replayed(first)],
    [200, 'cancelled', 'FAILED', null],
  )
  for (const again of [
    await api.call('POST', path, { idempotencyKey }),
    await api.post(path, {}, { idempotencyKey }),
    await api.post(path.replace('-', '%2D'), {}, { idempotencyKey }),
    await api.post(`${path}?x=1`, {}, { idempotencyKey }),
  ]) {
    assert.deepEqual([again.status, again.text, replayed(again)], [200, first.text, 'true'])
  }
  const other = (await api.post('/v1/mints', mintBody())).body
  for (const body of [undefined, {}]) {
    const answer = await api.post(`/v1/mints/${other.referenceId}/cancel`, body, { idempotencyKey })
    assertRefused(answer, 409, 'IDEMPOTENCY_CONFLICT')
  }
  assert.equal((await api.get(`/v1/mints/${other.referenceId}`)).body.status, 'payment_pending')
  const withNewKey = await api.call('POST', path)
  assert.deepEqual([withNewKey.status, withNewKey.text, replayed(withNewKey)], [200, first.text, null])
  assertRefused(await api.post(path, [], {}), 400, 'INVALID_JSON')
})
