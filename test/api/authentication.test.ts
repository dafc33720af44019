// engine: postgres; both in test:long
/** Who may call, from where, and with which scopes. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { type ApiKey, generateApiKey, SCOPES, type Scope } from '../../src/integrations/api-key.ts'
import { expireKey, findKey, revokeKey, updateKey } from '../../src/integrations/api-keys.sql.ts'
import { setIntegrationDpa, suspendIntegration } from '../../src/integrations/integrations.sql.ts'
import { rotateKey } from '../../src/operator/key-changes.ts'
import { type Answer, assertRefused, newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'
import { exchangeRaw, parseAnswers, rawSocket, readToEnd } from '../support/raw-http.ts'
import { waitFor } from '../support/wait-for.ts'

let api: TestApi
before(async () => {
  api = await startTestApi({ config: { trustedProxies: ['127.0.0.1'] } })
})
after(() => api.close())

const keyIdOf = (key: string) => key.split('_')[2] ?? ''

test('whoever has gone before the key was found is still known by the address', async () => {
  for (const ipAllowlist of [[], ['127.0.0.1']]) {
    const key = await api.makeKey({ ipAllowlist })
    const head = [
      'POST /v1/mints HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${key}`,
      'Idempotency-Key: gone',
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ]
    // What is no chunk ends the connection at once, while the key is looked up.
    const [answer] = await exchangeRaw(api.port, `${head.join('\r\n')}\r\n\r\nno chunk\r\n`)
    assert.equal(answer?.status, 400, answer?.body ?? 'no answer')
    const uses = () => api.keyUses.filter(({ keyId }) => keyId === keyIdOf(key))
    await waitFor('the use of the key', () => uses().length > 0)
    assert.deepEqual(uses(), [{ keyId: keyIdOf(key), address: '127.0.0.1' }])
  }
})

describe('a POST whose body comes late is judged by its key as it is by then', () => {
  const changes: [change: string, status: number, make: (key: ApiKey) => Promise<unknown>][] = [
    ['nothing', 201, async () => {}],
    ['revoked', 401, ({ keyId }) => revokeKey(api.db, keyId)],
    ['expired', 401, ({ keyId }) => expireKey(api.db, keyId, new Date())],
    ['suspended integration', 401, ({ integrationId }) => suspendIntegration(api.db, integrationId)],
    ['another address', 403, (key) => updateKey(api.db, { ...key, ipAllowlist: ['192.0.2.1'] })],
  ]
  for (const [change, status, make] of changes) {
    test(change, async () => {
      const integrationId = await api.makeIntegration()
      const key = await api.makeKey({ integrationId })
      const stored = (await findKey(api.db, keyIdOf(key))) ?? assert.fail()
      const customerId = await api.makeCustomer({}, integrationId)
      const referenceId = newReference()
      const body = JSON.stringify({ referenceId, amountMyr: '10', walletAddress: newAddress(), customerId })
      const head = [
        'POST /v1/mints HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${key}`,
        'Connection: close',
        `Idempotency-Key: ${referenceId}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ]
      const socket = await rawSocket(api.port)
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      await waitFor('admission', () => api.keyUses.some(({ keyId }) => keyId === stored.keyId))
      await make(stored)
      await waitFor('the change', async () => {
        const seen = (await api.get('/v1/config', { key })).status
        return seen === (status === 201 ? 200 : status)
      })
      socket.write(body)
      const [answer] = parseAnswers(await readToEnd(socket))
      assert.equal(answer?.status, status, answer?.body ?? 'no answer')
      assert.equal('x-ratelimit-limit' in (answer?.headers ?? {}), status !== 401)
      const recorded = await api.db.query('select from orders where reference_id = $1', [referenceId])
      assert.equal(recorded.length, status === 201 ? 1 : 0)
    })
  }
})

describe('every cause of a 401 gets the same answer', () => {
  const { apiKey: unknown } = generateApiKey('sandbox')
  const withAuthorization = (authorization: string) => api.get('/v1/config', { key: null, headers: { authorization } })
  const causes: [cause: string, ask: () => Promise<Answer>][] = [
    ['missing', () => api.get('/v1/config', { key: null })],
    ['empty', () => withAuthorization('')],
    ['no scheme', () => withAuthorization(api.fullKey)],
    ['another scheme', () => withAuthorization(`Basic ${api.fullKey}`)],
    ['scheme only', () => withAuthorization('Bearer')],
    ['two tokens', () => withAuthorization(`Bearer ${api.fullKey} ${api.fullKey}`)],
    ['malformed', () => api.get('/v1/config', { key: 'coin_sandbox_nothing' })],
    ['unknown', () => api.get('/v1/config', { key: unknown })],
    [
      'wrong secret',
      () => api.get('/v1/config', { key: api.fullKey.slice(0, -1) + (api.fullKey.endsWith('A') ? 'B' : 'A') }),
    ],
    [
      'secret of another key',
      async () => {
        const other = await api.makeKey()
        return api.get('/v1/config', { key: `${api.fullKey.slice(0, -43)}${other.slice(-43)}` })
      },
    ],
    [
      'revoked',
      async () => {
        const key = await api.makeKey()
        await revokeKey(api.db, keyIdOf(key))
        return api.get('/v1/config', { key })
      },
    ],
    ['expired', async () => api.get('/v1/config', { key: await api.makeKey({ expiresAt: new Date(Date.now() - 1) }) })],
    ['live key', async () => api.get('/v1/config', { key: await api.makeKey({ environment: 'live' }) })],
    ['live prefix on a sandbox key', () => api.get('/v1/config', { key: api.fullKey.replace('sandbox', 'live') })],
    [
      'sandbox prefix on a live key',
      async () => {
        const key = await api.makeKey({ environment: 'live' })
        return api.get('/v1/config', { key: key.replace('live', 'sandbox') })
      },
    ],
    [
      'suspended integration',
      async () => {
        const integrationId = await api.makeIntegration()
        const key = await api.makeKey({ integrationId })
        await suspendIntegration(api.db, integrationId)
        return api.get('/v1/config', { key })
      },
    ],
  ]
  for (const [cause, ask] of causes) {
    test(cause, async () => {
      const answer = await ask()
      assertRefused(answer, 401, 'UNAUTHORIZED')
      assert.equal(answer.text, (await api.get('/v1/config', { key: null })).text)
      const names = [...answer.headers.keys()].sort()
      assert.deepEqual(names, [
        'cache-control',
        'connection',
        'content-length',
        'content-type',
        'date',
        'keep-alive',
        'www-authenticate',
        'x-coin-api-version',
        'x-request-id',
      ])
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
    })
  }

  test('two headers, whichever is the right one', async () => {
    const [right, wrong] = [`Bearer ${api.fullKey}`, `Bearer ${unknown}`]
    for (const sent of [
      [right, wrong],
      [wrong, right],
      [right, right],
    ]) {
      const lines = sent.map((one) => `authorization: ${one}\r\n`).join('')
      const bytes = `GET /v1/config HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n`
      const [answer] = await exchangeRaw(api.port, bytes)
      assert.equal(answer?.status, 401)
      assert.equal(answer?.body, (await api.get('/v1/config', { key: null })).text)
    }
  })

  test('on every route with a key, before anything else is looked at', async () => {
    const routes: [string, string][] = [
      ['GET', '/v1/config'],
      ['GET', '/v1/tokens'],
      ['POST', '/v1/mints'],
      ['GET', '/v1/mints/x'],
      ['POST', '/v1/mints/x/cancel'],
      ['POST', '/v1/redeems'],
      ['GET', '/v1/redeems/x'],
      ['POST', '/v1/transfers'],
      ['GET', '/v1/transfers/x'],
      ['GET', '/v1/transactions?limit=x'],
      ['GET', '/v1/transactions/x'],
      ['GET', '/v1/events?limit=x'],
      ['GET', '/v1/balances/x'],
      ['GET', '/v1/customers/x'],
      ['GET', '/v1/corporates/x'],
    ]
    for (const [method, path] of routes) {
      const answer = await api.call(method, path, {
        key: null,
        idempotencyKey: null,
        ...(method === 'POST' ? { raw: '{' } : {}),
      })
      assertRefused(answer, 401, 'UNAUTHORIZED')
    }
  })
})

test('the scheme is case-insensitive', async () => {
  for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
    const answer = await api.get('/v1/config', { key: null, headers: { authorization: `${scheme} ${api.fullKey}` } })
    assert.equal(answer.status, 200)
  }
})

test('health and server time need no key and ignore one', async () => {
  for (const path of ['/v1/health', '/v1/system/time', '/openapi/stablecoin-partner-v1.json']) {
    for (const authorization of [undefined, 'Bearer nonsense']) {
      const response = await fetch(`${api.baseUrl}${path}`, {
        headers: authorization === undefined ? {} : { authorization },
      })
      await response.arrayBuffer()
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('x-ratelimit-limit'), null)
    }
  }
})

test('a key in use stops working soon after its revocation (how soon: see the key cache), and so do those of a suspended integration', async () => {
  const integrationId = await api.makeIntegration()
  const [revoked, suspended] = [await api.makeKey(), await api.makeKey({ integrationId })]
  for (const [key, stop] of [
    [revoked, () => revokeKey(api.db, keyIdOf(revoked))],
    [suspended, () => suspendIntegration(api.db, integrationId)],
  ] as const) {
    assert.equal((await api.get('/v1/config', { key })).status, 200)
    await stop()
    await waitFor('401', async () => (await api.get('/v1/config', { key })).status === 401, { everyMs: 5 })
  }
})

test('rotation: both keys work during the overlap, and the successor alone once the old one is revoked', async () => {
  const key = await api.makeKey({ scopes: ['mint:create', 'config:read'] })
  const next = generateApiKey('sandbox')
  await api.db.transaction((tx) => rotateKey(tx, keyIdOf(key), next, 60_000, undefined))
  const customerId = await api.makeCustomer()
  const body = { referenceId: newReference(), amountMyr: '10', walletAddress: newAddress(), customerId }
  const first = await api.post('/v1/mints', body, { key, idempotencyKey: body.referenceId })
  assert.equal(first.status, 201, 'the old key works on')
  const again = await api.post('/v1/mints', body, { key: next.apiKey, idempotencyKey: body.referenceId })
  assert.deepEqual([again.text, again.headers.get('x-coin-idempotent-replay')], [first.text, 'true'])
  assertRefused(await api.get('/v1/transactions', { key: next.apiKey }), 403, 'SCOPE_DENIED')
  await revokeKey(api.db, keyIdOf(key))
  const statusOf = async (apiKey: string) => (await api.get('/v1/config', { key: apiKey })).status
  await waitFor('the end of the old one', async () => (await statusOf(key)) === 401, { everyMs: 5 })
  assert.equal(await statusOf(next.apiKey), 200)
})

test('the expiry of a key is never put off', async () => {
  const key = await api.makeKey()
  const soon = new Date(Date.now() + 60_000)
  await expireKey(api.db, keyIdOf(key), soon)
  await expireKey(api.db, keyIdOf(key), new Date(Date.now() + 120_000))
  assert.deepEqual((await findKey(api.db, keyIdOf(key)))?.expiresAt, soon)
  assert.equal((await api.get('/v1/config', { key })).status, 200)
  assert.equal(await expireKey(api.db, '0'.repeat(16), soon), false)
  assert.equal(await revokeKey(api.db, '0'.repeat(16)), false)
})

describe('IP allowlist', () => {
  const cases: [allowlist: string[], forwardedFor: string | undefined, allowed: boolean][] = [
    [['127.0.0.1'], undefined, true],
    [['127.0.0.0/8'], undefined, true],
    [['::ffff:127.0.0.1'], undefined, true],
    [['203.0.113.9'], undefined, false],
    [['203.0.113.9'], '203.0.113.9', true],
    [['203.0.113.0/24', '2001:db8::/32'], '2001:db8::5', true],
    [['203.0.113.9'], '203.0.113.9, 198.51.100.7', false],
    [['203.0.113.9'], 'garbage', false],
    [['203.0.113.9'], '203.0.113.9:4711', true],
    [['203.0.113.8'], '203.0.113.9:4711', false],
    [['2001:db8::/32'], '[2001:db8::5]:443', true],
    [['203.0.113.9'], '203.0.113.9:1, 127.0.0.1:2', true],
    [['127.0.0.1'], '203.0.113.9', false],
    [[], '203.0.113.9', true],
  ]
  for (const [ipAllowlist, forwardedFor, allowed] of cases) {
    test(`${ipAllowlist.join(' ') || 'none'}; through a trusted proxy for ${forwardedFor ?? 'nobody'}: ${allowed}`, async () => {
      const key = await api.makeKey({ ipAllowlist })
      const headers: Record<string, string> = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
      const answer = await api.get('/v1/config', { key, headers })
      if (allowed) assert.equal(answer.status, 200)
      else assertRefused(answer, 403, 'IP_NOT_ALLOWED')
      assert.ok(answer.headers.has('x-ratelimit-limit'))
    })
  }

  test('the last use of a key is noted where it was admitted, with the address that counts', async () => {
    const key = await api.makeKey({ ipAllowlist: ['203.0.113.9'] })
    const wrong = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
    const before = api.keyUses.length
    assertRefused(await api.get('/v1/config', { key, ...from('203.0.113.8') }), 403, 'IP_NOT_ALLOWED')
    assert.equal((await api.get('/v1/config', { key: wrong, ...from('203.0.113.9') })).status, 401)
    assert.deepEqual(api.keyUses.slice(before), [])
    assert.equal((await api.get('/v1/config', { key, ...from('203.0.113.9') })).status, 200)
    assert.deepEqual(api.keyUses.slice(before), [{ keyId: key.split('_')[2], address: '203.0.113.9' }])
  })

  test('X-Forwarded-For from anybody else means nothing', async () => {
    const direct = await startTestApi()
    const key = await direct.makeKey({ ipAllowlist: ['203.0.113.9'] })
    assertRefused(
      await direct.get('/v1/config', { key, headers: { 'x-forwarded-for': '203.0.113.9' } }),
      403,
      'IP_NOT_ALLOWED',
    )
    await direct.close()
  })

  test('a refused address does not use up the key', async () => {
    const key = await api.makeKey({ ipAllowlist: ['203.0.113.9'], rates: { read: 2, write: null, balances: null } })
    for (let n = 0; n < 4; n++) {
      const refused = await api.get('/v1/config', { key })
      assertRefused(refused, 403, 'IP_NOT_ALLOWED')
      assert.equal(refused.headers.get('x-ratelimit-remaining'), '2')
    }
    assert.equal((await api.get('/v1/config', { key, headers: { 'x-forwarded-for': '203.0.113.9' } })).status, 200)
  })
})

describe('scopes', () => {
  type Operation = { needs: Scope[]; ask: (key: string) => Promise<Answer> }
  const reference = 'a-reference-nobody-has'
  const post = (path: string, body: unknown) => (key: string) => api.post(path, body, { key })
  const get = (path: string) => (key: string) => api.get(path, { key })
  const operations: Record<string, Operation> = {
    'GET /config': { needs: ['config:read'], ask: get('/v1/config') },
    'GET /tokens': { needs: ['config:read'], ask: get('/v1/tokens') },
    'POST /mints': { needs: ['mint:create'], ask: post('/v1/mints', {}) },
    'POST /mints confirmed': {
      needs: ['mint:create', 'mint:execute'],
      ask: post('/v1/mints', { fiatConfirmed: true }),
    },
    'GET /mints': { needs: ['mint:read'], ask: get(`/v1/mints/${reference}`) },
    'POST /mints cancel': { needs: ['mint:create'], ask: post(`/v1/mints/${reference}/cancel`, {}) },
    'POST /redeems': { needs: ['redeem:create', 'redeem:execute'], ask: post('/v1/redeems', {}) },
    'GET /redeems': { needs: ['redeem:read'], ask: get(`/v1/redeems/${reference}`) },
    'POST /transfers': { needs: ['transfer:create', 'transfer:execute'], ask: post('/v1/transfers', {}) },
    'GET /transfers': { needs: ['transfer:read'], ask: get(`/v1/transfers/${reference}`) },
    'GET /transactions': { needs: ['transaction:read'], ask: get('/v1/transactions') },
    'GET /transactions/x': { needs: ['transaction:read'], ask: get(`/v1/transactions/${reference}`) },
    'GET /balances': { needs: ['balance:read'], ask: get(`/v1/balances/${newAddress()}`) },
    'GET /customers': { needs: ['account:read'], ask: get('/v1/customers/cus_x') },
    'GET /corporates': { needs: ['account:read'], ask: get('/v1/corporates/cor_x') },
  }

  before(() => setIntegrationDpa(api.db, api.integrationId, '2026-01-01'))

  for (const [name, { needs, ask }] of Object.entries(operations)) {
    test(`${name} needs ${needs.join(' and ')}, and nothing else`, async () => {
      const exact = await ask(await api.makeKey({ scopes: needs }))
      assert.notEqual(exact.status, 403, exact.text)
      assert.notEqual(exact.status, 401, exact.text)
      for (const missing of needs) {
        const scopes = SCOPES.filter((scope) => scope !== missing)
        const answer = await ask(await api.makeKey({ scopes }))
        assertRefused(answer, 403, 'SCOPE_DENIED')
        assert.ok(answer.headers.has('x-ratelimit-remaining'))
      }
      assertRefused(await ask(await api.makeKey({ scopes: [] })), 403, 'SCOPE_DENIED')
    })
  }

  test('a confirmed mint without mint:execute records nothing', async () => {
    const key = await api.makeKey({ scopes: ['mint:create', 'mint:read'] })
    const referenceId = newReference()
    const customerId = await api.makeCustomer()
    const body = { referenceId, amountMyr: '10', walletAddress: newAddress(), customerId, fiatConfirmed: true }
    assertRefused(await api.post('/v1/mints', body, { key }), 403, 'SCOPE_DENIED')
    assertRefused(await api.get(`/v1/mints/${referenceId}`, { key }), 404, 'NOT_FOUND')
  })

  test('account:read grants nothing without a data processing agreement that is signed by now', async () => {
    const integrationId = await api.makeIntegration()
    const key = await api.makeKey({ integrationId })
    const customerId = await api.makeCustomer({}, integrationId)
    const fresh = async () => api.get(`/v1/customers/${customerId}`, { key: await api.makeKey({ integrationId }) })
    assertRefused(await api.get(`/v1/customers/${customerId}`, { key }), 403, 'SCOPE_DENIED')
    assertRefused(await api.get('/v1/corporates/cor_x', { key }), 403, 'SCOPE_DENIED')
    await setIntegrationDpa(api.db, integrationId, '2999-01-01')
    assertRefused(await fresh(), 403, 'SCOPE_DENIED')
    await setIntegrationDpa(api.db, integrationId, '2026-01-01')
    assert.equal((await fresh()).status, 200)
    await setIntegrationDpa(api.db, integrationId, null)
    assertRefused(await fresh(), 403, 'SCOPE_DENIED')
  })
})

test('the checks come in the order of the contract', async () => {
  const stranger = await api.makeKey({
    ipAllowlist: ['203.0.113.9'],
    scopes: [],
    rates: { read: 1, write: 1, balances: 1 },
  })
  const poor = await api.makeKey({ scopes: [] })
  const bad = { idempotencyKey: null, raw: '{' }
  assertRefused(await api.call('POST', '/v1/nowhere', { ...bad, key: null }), 404, 'NOT_FOUND')
  assertRefused(await api.call('POST', '/v1/mints', { ...bad, key: null }), 401, 'UNAUTHORIZED')
  assertRefused(await api.call('POST', '/v1/mints', { ...bad, key: stranger }), 403, 'IP_NOT_ALLOWED')
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  assertRefused(
    await api.call('POST', '/v1/mints', { ...bad, key: stranger, headers }),
    400,
    'IDEMPOTENCY_KEY_REQUIRED',
  )
  assertRefused(await api.call('POST', '/v1/mints', { ...bad, key: stranger, headers }), 429, 'RATE_LIMITED')
  assertRefused(await api.call('POST', '/v1/mints', { ...bad, key: poor }), 400, 'IDEMPOTENCY_KEY_REQUIRED')
  assertRefused(await api.call('POST', '/v1/mints', { raw: '{', key: poor }), 400, 'INVALID_JSON')
  assertRefused(await api.post('/v1/mints', {}, { key: poor }), 403, 'SCOPE_DENIED')
  assertRefused(await api.post('/v1/mints', {}), 400, 'INVALID_REFERENCE_ID')
})

test('a repeated Authorization header counts by its first value only', async () => {
  const answer = await new Promise<number>((resolve, reject) => {
    const sent = request({ port: api.port, path: '/v1/config' }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.setHeader('authorization', ['Bearer nonsense', `Bearer ${api.fullKey}`])
    sent.once('error', reject)
    sent.end()
  })
  assert.equal(answer, 401)
})

test('what is stored of a key does not contain its secret', async () => {
  const key = await api.makeKey()
  const stored = (await findKey(api.db, keyIdOf(key))) as ApiKey
  assert.ok(!JSON.stringify(stored).includes(key.slice(-43)))
})
