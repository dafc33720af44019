// engine: postgres; both in test:long
/** What requests must never do when they arrive together, over HTTP. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Answer, assertRefused, newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'

let api: TestApi
before(async () => {
  api = await startTestApi()
})
after(() => api.close())

const together = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))
const accepted = (answers: Answer[]) => answers.filter(({ status }) => status === 201)
const refusals = (answers: Answer[]) => answers.filter(({ status }) => status !== 201)

async function countOrders(customerId: string): Promise<number> {
  const rows = await api.db.query('select 1 from orders where customer_id = $1', [customerId])
  return rows.length
}

for (const [kind, amount] of [
  ['mints', 'amountMyr'],
  ['redeems', 'amountCoin'],
  ['transfers', 'amountCoin'],
] as const) {
  test(`50 equal POSTs to ${kind} at once make one order and answer the same bytes`, async () => {
    const customerId = await api.makeCustomer()
    const wallet = await api.makeWallet(customerId, 1_000_000_000n)
    const walletAddress = kind === 'redeems' ? wallet : newAddress()
    const body = { referenceId: newReference(), [amount]: '10', walletAddress, customerId }
    const idempotencyKey = randomUUID()
    const answers = await together(50, () => api.post(`/v1/${kind}`, body, { idempotencyKey }))
    assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
    assert.equal(answers[0]?.status, 201)
    assert.equal(answers.filter(({ headers }) => headers.get('x-coin-idempotent-replay') === null).length, 1)
    assert.equal(await countOrders(customerId), 1)
  })
}

test('equal POSTs at two processes make one order; with another body under the key, or another key for the reference, nothing more', async () => {
  const other = await startTestApi({ db: api.db })
  const at = (index: number) => (index % 2 === 0 ? api : other)
  const post = (index: number, body: object, idempotencyKey: string) =>
    at(index).post('/v1/mints', body, { idempotencyKey, key: api.fullKey })
  try {
    const customerId = await api.makeCustomer()
    const mint = () => ({ referenceId: newReference(), amountMyr: '10', walletAddress: newAddress(), customerId })
    for (let round = 0; round < 20; round += 1) {
      const [body, key] = [mint(), randomUUID()]
      const equal = await together(8, (index) => post(index, body, key))
      assert.equal(new Set(equal.map(({ status, text }) => `${status} ${text}`)).size, 1)
      assert.equal(equal.filter(({ headers }) => headers.get('x-coin-idempotent-replay') === null).length, 1)

      const others = randomUUID()
      const different = await together(8, (index) => post(index, mint(), others))
      assert.equal(accepted(different).length, 1)
      for (const refusal of refusals(different)) assertRefused(refusal, 409, 'IDEMPOTENCY_CONFLICT')

      const again = mint()
      const sameReference = await together(8, (index) => post(index, again, randomUUID()))
      assert.equal(new Set(sameReference.map(({ status, text }) => `${status} ${text}`)).size, 1)
    }
    assert.equal(await countOrders(customerId), 60)
  } finally {
    await other.close()
  }
})

test('40 transfers at once against a cap that admits 10 pass exactly 10', async () => {
  const customerId = await api.makeCustomer()
  await api.makeWallet(customerId, 1_000_000_000_000n)
  const key = await api.makeKey({ transferDayCapMicro: 105_000_000n })
  const answers = await together(40, () =>
    api.post(
      '/v1/transfers',
      { referenceId: newReference(), amountCoin: '10', walletAddress: newAddress(), customerId },
      { key },
    ),
  )
  assert.equal(accepted(answers).length, 10)
  for (const answer of refusals(answers)) {
    assert.equal(assertRefused(answer, 400, 'TRANSFER_DAILY_CAP_EXCEEDED')?.committedTodayCoin, '100')
  }
  assert.equal(await countOrders(customerId), 10)
})

test('12 redeems at once against a balance that covers 6 pass exactly 6', async () => {
  const customerId = await api.makeCustomer()
  const walletAddress = await api.makeWallet(customerId, 65_000_000n)
  const answers = await together(12, () =>
    api.post('/v1/redeems', { referenceId: newReference(), amountCoin: '10', walletAddress, customerId }),
  )
  assert.equal(accepted(answers).length, 6)
  for (const answer of refusals(answers)) {
    assert.equal(assertRefused(answer, 400, 'INSUFFICIENT_BALANCE')?.walletBalanceCoin, '5')
  }
  assert.equal(await countOrders(customerId), 6)
})

test('redeems at once against a monthly limit that admits 4 pass exactly 4', async () => {
  const customerId = await api.makeCustomer({ monthlyCapMicro: 45_000_000n })
  const walletAddress = await api.makeWallet(customerId, 1_000_000_000n)
  const answers = await together(12, () =>
    api.post('/v1/redeems', { referenceId: newReference(), amountCoin: '10', walletAddress, customerId }),
  )
  assert.equal(accepted(answers).length, 4)
  for (const answer of refusals(answers)) assertRefused(answer, 400, 'MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED')
})

test('confirming and cancelling a mint at once has exactly one winner', async () => {
  const customerId = await api.makeCustomer()
  await together(15, async () => {
    const body = { referenceId: newReference(), amountMyr: '10', walletAddress: newAddress(), customerId }
    assert.equal((await api.post('/v1/mints', body)).status, 201)
    const [confirmed, cancelled] = await Promise.all([
      api.post('/v1/mints', { ...body, fiatConfirmed: true }),
      api.call('POST', `/v1/mints/${body.referenceId}/cancel`),
    ])
    const { status } = (await api.get(`/v1/mints/${body.referenceId}`)).body
    assert.equal(confirmed.status, 201)
    assert.equal(confirmed.body.status, status)
    if (status === 'pending') assertRefused(cancelled, 409, 'ORDER_NOT_CANCELLABLE')
    else assert.deepEqual([cancelled.status, status], [200, 'cancelled'])
  })
})
