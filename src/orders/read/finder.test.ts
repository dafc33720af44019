// engine: postgres; both in test:long
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { DatabaseUnavailableError, type Param, type Queryable, type Row } from '../../db/database.ts'
import { createOrderFinder } from './finder.ts'
import { findShownOrders } from './orders.sql.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  await db.query(`insert into integrations (integration_id, name) values ('int_a', 'a'), ('int_b', 'b')`)
  await db.query(
    `insert into customers (customer_id, integration_id, account_type, verification_status, verification_level,
       country_code, is_resident, monthly_cap_micro) values ('cus_a', 'int_a', 'RETAIL', 'PENDING', 'T', 'MY', true, 0)`,
  )
  await db.query(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address,
       wallet_address, customer_id, key_id, amount_micro)
     select i, 'reference-' || n, 'MINT', 'payment_pending', 1, 'n', 't', '0x' || repeat('a', 40), 'cus_a', 'k',
       n + case i when 'int_a' then 1 else 1001 end
     from generate_series(0, 299) n, unnest(array['int_a', 'int_b']) i`,
  )
})
after(() => db.close())

/** Counts queries and holds them back until a test lets them through. */
function gated(inner: Queryable) {
  let sent = 0
  let open: () => void = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const query = async <R extends Row>(text: string, params?: readonly Param[]): Promise<R[]> => {
    sent += 1
    await gate
    return inner.query<R>(text, params)
  }
  return { db: { query }, open: () => open(), sent: () => sent }
}

test('each of many concurrent reads gets its own order, in a few round trips', async () => {
  const { db: slow, open, sent } = gated(db)
  const find = createOrderFinder(slow)
  const wanted = Array.from({ length: 300 }, (_, n) => ({
    owner: n % 2 === 0 ? 'int_a' : 'int_b',
    reference: `reference-${n}`,
  }))
  const reads = wanted.map(({ owner, reference }) => find(owner, reference))
  const twice = find('int_a', 'reference-0')
  const missing = [find('int_a', 'no-such-reference'), find('int_none', 'reference-1')]
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(sent(), 2, 'two are sent when the turn of the event loop ends, with a hundred each')
  open()
  const orders = await Promise.all(reads)
  for (const [n, order] of orders.entries()) {
    assert.equal(order?.referenceId, wanted[n]?.reference)
    assert.equal(order?.amountMicro, BigInt(n + (wanted[n]?.owner === 'int_a' ? 1 : 1001)), 'of the right integration')
  }
  assert.equal((await twice)?.referenceId, 'reference-0')
  assert.deepEqual(await Promise.all(missing), [undefined, undefined])
  assert.equal(sent(), Math.ceil(303 / 100))
})

test('a single read and one of many give the same order', async () => {
  const find = createOrderFinder(db)
  const alone = await find('int_b', 'reference-7')
  assert.ok(alone)
  assert.deepEqual(
    await findShownOrders(db, [
      { integrationId: 'int_x', referenceId: 'x' },
      { integrationId: 'int_b', referenceId: 'reference-7' },
    ]),
    [undefined, alone],
  )
})

test('a read is never answered by a query that was sent before it', async () => {
  const find = createOrderFinder(db, { maxQueries: 1 })
  const early = find('int_a', 'reference-9')
  await db.query(
    `update orders set status = 'cancelled' where integration_id = 'int_a' and reference_id = 'reference-9'`,
  )
  assert.equal((await find('int_a', 'reference-9'))?.status, 'cancelled')
  await early
})

test('when the database is away, everything that waits for it fails, and later reads work again', async () => {
  let away = true
  let sent = 0
  const query = async <R extends Row>(text: string, params?: readonly Param[]): Promise<R[]> => {
    sent += 1
    if (away) throw new DatabaseUnavailableError('gone')
    return db.query<R>(text, params)
  }
  const find = createOrderFinder({ query }, { maxQueries: 1, maxTogether: 2 })
  const reads = await Promise.allSettled(Array.from({ length: 10 }, () => find('int_a', 'reference-1')))
  assert.ok(reads.every((read) => read.status === 'rejected' && read.reason instanceof DatabaseUnavailableError))
  assert.equal(sent, 1)
  away = false
  assert.equal((await find('int_a', 'reference-1'))?.referenceId, 'reference-1')
})

test('an unexpected error fails only the reads of its query', async () => {
  let first = true
  const query = async <R extends Row>(text: string, params?: readonly Param[]): Promise<R[]> => {
    if (first) {
      first = false
      throw new Error('broken')
    }
    return db.query<R>(text, params)
  }
  const find = createOrderFinder({ query }, { maxQueries: 1, maxTogether: 1 })
  const [broken, fine] = await Promise.allSettled([find('int_a', 'reference-1'), find('int_a', 'reference-2')])
  assert.deepEqual([broken.status, fine.status], ['rejected', 'fulfilled'])
})
