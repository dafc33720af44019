// engine: postgres
/** A database that the next test gets is as a new one is, or it is a new one. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { Database } from '../../src/db/database.ts'
import { howMade } from './as-made.ts'
import { asRole, createTestDatabase, type TestDatabase } from './database.ts'
import { createOrdersFixture } from './orders.ts'
import { endAll, promiseAnEnd } from './run/at-the-end.ts'

// As the runner does; by hand nothing is kept.
before(promiseAnEnd)
after(endAll)

const fresh = () => createTestDatabase({ believesBurns: true, poolSize: 3 })
const nameOf = async (db: Database) => (await db.query<{ name: string }>('select current_database() as name'))[0]?.name

/** Closes `db`, and says whether the next test gets the same one. */
async function isKept(db: TestDatabase): Promise<boolean> {
  const name = await nameOf(db)
  await db.close()
  const next = await fresh()
  const isSame = (await nameOf(next)) === name
  // It may have been kept, and must not be given to the test that follows.
  await next.query('create table spoilt ()')
  await next.close()
  return isSame
}

test('one in which orders were made is as it was made, with its numbers and the rows that it began with', async () => {
  const db = await fresh()
  const made = await howMade(db)
  const orders = await createOrdersFixture(undefined, db)
  await orders.call('mint', orders.mintBody({ amountMyr: '10.00' }))
  await db.query(`update ledger_book set closed_through = '2026-01-01'`)
  await db.query(`insert into audit_log (actor, origin, action) values ('a', 'b', 'c')`)
  const name = await nameOf(db)
  await db.close()
  const next = await fresh()
  assert.equal(await nameOf(next), name)
  assert.deepEqual(await howMade(next), made)
  const others = await createOrdersFixture(undefined, next)
  await others.call('mint', others.mintBody({ amountMyr: '10.00' }))
  assert.deepEqual(await next.query('select order_id from orders'), [{ order_id: 1n }])
  await next.query('create table spoilt ()')
  await next.close()
})

const CHANGES: Record<string, (db: TestDatabase) => Promise<unknown>> = {
  'a table was made in': (db) => db.query('create table another ()'),
  'a trigger was dropped in': (db) => db.query('drop trigger believe_burn on payouts'),
  'a default was changed in': (db) => db.query('alter table orders alter column created_at set default now()'),
  'a login has got more rights in': (db) => db.query('grant delete on orders to stablecoin_api'),
  'a setting was made for': async (db) => db.query(`alter database ${await nameOf(db)} set work_mem = '1MB'`),
  'statistics were gathered in': (db) => db.query('analyze orders'),
  'a lock is still held in': (db) => db.query('select pg_advisory_lock(1)'),
}

for (const [what, change] of Object.entries(CHANGES))
  test(`one that ${what} is not used again`, async () => {
    const db = await fresh()
    await change(db)
    assert.equal(await isKept(db), false)
  })

test('nor is one to which somebody else is connected', async () => {
  const db = await fresh()
  const client = new pg.Client({ connectionString: db.url })
  client.on('error', () => {})
  await client.connect()
  assert.equal(await isKept(db), false)
  await client.end().catch(() => {})
})

test('who still has it when it is closed reaches it no more, by no login, and hears nothing', async () => {
  const db = await fresh()
  const heard: string[] = []
  const api = await asRole(db, 'api')
  await db.listen('news', (payload) => void heard.push(payload))
  const late = db.query('select pg_sleep(0.2)')
  assert.equal(await isKept(db), true)
  assert.equal((await late).length, 1)
  await assert.rejects(db.query('select 1'), { name: 'DatabaseUnavailableError' })
  await assert.rejects(api.query('select 1'), { name: 'DatabaseUnavailableError' })
  await assert.rejects(
    db.transaction(async () => {}),
    { name: 'DatabaseUnavailableError' },
  )
  assert.deepEqual(heard, [])
})
