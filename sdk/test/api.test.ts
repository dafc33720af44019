// engine: postgres; both in test:long
/** The client against the service itself. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newAddress, newReference, startTestApi, type TestApi } from '../../test/support/api.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import { type AttemptReport, answerOf, createClient, type EventFilters, isCoinApiError, toMicro } from '../src/index.ts'

let api: TestApi
const reports: AttemptReport[] = []

before(async () => {
  api = await startTestApi()
})
after(() => api.close())

const connect = (apiKey = api.fullKey) =>
  createClient({ baseUrl: api.baseUrl, apiKey, onAttempt: (report) => reports.push(report) })

async function customerWith(balanceMicro = 0n) {
  const customerId = await api.makeCustomer()
  return { customerId, walletAddress: await api.makeWallet(customerId, balanceMicro) }
}

test('system: health, time, config, tokens', async () => {
  const coin = connect()
  assert.equal((await coin.health()).status, 'healthy')
  assert.equal((await coin.time()).timezone, 'UTC')
  const { defaultChainId, chains } = await coin.config()
  assert.ok(chains.some(({ chainId }) => chainId === defaultChainId))
  assert.equal((await coin.tokens()).tokens.length, chains.length)
})

test('mints: create, confirm, get, cancel; a repeated key is a replay', async () => {
  const coin = connect()
  const party = await customerWith()
  const mint = { referenceId: newReference(), amountMyr: '1000.50', ...party }
  const created = await coin.mints.create(mint, { idempotencyKey: mint.referenceId })
  assert.equal(created.status, 'payment_pending')
  assert.deepEqual(await coin.mints.create(mint, { idempotencyKey: mint.referenceId }), created)
  assert.equal(reports.at(-1)?.replayed, true)
  assert.equal(reports.at(-1)?.rateLimit?.limit, 1_000_000)
  assert.equal((await coin.mints.confirm(mint)).status, 'pending')
  assert.equal((await coin.mints.get(mint.referenceId)).status, 'pending')
  const wait = { until: ['pending'] as const }
  assert.equal((await coin.waitForOrder(mint.referenceId, wait)).referenceId, mint.referenceId)
  await assert.rejects(coin.mints.cancel(mint.referenceId), { code: 'ORDER_NOT_CANCELLABLE', status: 409 })

  const other = { ...mint, referenceId: newReference() }
  await coin.mints.create(other)
  assert.equal((await coin.mints.cancel(other.referenceId)).status, 'cancelled')
  assert.equal((await coin.waitForOrder(other.referenceId, { direction: 'MINT' })).status, 'cancelled')
})

test('redeems and transfers: create, get, refusals with typed meta', async () => {
  const coin = connect()
  const party = await customerWith(500_000_000n)
  const redeem = { referenceId: newReference(), amountCoin: '250', bankReference: 'payout 1', ...party }
  assert.equal((await coin.redeems.create(redeem)).direction, 'REDEEM')
  assert.equal((await coin.redeems.get(redeem.referenceId)).status, 'pending')
  const transfer = { referenceId: newReference(), amountCoin: '12.345678', customerId: party.customerId }
  const sent = await coin.transfers.create({ ...transfer, walletAddress: newAddress() })
  assert.deepEqual([sent.amounts.myr, sent.amounts.amountRaw], [null, String(toMicro('12.345678'))])
  assert.equal((await coin.transfers.get(transfer.referenceId)).status, 'pending')

  const tooMuch = { ...redeem, referenceId: newReference(), amountCoin: '300' }
  const error: unknown = await coin.redeems.create(tooMuch).catch((thrown: unknown) => thrown)
  assert.ok(isCoinApiError(error, 'INSUFFICIENT_BALANCE'))
  assert.deepEqual([error.meta.requestedCoin, error.meta.walletBalanceCoin], ['300', '237.654322'])
  await assert.rejects(coin.mints.get(redeem.referenceId), { code: 'NOT_FOUND' })
})

test('a refusal does not hide that the answer to an earlier attempt was lost: what was posted may be there', async () => {
  const party = await customerWith(100_000_000n)
  const transfer = { amountCoin: '10', walletAddress: newAddress(), customerId: party.customerId }
  const revoked = `${api.fullKey.slice(0, -43)}${'x'.repeat(43)}`
  let sent = 0
  const options = { baseUrl: api.baseUrl, apiKey: api.fullKey }
  // The first answer is lost on its way, and then the issuer revokes the key.
  const losing: typeof fetch = async (url, init) => {
    sent += 1
    if (sent > 1) return fetch(url, { ...init, headers: { ...init?.headers, authorization: `Bearer ${revoked}` } })
    await fetch(url, init)
    throw new TypeError('the answer is lost')
  }
  const lost = { ...transfer, referenceId: newReference() }
  const unlucky = createClient({ ...options, fetch: losing })
  const error: unknown = await unlucky.transfers.create(lost).catch((thrown: unknown) => thrown)
  assert.ok(isCoinApiError(error, 'UNAUTHORIZED'))
  assert.deepEqual([sent, error.undecided, error.retryable], [2, true, false])
  assert.equal((await connect().transfers.get(lost.referenceId)).status, 'pending', 'it was accepted')
  const { idempotencyKey } = error
  const still: unknown = await createClient({ ...options, apiKey: revoked })
    .transfers.create(lost, { idempotencyKey })
    .catch((thrown: unknown) => thrown)
  assert.ok(isCoinApiError(still, 'UNAUTHORIZED'))
  assert.equal(still.undecided, true, 'sent again as the README says, under a key that is still none')
  const again = await connect().transfers.create(lost, { idempotencyKey })
  assert.equal(answerOf(again)?.replayed, true)

  const refused: unknown = await createClient({ ...options, apiKey: revoked })
    .transfers.create({ ...transfer, referenceId: newReference() })
    .catch((thrown: unknown) => thrown)
  assert.ok(isCoinApiError(refused, 'UNAUTHORIZED'))
  assert.equal(refused.undecided, false)
})

test('transactions: get, a page, all of them once', async () => {
  const integrationId = await api.makeIntegration()
  const coin = connect(await api.makeKey({ integrationId }))
  const customerId = await api.makeCustomer({}, integrationId)
  const references = Array.from({ length: 5 }, newReference)
  for (const referenceId of references) {
    await coin.mints.create({ referenceId, amountMyr: '1', walletAddress: newAddress(), customerId })
  }
  const page = await coin.transactions.list({ limit: 2, direction: 'MINT', status: 'payment_pending' })
  assert.equal(page.transactions.length, 2)
  assert.equal(typeof page.nextCursor, 'string')
  const walked: string[] = []
  for await (const { referenceId } of coin.transactions.all({ limit: 2 })) walked.push(referenceId)
  assert.deepEqual(walked, references.toReversed())
  assert.equal((await coin.transactions.get(references[0] ?? '')).amounts.coin, '1')
  await assert.rejects(coin.transactions.list({ limit: 0 }), { code: 'BAD_REQUEST', meta: { field: 'limit' } })
})

test('events: a page, all pages, and on from a cursor that was kept', async () => {
  const integrationId = await api.makeIntegration()
  const coin = connect(await api.makeKey({ integrationId }))
  const customerId = await api.makeCustomer({}, integrationId)
  const walletAddress = await api.makeWallet(customerId)
  const submit = async () => {
    const { referenceId } = await coin.mints.confirm({
      referenceId: newReference(),
      amountMyr: '1',
      walletAddress,
      customerId,
    })
    return referenceId
  }
  const read = async (filters: EventFilters) => {
    const pages: string[][] = []
    let cursor = ''
    for await (const page of coin.events.pages(filters)) {
      assert.equal(answerOf(page)?.status, 200)
      pages.push(page.events.map(({ data }) => data.referenceId))
      cursor = page.nextCursor
    }
    return { pages, cursor }
  }
  const references: string[] = []
  for (let n = 0; n < 5; n += 1) references.push(await submit())
  // Nobody is shown what a transaction that is open anywhere on the server may still come before.
  await waitFor('all of them', async () => (await coin.events.list()).events.length === 5)
  const { pages, cursor } = await read({ limit: 2 })
  assert.deepEqual(pages, [references.slice(0, 2), references.slice(2, 4), references.slice(4)])

  const first = await coin.events.list({ limit: 2, types: ['mint.pending', 'mint.failed'] })
  assert.deepEqual([first.hasMore, first.events.map(({ type }) => type)], [true, ['mint.pending', 'mint.pending']])
  assert.deepEqual((await read({ cursor: first.nextCursor })).pages, [references.slice(2)])
  assert.deepEqual((await read({ types: ['redeem.failed'] })).pages, [[]])
  assert.deepEqual((await read({ since: new Date(Date.now() + 60_000).toISOString() })).pages, [[]])

  const sixth = await submit()
  await waitFor('the sixth', async () => (await coin.events.list({ cursor })).events.length === 1)
  assert.deepEqual((await read({ cursor })).pages, [[sixth]])
  await assert.rejects(coin.events.list({ cursor: 'x' }), { code: 'BAD_REQUEST', meta: { field: 'cursor' } })
})

test('balances and accounts', async () => {
  const coin = connect()
  const { customerId, walletAddress } = await customerWith(1_000_500_000n)
  const all = await coin.balances.get(walletAddress)
  assert.equal(all.balances.length, 2)
  const one = await coin.balances.get(walletAddress, { chainId: all.balances[1]?.chainId })
  assert.deepEqual(one.balances, all.balances.slice(1))
  assert.equal(one.balances[0]?.balance, '1000.5')
  await assert.rejects(coin.customers.get(customerId), { code: 'SCOPE_DENIED' })
  await assert.rejects(coin.corporates.get('cor_1'), { code: 'SCOPE_DENIED' })
  await api.db.query('update integrations set dpa_signed_on = $2 where integration_id = $1', [
    api.integrationId,
    '2026-01-01',
  ])
  const signed = connect(await api.makeKey())
  assert.equal((await signed.customers.get(customerId)).verification.status, 'VERIFIED')
  await assert.rejects(signed.corporates.get('cor_1'), { code: 'NOT_FOUND' })
})

test('a key that does not exist is refused once', async () => {
  const before = reports.length
  const coin = connect(`coin_sandbox_${'0'.repeat(16)}_${'A'.repeat(43)}`)
  await assert.rejects(coin.config(), { code: 'UNAUTHORIZED', status: 401, retryable: false })
  assert.equal(reports.length, before + 1)
})
