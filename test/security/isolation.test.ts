// engine: postgres; both in test:long
/** Nobody reads, changes or learns about what belongs to another integration. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { insertCorporate } from '../../src/customers/corporates.sql.ts'
import { setIntegrationDpa } from '../../src/integrations/integrations.sql.ts'
import { type Answer, assertRefused, newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { countingDatabase } from './counted.ts'

let database: TestDatabase
let api: TestApi
let take: () => string[]
let mallory: { integrationId: string; key: string; customerId: string }
let customerId: string
let corporateId: string
const orders: Record<string, string> = {}

before(async () => {
  database = await createTestDatabase()
  const counted = countingDatabase(database)
  take = counted.take
  api = await startTestApi({ db: counted.db })
  const integrationId = await api.makeIntegration()
  for (const id of [api.integrationId, integrationId]) await setIntegrationDpa(api.db, id, '2026-01-01')
  const key = await api.makeKey({ integrationId })
  mallory = { integrationId, key, customerId: await api.makeCustomer({}, integrationId) }
  await api.makeWallet(mallory.customerId, 10n ** 12n)
  customerId = await api.makeCustomer()
  const wallet = await api.makeWallet(customerId, 10n ** 12n)
  corporateId = await insertCorporate(api.db, api.integrationId, {
    companyName: 'Victim',
    status: 'VERIFIED',
    stage: 'COMPLETE',
    countryCode: 'MY',
    industry: 'Trade',
    canMint: true,
    canRedeem: true,
    canPayroll: true,
  })
  for (const [kind, body] of Object.entries({
    mints: { amountMyr: '10', walletAddress: newAddress() },
    redeems: { amountCoin: '10', walletAddress: wallet },
    transfers: { amountCoin: '10', walletAddress: newAddress() },
  })) {
    const referenceId = newReference()
    assert.equal((await api.post(`/v1/${kind}`, { referenceId, customerId, ...body })).status, 201)
    orders[kind] = referenceId
  }
})
after(async () => {
  await api.close()
  await database.close()
})

/** Everything in an answer that could tell one 404 from another. */
function visible({ status, text, headers }: Answer) {
  const names = [...headers.keys()].filter((name) => name !== 'x-ratelimit-remaining' && name !== 'date')
  return { status, text, names }
}

async function readAs(key: string, path: string) {
  take()
  const answer = visible(await api.get(path, { key }))
  // Queries that do not belong to this request: the key's look-up, and the notification about an earlier order.
  const elsewhere = /api_keys|pg_notify/
  return { answer, queries: take().filter((text) => !elsewhere.test(text)) }
}

test('what is foreign, of another direction or absent is the same 404 after the same queries', async () => {
  for (const kind of ['mints', 'redeems', 'transfers', 'transactions']) {
    const absent = await readAs(mallory.key, `/v1/${kind}/${newReference()}`)
    assert.equal(absent.answer.status, 404)
    for (const referenceId of Object.values(orders)) {
      assert.deepEqual(await readAs(mallory.key, `/v1/${kind}/${referenceId}`), absent)
    }
    if (kind === 'transactions') continue
    const wrong = Object.entries(orders).find(([of]) => of !== kind)?.[1]
    assert.deepEqual(await readAs(api.fullKey, `/v1/${kind}/${wrong}`), absent)
  }
  for (const [path, foreign] of [
    ['/v1/customers/', customerId],
    ['/v1/corporates/', corporateId],
  ] as const) {
    const absent = await readAs(mallory.key, path + foreign.replace(/.$/, (last) => (last === '0' ? '1' : '0')))
    assert.equal(absent.answer.status, 404)
    assert.deepEqual(await readAs(mallory.key, path + foreign), absent)
  }
})

test('orders for a foreign customer, and its wallet, are refused as if it did not exist', async () => {
  for (const [kind, body] of Object.entries({
    mints: { amountMyr: '10', fiatConfirmed: true },
    redeems: { amountCoin: '10' },
    transfers: { amountCoin: '10' },
  })) {
    const post = (owner: string) =>
      api.post(
        `/v1/${kind}`,
        { referenceId: newReference(), walletAddress: newAddress(), customerId: owner, ...body },
        { key: mallory.key },
      )
    const foreign = await post(customerId)
    assertRefused(foreign, 404, 'NOT_FOUND')
    assert.deepEqual(visible(foreign), visible(await post('cus_000000000000000000000000')))
  }
})

test("another integration's order cannot be cancelled, confirmed or replayed", async () => {
  const referenceId = orders.mints ?? ''
  assertRefused(await api.call('POST', `/v1/mints/${referenceId}/cancel`, { key: mallory.key }), 404, 'NOT_FOUND')
  const idempotencyKey = randomUUID()
  const body = { referenceId: newReference(), amountMyr: '10', walletAddress: newAddress(), customerId }
  assert.equal((await api.post('/v1/mints', body, { idempotencyKey })).status, 201)
  const stolen = await api.post('/v1/mints', body, { idempotencyKey, key: mallory.key })
  assertRefused(stolen, 404, 'NOT_FOUND')
  assert.equal(stolen.headers.get('x-coin-idempotent-replay'), null)
  assert.equal((await api.get(`/v1/mints/${referenceId}`)).body.status, 'payment_pending')
})

test('lists, filters and cursors show nothing foreign', async () => {
  const cursor = String((await api.get('/v1/transactions?limit=1')).body.nextCursor)
  const own = await api.get('/v1/transactions', { key: mallory.key })
  assert.deepEqual(own.body.transactions, [])
  assertRefused(await api.get(`/v1/transactions?cursor=${cursor}`, { key: mallory.key }), 400, 'BAD_REQUEST')
})

test('no scope is gained from the body, the query or another header', async () => {
  const key = await api.makeKey({ scopes: ['mint:create'] })
  const body = {
    referenceId: newReference(),
    amountMyr: '10',
    walletAddress: newAddress(),
    customerId,
    scopes: ['mint:execute'],
    integrationId: mallory.integrationId,
    status: 'completed',
    keyId: 'x',
  }
  const headers = { 'x-http-method-override': 'GET', 'x-coin-scopes': 'mint:execute', 'x-original-url': '/v1/config' }
  assertRefused(await api.post('/v1/mints', { ...body, fiatConfirmed: true }, { key, headers }), 403, 'SCOPE_DENIED')
  const accepted = await api.post('/v1/mints?fiatConfirmed=true', body, { key, headers })
  assert.deepEqual([accepted.status, accepted.body.status], [201, 'payment_pending'])
})

test('prototype pollution: keys of every body and query stay data', async () => {
  const evil = '{"__proto__":{"fiatConfirmed":true,"polluted":1},"constructor":{"prototype":{"polluted":1}}'
  const fields = `"referenceId":"${newReference()}","amountMyr":"10","walletAddress":"${newAddress()}","customerId":"${customerId}"}`
  const answer = await api.call('POST', '/v1/mints', { raw: `${evil},${fields}` })
  assert.deepEqual([answer.status, answer.body.status], [201, 'payment_pending'])
  const inherited = await api.call('POST', '/v1/mints', { raw: `{"__proto__":{${fields}}` })
  assertRefused(inherited, 400, 'INVALID_REFERENCE_ID')
  await api.get('/v1/transactions?__proto__[polluted]=1&constructor.prototype.polluted=1&__proto__=1')
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    assertRefused(await api.get(`/v1/customers/${name}`), 404, 'NOT_FOUND')
    assertRefused(await api.get(`/v1/transactions?direction=${name}`), 400, 'BAD_REQUEST')
  }
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
})
