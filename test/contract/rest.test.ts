/** What remains: answers under endless races, how long keys are remembered, what accounts never tell. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { insertCorporate } from '../../src/customers/corporates.sql.ts'
import { setIntegrationDpa } from '../../src/integrations/integrations.sql.ts'
import { forgetAnswers } from '../../src/orders/accept/answers.sql.ts'
import { assertRefused, newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'

let api: TestApi
before(async () => {
  api = await startTestApi()
  await setIntegrationDpa(api.db, api.integrationId, '2026-01-01')
})
after(() => api.close())

const mintBody = async () => ({
  referenceId: newReference(),
  amountMyr: '10',
  walletAddress: newAddress(),
  customerId: await api.makeCustomer(),
})

test('a request that loses every race is told to come back: 503, nothing recorded, the same key works', async () => {
  const lost = Object.assign(new Error('lost'), {
    code: '23505',
    severity: 'ERROR',
    constraint: 'orders_reference_unique',
  })
  const { db } = api
  let losing = true
  const query: typeof db.query = (text, ...rest) =>
    losing && text.includes('insert into orders') ? Promise.reject(lost) : db.query(text, ...rest)
  const contended = await startTestApi({ db: { ...db, query } })
  const key = await contended.makeKey({ integrationId: api.integrationId })
  const body = await mintBody()
  const idempotencyKey = randomUUID()
  assertRefused(await contended.post('/v1/mints', body, { key, idempotencyKey }), 503, 'SERVICE_UNAVAILABLE')
  assertRefused(await api.get(`/v1/mints/${body.referenceId}`), 404, 'NOT_FOUND')
  losing = false
  assert.equal((await contended.post('/v1/mints', body, { key, idempotencyKey })).status, 201)
  await contended.close()
})

test('an Idempotency-Key is remembered for 90 days; its reference guards for ever', async () => {
  const body = await mintBody()
  const idempotencyKey = randomUUID()
  const first = await api.post('/v1/mints', body, { idempotencyKey })
  const age = (days: number) =>
    api.db.query(`update idempotency_keys set created_at = now() - $2 * interval '1 day' where idempotency_key = $1`, [
      idempotencyKey,
      days,
    ])
  await age(90)
  await forgetAnswers(api.db, { days: 100, limit: 1_000 })
  const replayed = await api.post('/v1/mints', body, { idempotencyKey })
  assert.equal(replayed.headers.get('x-coin-idempotent-replay'), 'true')
  await age(101)
  assert.equal(await forgetAnswers(api.db, { days: 100, limit: 1_000 }), 1)
  const again = await api.post('/v1/mints', { ...body, amountMyr: '99' }, { idempotencyKey })
  assert.deepEqual([again.status, again.text, again.headers.get('x-coin-idempotent-replay')], [201, first.text, null])
})

test('accounts have exactly the fields of the contract, and none of what must never be returned', async () => {
  const bank = { bic: 'MBBEMYKL', account: '998877665544', name: 'PERSON WITH A NAME' }
  const customerId = await api.makeCustomer({ bank })
  const wallet = await api.makeWallet(customerId)
  const customer = await api.get(`/v1/customers/${customerId}`)
  assert.deepEqual(shapeOf(customer.body), {
    ok: 'boolean',
    customerId: 'string',
    accountType: 'string',
    verification: { status: 'string', level: 'string', verifiedAt: 'string' },
    residency: { countryCode: 'string', isResident: 'boolean' },
    limits: {
      currency: 'string',
      monthlyWithdrawalCap: 'string',
      monthlyWithdrawalUsed: 'string',
      monthlyWithdrawalRemaining: 'string',
    },
    capabilities: { canMint: 'boolean', canRedeem: 'boolean', canTransfer: 'boolean' },
    createdAt: 'string',
  })
  for (const secret of [...Object.values(bank), wallet, api.integrationId]) assert.ok(!customer.text.includes(secret))
  const corporateId = await insertCorporate(api.db, api.integrationId, {
    companyName: 'Test Sdn Bhd',
    status: 'VERIFIED',
    stage: 'COMPLETE',
    countryCode: 'MY',
    industry: 'Trade',
    canMint: true,
    canRedeem: true,
    canPayroll: false,
  })
  assert.deepEqual(shapeOf((await api.get(`/v1/corporates/${corporateId}`)).body), {
    ok: 'boolean',
    corporateId: 'string',
    companyName: 'string',
    verification: { status: 'string', stage: 'string', verifiedAt: 'string' },
    jurisdiction: { countryCode: 'string' },
    industry: 'string',
    capabilities: { canMint: 'boolean', canRedeem: 'boolean', canPayroll: 'boolean' },
    createdAt: 'string',
  })
})

function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}

test('configuration and tokens have exactly the fields of the contract', async () => {
  const { body } = await api.get('/v1/config')
  assert.deepEqual(Object.keys(body), ['ok', 'apiVersion', 'defaultChainId', 'decimals', 'chains', 'endpoints'])
  const [chain] = body.chains as Record<string, unknown>[]
  assert.deepEqual(shapeOf(chain), {
    key: 'string',
    name: 'string',
    chainId: 'number',
    caip2: 'string',
    nativeCurrency: { name: 'string', symbol: 'string', decimals: 'number' },
    explorerBaseUrl: 'string',
    explorerAddressUrl: 'string',
    explorerTxUrl: 'string',
    confirmations: 'number',
    coin: { address: 'string', decimals: 'number', name: 'string', symbol: 'string' },
  })
  const endpoints = body.endpoints as Record<string, string>
  assert.equal(endpoints.balances, '/v1/balances/{walletAddress}')
  const [token] = (await api.get('/v1/tokens')).body.tokens as Record<string, unknown>[]
  assert.deepEqual(Object.keys(token ?? {}).sort(), [
    'chainId',
    'decimals',
    'explorerUrl',
    'name',
    'network',
    'symbol',
    'tokenAddress',
  ])
  const health = (await api.get('/v1/health', { key: null })).body
  assert.deepEqual(Object.keys(health).sort(), ['apiVersion', 'ok', 'service', 'status', 'timestamp'])
  const time = (await api.get('/v1/system/time', { key: null })).body
  assert.deepEqual([Object.keys(time).sort(), time.timezone], [['ok', 'serverTime', 'timezone'], 'UTC'])
})
