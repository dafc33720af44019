// engine: postgres; both in test:long
/** No look-up on the way of an order has a second index that serves it badly, whatever the planner knows about the tables. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findOrder, findShownOrders, listOrders } from '../../src/orders/read/orders.sql.ts'
import { createOrdersFixture, type OrdersFixture } from '../support/orders.ts'
import { listeningTo, rivalsIn } from '../support/rival-plans.ts'

/** A customer has few wallets, and an address is a wallet of few customers. */
const HARMLESS = new Set([
  'wallets: wallets_one_primary or wallets_pkey',
  'wallets: wallets_by_address or wallets_pkey',
])

let fixture: OrdersFixture
const texts = new Set<string>()

before(async () => {
  fixture = await createOrdersFixture('postgres')
  const { call, mintBody, redeemBody, transferBody, onStatement, integrationId } = fixture
  onStatement((text) => texts.add(text))
  const mint = mintBody()
  const referenceId = String(mint.referenceId)
  await call('mint', mint)
  await call('mint', { ...mint, fiatConfirmed: true })
  await call('mint', { ...mint, fiatConfirmed: true, amountMyr: 'none' }).catch(() => {})
  const other = mintBody()
  await call('mint', other)
  await call('mint', other)
  await call('cancelMint', {}, { referenceId: String(other.referenceId) })
  await call('redeem', redeemBody())
  await call('transfer', transferBody())
  const db = listeningTo(fixture.db, (text) => texts.add(text))
  assert.equal((await findOrder(db, integrationId, referenceId))?.status, 'pending')
  assert.equal((await findShownOrders(db, [{ integrationId, referenceId }])).length, 1)
  const all = { direction: undefined, status: undefined, createdAfter: undefined, before: undefined, limit: 10 }
  assert.equal((await listOrders(db, integrationId, all)).orders.length, 4)
})
after(() => fixture.close())

test('a second index that serves a part of a look-up is seen', async () => {
  await fixture.db.script('create index rival on orders (integration_id)')
  const byReference = 'select from orders where integration_id = $1 and reference_id = $2'
  assert.deepEqual(await rivalsIn(fixture.db, byReference), ['orders: orders_reference_unique or rival'])
  await fixture.db.script('drop index rival')
})

test('a second index that has only what is looked up is seen, too', async () => {
  await fixture.db.script(`create index waiting on orders (wallet_address) where status = 'payment_pending'`)
  const waiting = `select from orders where order_id = $1 and status = 'payment_pending'`
  assert.deepEqual(await rivalsIn(fixture.db, waiting), ['orders: orders_pkey or waiting'])
  await fixture.db.script('drop index waiting')
})

test('accepting, finding and listing orders', async () => {
  for (const table of ['orders', 'idempotency_keys', 'foreign_instructions', 'customers', 'mint_usage', 'wallets']) {
    assert.ok(
      [...texts].some((text) => text.includes(table)),
      table,
    )
  }
  const rivals = new Set<string>()
  // Before anybody has counted the rows, and when few were counted.
  for (const counted of [false, true]) {
    if (counted) await fixture.db.query('analyze')
    for (const text of texts) for (const rival of await rivalsIn(fixture.db, text)) rivals.add(rival)
  }
  assert.deepEqual([...rivals.difference(HARMLESS)], [])
})
