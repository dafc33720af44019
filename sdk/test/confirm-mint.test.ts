// engine: postgres; both in test:long
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newAddress, startTestApi, type TestApi } from '../../test/support/api.ts'
import { answerOf, type Client, CoinMintNotConfirmedError, createClient, isCoinApiError } from '../src/index.ts'

let api: TestApi
let client: Client
let mint: { referenceId: string; amountMyr: string; walletAddress: string; customerId: string }
let number = 0

before(async () => {
  api = await startTestApi()
  client = createClient({ baseUrl: api.baseUrl, apiKey: api.fullKey })
})
after(() => api.close())

async function recordMint() {
  number += 1
  const customerId = await api.makeCustomer()
  const walletAddress = await api.makeWallet(customerId)
  mint = { referenceId: `confirm-${number}-mint`, amountMyr: '12.50', walletAddress, customerId }
  await client.mints.create(mint)
}

function refused(reason: string) {
  return (error: unknown) =>
    error instanceof CoinMintNotConfirmedError &&
    error.reason === reason &&
    error.order.referenceId === mint.referenceId
}

test('a mint with the recorded details is submitted, however its amount is written; repeating it gives the same mint', async () => {
  await recordMint()
  assert.equal((await client.mints.confirm({ ...mint, amountMyr: '12.5' })).status, 'pending')
  assert.equal((await client.mints.confirm(mint)).status, 'pending')
})

test('confirming with another amount, wallet or customer throws, before and after the mint was submitted', async () => {
  await recordMint()
  const other = await api.makeCustomer()
  const differing = [{ amountMyr: '12.51' }, { walletAddress: newAddress() }, { customerId: other }]
  for (const change of differing) {
    await assert.rejects(client.mints.confirm({ ...mint, ...change }), refused('details_differ'))
  }
  assert.equal((await client.mints.get(mint.referenceId)).status, 'payment_pending')
  await client.mints.confirm(mint)
  for (const change of differing.slice(0, 2)) {
    await assert.rejects(client.mints.confirm({ ...mint, ...change }), refused('details_differ'))
  }
})

test('confirming a cancelled mint throws', async () => {
  await recordMint()
  await client.mints.cancel(mint.referenceId)
  await assert.rejects(client.mints.confirm(mint), refused('cancelled'))
})

test('the answer behind a result or an error can be read, and no log shows it', async () => {
  await recordMint()
  const order = await client.mints.get(mint.referenceId)
  const answer = answerOf(order)
  assert.equal(answer?.status, 200)
  assert.deepEqual(JSON.parse(answer?.text ?? ''), order)
  assert.equal(answer?.headers.get('x-coin-api-version'), 'v1')
  assert.equal(answerOf({ ...order }), undefined)
  const error = await client.mints.get('never-posted').catch((thrown: unknown) => thrown)
  assert.ok(isCoinApiError(error, 'NOT_FOUND'))
  assert.equal(error.answer?.status, 404)
  assert.match(error.answer?.text ?? '', /NOT_FOUND/)
  assert.ok(!JSON.stringify(error).includes('x-ratelimit'))
})
