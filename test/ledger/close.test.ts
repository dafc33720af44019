// engine: postgres
/** Closing a day waits for those who are booking on it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { listEntries, recordEntries } from '../../src/ledger/entries.sql.ts'
import { closeDays } from '../../src/ledger/periods.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createRandom } from '../support/random.ts'
import { sealBooks } from '../support/seal-books.ts'
import { waitFor } from '../support/wait-for.ts'
import { emptyBooks } from './books.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ engine: 'postgres' })
})
after(() => db.close())

/** Each of a partner of its own: what is settled for one on a day is added up in one row. */
const entry = (reference: string) => ({
  reference,
  effectiveAt: new Date('2026-11-19T04:00:00Z'),
  lines: [
    { account: 'coins:1', amountMicro: -5n },
    { account: `mint_receivable:int_${reference}`, amountMicro: 5n },
  ] as const,
})

async function waiting(): Promise<number> {
  const [row] = await db.query<{ waiting: bigint }>(
    `select count(*) as waiting from pg_locks where locktype = 'advisory' and not granted
       and database = (select oid from pg_database where datname = current_database())`,
  )
  return Number(row?.waiting)
}

/** Books an entry in a transaction that ends when it is told to. */
async function bookSlowly(reference: string): Promise<() => Promise<void>> {
  const booked = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const booking = db.transaction(async (tx) => {
    await recordEntries(tx, [entry(reference)])
    booked.resolve()
    await go.promise
  })
  await booked.promise
  return async () => {
    go.resolve()
    await booking
  }
}

const book = (reference: string) => db.transaction((tx) => recordEntries(tx, [entry(reference)]))

async function daysOf(): Promise<Record<string, string>> {
  const listed = await listEntries(db, { account: undefined, after: undefined, limit: 100 })
  return Object.fromEntries(listed.map(({ reference, day }) => [reference, day]))
}

test('an entry that is being booked counts on its day, and one that waited for the closing on the next', async () => {
  const end = await bookSlowly('first')
  let isRead = false
  const readUnpaid = async () => {
    isRead = true
    return []
  }
  const [closed, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const closing = db.transaction(async (tx) => {
    await closeDays(tx, '2026-11-19', readUnpaid)
    closed.resolve()
    await go.promise
  })
  await waitFor('the closing to wait', async () => (await waiting()) === 1)
  assert.ok(isRead, 'what is not paid is read while nobody waits for it')
  await end()
  await closed.promise
  const second = book('second')
  await waitFor('the second entry to wait', async () => (await waiting()) === 1)
  go.resolve()
  await Promise.all([closing, second])
  assert.deepEqual(await daysOf(), { first: '2026-11-19', second: '2026-11-20' })
})

test('what books for long keeps a closing waiting, and nobody else who books', async () => {
  const end = await bookSlowly('long')
  const closing = db.transaction((tx) => closeDays(tx, '2026-11-20'))
  await waitFor('the closing to wait', async () => (await waiting()) === 1)
  // Behind the closing they would wait until the database ends their statements.
  const beside = await Promise.allSettled(['beside', 'beside-it', 'and-beside'].map(book))
  await end()
  await closing
  assert.deepEqual(new Set(beside.map(({ status }) => status)), new Set(['fulfilled']))
  await book('after')
  const days = await daysOf()
  assert.deepEqual(
    [days.long, days.beside, days['and-beside'], days.after],
    Array(3).fill('2026-11-20').concat('2026-11-21'),
  )
})

/** Whoever books may have a row that another wants who has booked already: a closing that stands between them must not hold both. */
const ROW_LOCK = 4_242

test('days are closed one after the other while many book and one seals: no entry comes onto a closed day, and nothing deadlocks', async () => {
  await emptyBooks(db)
  const random = createRandom('closing while many book')
  const before = await deadlocks()
  let booked = 0
  const seen: [string, unknown][] = []
  let isOver = false
  const writers = Array.from({ length: 6 }, async (_, writer) => {
    const mine = random.fork(`writer ${writer}`)
    for (let n = 0; !isOver; n += 1) {
      const [day, row, isFirst] = [mine.between(1, 28), mine.between(1, 3), mine.chance(0.5)]
      const { lines } = entry(`w${writer}`)
      const one = { reference: `w${writer}-${n}`, effectiveAt: new Date(Date.UTC(2026, 9, day, 4)), lines }
      await db.transaction(async (tx) => {
        const lock = () => tx.query(`select pg_advisory_xact_lock(${ROW_LOCK}, ${row})`)
        if (isFirst) await lock()
        await recordEntries(tx, [one])
        if (mine.chance(0.1)) await sleep(mine.between(20, 120))
        if (!isFirst) await lock()
      })
      booked += 1
    }
  })
  const sealing = (async () => {
    while (!isOver) {
      await sealBooks(db, 50)
      await sleep(5)
    }
  })()
  try {
    // By twos, and twice: a second one finds the day closed.
    for (let day = 2; day <= 28; day += 2) {
      const through = `2026-10-${String(day).padStart(2, '0')}`
      await Promise.all([1, 2].map(() => db.transaction((tx) => closeDays(tx, through))))
      seen.push([through, await sumsThrough(through)])
    }
  } finally {
    isOver = true
    await Promise.all([...writers, sealing])
  }
  for (const [through, sums] of seen) {
    assert.deepEqual(await sumsThrough(through), sums, `${through} is as it was when it was closed`)
    assert.deepEqual(await carriedThrough(through), sums, `what was carried through ${through}`)
  }
  assert.ok(booked > 100, `${booked} were booked`)
  assert.equal(await deadlocks(), before)
})

async function deadlocks(): Promise<bigint | undefined> {
  const [row] = await db.query<{ deadlocks: bigint }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  return row?.deadlocks
}

const sumsThrough = (through: string) =>
  db.query(
    `select l.account, sum(l.amount)::text as amount from ledger_entries e cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
     where e.day <= $1::date group by 1 order by 1`,
    [through],
  )
const carriedThrough = (through: string) =>
  db.query(`select account, balance_micro::text as amount from ledger_carried where through = $1::date order by 1`, [
    through,
  ])
