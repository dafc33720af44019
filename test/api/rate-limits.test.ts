// engine: postgres; both in test:long
/** Rate limits are exact, even under concurrency, and shown in headers. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { ROUTES } from '../../src/http/routes/index.ts'
import { type Answer, assertRefused, newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'

const MINUTE = Date.parse('2026-03-01T10:00:00Z')
let now = MINUTE
let api: TestApi

before(async () => {
  api = await startTestApi({ clock: () => new Date(now), rates: { read: 120, write: 60, balances: 60 } })
})
beforeEach(() => {
  now = MINUTE
})
after(() => api.close())

const header = (answer: Answer, name: string) => Number(answer.headers.get(name))

const buckets: [bucket: string, limit: number, ask: (key: string) => Promise<Answer>, served: number][] = [
  ['read', 120, (key) => api.get('/v1/config', { key }), 200],
  ['write', 60, (key) => api.post('/v1/mints', {}, { key }), 400],
  ['balances', 60, (key) => api.get(`/v1/balances/${newAddress()}`, { key }), 200],
]

for (const [bucket, limit, ask, served] of buckets) {
  test(`${bucket}: exactly ${limit} of many concurrent requests`, async () => {
    const key = await api.makeKey()
    const answers = await Promise.all(Array.from({ length: limit + 25 }, () => ask(key)))
    const accepted = answers.filter((answer) => answer.status === served)
    const refused = answers.filter((answer) => answer.status === 429)
    assert.deepEqual([accepted.length, refused.length], [limit, 25])
    const remaining = accepted.map((answer) => header(answer, 'x-ratelimit-remaining')).sort((a, b) => a - b)
    assert.deepEqual(
      remaining,
      Array.from({ length: limit }, (_, n) => n),
    )
    for (const answer of answers) {
      assert.equal(header(answer, 'x-ratelimit-limit'), limit)
      assert.equal(header(answer, 'x-ratelimit-reset'), MINUTE / 1000 + 60)
      assert.equal(answer.headers.has('retry-after'), answer.status === 429)
    }
    for (const answer of refused) {
      assertRefused(answer, 429, 'RATE_LIMITED')
      assert.equal(header(answer, 'x-ratelimit-remaining'), 0)
      assert.equal(header(answer, 'retry-after'), 60)
    }
  })
}

test('every operation counts in the bucket that the contract gives it', async () => {
  const limits = { read: 900, write: 800, balances: 700 }
  const key = await api.makeKey({ rates: limits })
  const operations: Record<keyof typeof limits, string[]> = {
    read: [
      '/config',
      '/tokens',
      '/mints/x',
      '/redeems/x',
      '/transfers/x',
      '/transactions',
      '/transactions/x',
      '/customers/x',
      '/corporates/x',
      '/events',
    ],
    write: ['/mints', '/mints/x/cancel', '/redeems', '/transfers'],
    balances: ['/balances/x'],
  }
  const served = ROUTES.filter(({ kind }) => kind !== 'public').length
  assert.equal(Object.values(operations).flat().length, served)
  for (const [bucket, paths] of Object.entries(operations) as [keyof typeof limits, string[]][]) {
    for (const [index, path] of paths.entries()) {
      const answer = await (bucket === 'write' ? api.post(`/v1${path}`, {}, { key }) : api.get(`/v1${path}`, { key }))
      const standing = ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) => header(answer, name))
      assert.deepEqual(standing, [limits[bucket], limits[bucket] - index - 1], path)
    }
  }
})

test('buckets and keys do not touch each other', async () => {
  const rates = { read: 1, write: 1, balances: 1 }
  const [one, two] = [await api.makeKey({ rates }), await api.makeKey({ rates })]
  for (const key of [one, two]) {
    for (const [, , ask, served] of buckets) {
      assert.equal((await ask(key)).status, served)
      assertRefused(await ask(key), 429, 'RATE_LIMITED')
    }
  }
})

test('windows are UTC minutes; Retry-After is the rest of one', async () => {
  const key = await api.makeKey({ rates: { read: 1, write: null, balances: null } })
  now = MINUTE + 17_001
  assert.equal((await api.get('/v1/config', { key })).status, 200)
  const refused = await api.get('/v1/config', { key })
  assert.deepEqual([refused.status, header(refused, 'retry-after')], [429, 43])
  now = MINUTE + 59_999
  assert.equal(header(await api.get('/v1/config', { key }), 'retry-after'), 1)
  now = MINUTE + 60_000
  const next = await api.get('/v1/config', { key })
  assert.deepEqual([next.status, header(next, 'x-ratelimit-reset')], [200, MINUTE / 1000 + 120])
})

test('what was refused for its rate is carried out in the next minute under the same Idempotency-Key', async () => {
  const key = await api.makeKey({ rates: { read: null, write: 1, balances: null } })
  const customerId = await api.makeCustomer()
  const walletAddress = newAddress()
  const post = (referenceId: string) => {
    const body = { referenceId, amountMyr: '10', walletAddress, customerId }
    return api.post('/v1/mints', body, { key, idempotencyKey: referenceId })
  }
  const [one, other] = [newReference(), newReference()]
  assert.equal((await post(one)).status, 201)
  // What was carried out is not answered above the limit either.
  for (const referenceId of [one, other]) assertRefused(await post(referenceId), 429, 'RATE_LIMITED')
  assertRefused(await api.get(`/v1/mints/${other}`, { key }), 404, 'NOT_FOUND')
  for (const [referenceId, replayed] of [
    [other, null],
    [one, 'true'],
  ] as const) {
    now += 60_000
    const answer = await post(referenceId)
    assert.deepEqual([answer.status, answer.headers.get('x-coin-idempotent-replay')], [201, replayed])
  }
})

test('a key with limits of its own', async () => {
  const key = await api.makeKey({ rates: { read: 3, write: null, balances: null } })
  const answers = []
  for (let n = 0; n < 5; n++) answers.push(await api.get('/v1/tokens', { key }))
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [200, 200, 200, 429, 429],
  )
  assert.deepEqual(
    answers.map((answer) => header(answer, 'x-ratelimit-remaining')),
    [2, 1, 0, 0, 0],
  )
})

test('errors count and carry the headers too', async () => {
  const key = await api.makeKey({ rates: { read: 3, write: 2, balances: null }, scopes: ['mint:read'] })
  for (const [path, status, left] of [
    ['/v1/mints/x', 400, 2],
    ['/v1/mints/a-reference-nobody-has', 404, 1],
    ['/v1/config', 403, 0],
    ['/v1/config', 429, 0],
  ] as const) {
    const answer = await api.get(path, { key })
    assert.deepEqual([answer.status, header(answer, 'x-ratelimit-remaining')], [status, left])
  }
  const noKey = await api.post('/v1/mints', {}, { key, idempotencyKey: null })
  assert.deepEqual([noKey.status, header(noKey, 'x-ratelimit-remaining')], [400, 1])
})

test('what is not authenticated is not counted', async () => {
  const key = await api.makeKey({ rates: { read: 1, write: null, balances: null } })
  for (let n = 0; n < 3; n++) {
    const answer = await api.get('/v1/config', { key: `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}` })
    assertRefused(answer, 401, 'UNAUTHORIZED')
    assert.equal(answer.headers.get('x-ratelimit-limit'), null)
  }
  assert.equal((await api.get('/v1/config', { key })).status, 200)
})
