// engine: postgres
/** Closing a day waits for those who are booking on it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listEntries, recordEntries } from '../../src/ledger/entries.sql.ts'
import { closeDays } from '../../src/ledger/periods.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ engine: 'postgres' })
})
after(() => db.close())

const entry = (reference: string) => ({
  reference,
  effectiveAt: new Date('2026-11-19T04:00:00Z'),
  lines: [
    { account: 'coins:1', amountMicro: -5n },
    { account: 'mint_receivable:int_a', amountMicro: 5n },
  ] as const,
})

async function waiting(): Promise<number> {
  const [row] = await db.query<{ waiting: bigint }>(
    `select count(*) as waiting from pg_locks where locktype = 'advisory' and not granted
       and database = (select oid from pg_database where datname = current_database())`,
  )
  return Number(row?.waiting)
}

test('an entry that is being booked counts on its day, and one that waited for the closing on the next', async () => {
  const booked = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const first = db.transaction(async (tx) => {
    await recordEntries(tx, [entry('first')])
    booked.resolve()
    await go.promise
  })
  await booked.promise
  let isRead = false
  const readUnpaid = async () => {
    isRead = true
    return []
  }
  const closing = db.transaction((tx) => closeDays(tx, '2026-11-19', readUnpaid))
  await waitFor('the closing to wait', async () => (await waiting()) === 1)
  assert.ok(isRead, 'what is not paid is read while nobody waits for it')
  const second = db.transaction((tx) => recordEntries(tx, [entry('second')]))
  await waitFor('the second entry to wait', async () => (await waiting()) === 2)
  go.resolve()
  await Promise.all([first, closing, second])
  const listed = await listEntries(db, { account: undefined, after: undefined, limit: 10 })
  assert.deepEqual(Object.fromEntries(listed.map(({ reference, day }) => [reference, day])), {
    first: '2026-11-19',
    second: '2026-11-20',
  })
})
