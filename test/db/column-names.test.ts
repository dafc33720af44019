// engine: postgres; both in test:long
/** No statement on the way of an order has two columns of one name. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { findOrder, listOrders } from '../../src/orders/read/orders.sql.ts'
import { looked, refuseTwoOfOneName } from '../support/one-name-each.ts'
import { createOrdersFixture, type OrdersFixture } from '../support/orders.ts'

let fixture: OrdersFixture
before(async () => {
  refuseTwoOfOneName()
  fixture = await createOrdersFixture('postgres')
})
after(() => fixture.close())

test('the columns of each statement are looked at, prepared or not, alone or in a transaction', async () => {
  const { db } = fixture
  await db.query('select $1::int as first_one, 2 as other', [1])
  await db.transaction((tx) => tx.query('select $1::int as second_one', [1]))
  await db.query('select 1 as third_one')
  assert.deepEqual(
    looked.filter(([name]) => name?.endsWith('_one')),
    [['first_one', 'other'], ['second_one'], ['third_one']],
  )
})

test('accepting, finding and listing orders', async () => {
  const { call, mintBody, redeemBody, transferBody, integrationId, db } = fixture
  const before = looked.length
  const mint = mintBody()
  const referenceId = String(mint.referenceId)
  await call('mint', mint)
  await call('mint', { ...mint, fiatConfirmed: true })
  const other = mintBody()
  await call('mint', other)
  await call('cancelMint', {}, { referenceId: String(other.referenceId) })
  await call('redeem', redeemBody())
  await call('transfer', transferBody())
  assert.equal((await findOrder(db, integrationId, referenceId))?.status, 'pending')
  const all = { direction: undefined, status: undefined, createdAfter: undefined, before: undefined, limit: 10 }
  assert.equal((await listOrders(db, integrationId, all)).orders.length, 4)
  assert.ok(looked.length > before)
})

test('two of one name fail loudly', () => {
  const described = (...names: string[]) => ({ fields: names.map((name) => ({ name })) })
  const connection = new pg.Connection()
  assert.doesNotThrow(() => connection.emit('rowDescription', described('a', 'b')))
  assert.throws(() => connection.emit('rowDescription', described('a', 'b', 'a')), /two columns of one name: a, b, a/)
})
