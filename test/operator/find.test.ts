// engine: postgres; both in test:long
/** Orders found by whatever somebody has in hand, and no others. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'
import { addBatch, addChain, addOrder, addParty, addPayout, type Party } from './world.ts'

let api: OperatorFixture
let one: Party
let other: Party
let payoutId: string
let transferred: bigint
const place = (
  party: Party,
  referenceId: string,
  direction: 'MINT' | 'REDEEM' = 'MINT',
  state = 'completed' as const,
) => addOrder(api.db, party, { chainId: 31_337, amountMicro: 1_000_000n, direction, state, referenceId })

before(async () => {
  api = await startOperator()
  await addChain(api.db, 31_337, 100n)
  ;[one, other] = [await addParty(api.db), await addParty(api.db)]
  for (const party of [one, other]) await place(party, 'invoice-both')
  const redeemed = await place(one, 'redeem-one', 'REDEEM')
  await place(other, 'redeem-other', 'REDEEM')
  payoutId = await addPayout(api.db, { orderId: redeemed, customerId: one.customerId, status: 'paid' })
  await api.db.query(`update customers set external_id = 'crm-77' where customer_id = $1`, [other.customerId])
  transferred = await addOrder(api.db, other, {
    chainId: 31_337,
    direction: 'TRANSFER',
    amountMicro: 5n,
    state: 'submitted',
    referenceId: 'transfer-other',
  })
})
after(() => api.close())

async function find(text: string): Promise<string[]> {
  const { status, body } = await api.call('GET', `/orders/find?${new URLSearchParams({ text })}`)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.searchedSince, null)
  return body.orders.map(({ integrationId, referenceId }: Record<string, string>) =>
    integrationId === one.integrationId ? `one/${referenceId}` : `other/${referenceId}`,
  )
}
const value = async (sql: string, ...params: string[]) => (await api.db.query<{ v: string }>(sql, params))[0]?.v ?? ''

it('finds orders by reference, name, customer, wallet, transaction and payout', async () => {
  assert.deepEqual(await find('invoice-both'), ['other/invoice-both', 'one/invoice-both'])
  assert.deepEqual(await find(` ${one.integrationId}/invoice-both `), ['one/invoice-both'])
  assert.deepEqual(await find(one.customerId), ['one/redeem-one', 'one/invoice-both'])
  assert.deepEqual(await find('crm-77'), ['other/transfer-other', 'other/redeem-other', 'other/invoice-both'])
  assert.deepEqual(await find(one.wallet), ['one/redeem-one', 'one/invoice-both'])
  assert.deepEqual(await find(one.wallet.toLowerCase()), ['one/redeem-one', 'one/invoice-both'])
  assert.deepEqual(await find(payoutId), ['one/redeem-one'])
  const endToEnd = await value('select end_to_end_id as v from payouts where payout_id = $1', payoutId)
  assert.deepEqual(await find(endToEnd), ['one/redeem-one'])
  const settled = await value(
    `select '0x' || encode(tx_hash, 'hex') as v from orders where reference_id = 'redeem-one'`,
  )
  assert.deepEqual(await find(settled), ['one/redeem-one'])
  const signed = `0x${'7'.repeat(64)}`
  await addBatch(api.db, {
    chainId: 31_337,
    batchId: 5n,
    status: 'final',
    isForeign: true,
    orderIds: [transferred],
    txHash: signed,
  })
  assert.deepEqual(await find(signed.toUpperCase().replace('0X', '0x')), ['other/transfer-other'])
  assert.deepEqual(await find('nobody-has-this'), [])
  assert.deepEqual(await find('%'), [])
})

it('finds mints by the bank reference of their payment', async () => {
  await api.db.query(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address,
       customer_id, key_id, amount_micro, bank_reference)
     values ($1, 'paid-by-bank', 'MINT', 'pending', 31337, 'Test chain', '0x1', $2, $3, $4, 1, 'FT26325-001')`,
    [one.integrationId, one.wallet, one.customerId, one.keyId],
  )
  assert.deepEqual(await find('FT26325-001'), ['one/paid-by-bank'])
})

it('says that it shows the newest only, and since when it has looked, where there are more', async () => {
  const { text, customerId } = { text: 'of-many', customerId: other.customerId }
  const before = await api.run('order', 'find', customerId)
  assert.deepEqual([before.isWhole, before.searchedSince], [true, null])
  await withoutGuards(api.db, (tx) =>
    tx.query(
      `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address,
         customer_id, key_id, amount_micro, created_at)
       select $1, $5 || lpad(n::text, 8, '0'), 'MINT', 'pending', 31337, 'Test chain', '0x1', $2, $3, $4, 1, now() + make_interval(secs => n)
       from generate_series(1, 200000) as n`,
      [one.integrationId, one.wallet, one.customerId, one.keyId, text],
    ),
  )
  const { stdout } = await api.cli(['order', 'find', customerId])
  const since = await value(
    `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI') as v from orders where reference_id = $1`,
    `${text}00000001`,
  )
  assert.match(stdout, new RegExp(`^None\\.\nTransactions, wallets, .* in orders since ${since}\\S+ only\\.$`, 'm'))
  assert.match(
    (await api.cli(['order', 'find', one.customerId])).stdout,
    /^These are the newest; more orders have that\.$/m,
  )
})

it('needs something to look for, and says so', async () => {
  for (const query of ['', '?text=', `?text=${'x'.repeat(201)}`]) {
    assert.equal((await api.call('GET', `/orders/find${query}`)).status, 400)
  }
  const found = await api.run('order', 'find', payoutId)
  assert.equal(found.orders.length, 1)
})
