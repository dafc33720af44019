// engine: postgres; both in test:long
/** What remains: answers under endless races, how long keys are remembered, what accounts never reveal. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { insertCorporate } from '../../src/customers/corporates.sql.ts'
import { setIntegrationDpa } from '../../src/integrations/integrations.sql.ts'
import { type Answer, assertRefused, newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'

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

test('an answer is remembered for 90 days; its key and its reference guard for ever', async () => {
  const body = await mintBody()
  const [created, confirmed] = [randomUUID(), randomUUID()]
  const replayed = ({ headers }: Answer) => headers.get('x-coin-idempotent-replay')
  const first = await api.post('/v1/mints', body, { idempotencyKey: created })
  const post = (changes: object) =>
    api.post('/v1/mints', { ...body, fiatConfirmed: true, ...changes }, { idempotencyKey: confirmed })
  const second = await post({})
  // What the end of a month's retention leaves behind: keys without their answers.
  await api.db.query('delete from remembered_answers where idempotency_key = $1', [confirmed])
  const again = await api.post('/v1/mints', body, { idempotencyKey: created })
  assert.deepEqual([again.status, again.text, replayed(again)], [201, first.text, 'true'])
  assertRefused(await post({ amountMyr: '99' }), 409, 'IDEMPOTENCY_CONFLICT')
  for (let times = 0; times < 2; times += 1) {
    const decided = await post({})
    assert.deepEqual([decided.status, decided.text, replayed(decided)], [201, second.text, null])
  }
  assert.equal((await api.db.query('select from orders where reference_id = $1', [body.referenceId])).length, 1)
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
