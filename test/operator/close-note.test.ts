// engine: postgres
/** What is said before days are closed, because nobody opens them again. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { insertRun } from '../../src/operator/reconcile/runs.sql.ts'
import { createBatchSteps } from '../life/batch-steps.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { emptyTables } from '../support/empty-tables.ts'
import { bankNotifies, bankSays, bankShows } from '../support/reserve.ts'
import { placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

const MICRO = 1_000_000n

let db: TestDatabase
let coin: OperatorFixture
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  coin = await startOperator({ db, chains: [], bankAccounts: awaited })
})
after(async () => {
  await coin.close()
  await db.close()
})
beforeEach(async () => {
  await emptyTables(db)
  await insertRun(db, { durationMs: 1, differences: new Map([['books', 0]]) })
})

/** The accounts of the bank profile; in most tests there is none. */
const awaited: string[] = []

/** The books have begun. */
async function book(): Promise<void> {
  const lines = [
    { account: 'mint_receivable:int_a', amountMicro: MICRO },
    { account: 'coins:1', amountMicro: -MICRO },
  ] as const
  await db.transaction((tx) => recordEntries(tx, [{ reference: 'batch/1/1/int_a', effectiveAt: new Date(), lines }]))
}

const close = (day: string) => coin.call('POST', '/ledger/close', { through: day })
const report = async (day: string) => (await coin.call('GET', `/close?date=${day}`)).body

/** Days before today in the books' time zone. */
async function dayAgo(days: number): Promise<string> {
  const [row] = await db.query<{ day: string }>(
    `select ((now() at time zone timezone)::date - $1::int)::text as day from ledger_book`,
    [days],
  )
  return row?.day ?? ''
}

test('what a day lacks is said before it is closed and when it is, and keeps nobody from closing it', async () => {
  const [friday, saturday, sunday, today] = await Promise.all([3, 2, 1, 0].map(dayAgo))
  await bankSays(db, 5n * MICRO, { daysAgo: 3 })
  // Closed at the bank, and empty.
  await bankSays(db, 0n, { bankAccount: 'old', daysAgo: 11 })
  const noteOf = async (day = '') => (await report(day)).note
  assert.deepEqual([await noteOf(friday), await noteOf(today)], [null, null])
  const late = `The statements of main end with ${friday}: what the bank has booked since then counts on the first open day.`
  assert.equal(await noteOf(saturday), late)
  assert.ok((await coin.cli(['close', '--date', saturday ?? ''])).stdout.includes(`Before it is closed: ${late}`))

  await insertRun(db, { durationMs: 1, differences: new Map(Object.entries({ books: 0, supply: 2, payout_held: 1 })) })
  const differs =
    /^The newest hourly reconciliation \(20\S+Z\) found differences \(supply: 2, payout_held: 1\): see "coin reconcile"\.$/
  assert.match(await noteOf(friday), differs)
  assert.equal((await close(friday ?? '')).body.note.match(differs)?.length, 1)
  // Nothing is closed, and nothing is said.
  assert.deepEqual((await close(friday ?? '')).body, { ok: true, closedThrough: friday })
  const { closedThrough, note } = await coin.run('ledger', 'close', '--through', sunday ?? '')
  assert.deepEqual([closedThrough, note.startsWith(`${late} The newest`)], [sunday, true])
  const { entries } = (await coin.call('GET', `/audit?target=${sunday}`)).body
  assert.deepEqual(entries[0].details, { before: friday, note })
  assert.deepEqual([await noteOf(saturday), await noteOf(sunday)], [null, null])
})

test('an account that is swept each day lacks a statement as any other does, although it is empty', async () => {
  const [before, last, day] = await Promise.all([3, 2, 1].map(dayAgo))
  await bankSays(db, 5n * MICRO, { bankAccount: 'swept', daysAgo: 3 })
  await bankSays(db, 0n, { bankAccount: 'swept', daysAgo: 2 })
  assert.deepEqual([(await report(before ?? '')).note, (await report(last ?? '')).note], [null, null])
  assert.match((await report(day ?? '')).note, new RegExp(`^The statements of swept end with ${last}: `))
})

test('what chains and lines have for a day and the books have not yet is said before it is closed', async () => {
  await seedTwoOfEverything(db)
  const yesterday = (await dayAgo(1)) ?? ''
  await bankSays(db, 5n * MICRO, { daysAgo: 1 })
  const steps = createBatchSteps(db)
  const name = { chainId: 1, batchId: 3n }
  const orderId = await placeOrder(db, { direction: 'MINT', party: 'a1', reference: 'over-midnight' })
  await steps.submit(name, [orderId])
  const noteOf = async () => (await report(yesterday)).note
  assert.equal(await noteOf(), null, 'what is signed today moves nothing of yesterday')
  await withoutGuards(db, (tx) => tx.query(`update batches set created_at = created_at - interval '1 day'`))
  const inFlight = `On chain 1 a batch that was signed by the end of ${yesterday} is not final: what it has moved there by then counts on the first open day.`
  assert.equal(await noteOf(), inFlight)
  await steps.mine(name)
  assert.equal(await noteOf(), inFlight)
  await steps.finalise(name, { succeeded: [0] })
  assert.equal(await noteOf(), null)

  await bankShows(db, [3n * MICRO, -3n * MICRO], 'not-booked')
  const unbooked = `2 lines of main up to ${yesterday} are not booked: they count on the first open day.`
  assert.equal(await noteOf(), unbooked)
  assert.equal((await close(yesterday)).body.note, unbooked)
})

test('that nobody has compared anything since a day was over is said before it is closed', async () => {
  const [before = '', last = ''] = await Promise.all([3, 2].map(dayAgo))
  await bankSays(db, 5n * MICRO, { daysAgo: 2 })
  await db.query('delete from reconcile_runs')
  const noteOf = async (day: string) => (await report(day)).note
  assert.equal(await noteOf(last), 'Nothing was ever reconciled by itself: run "coin reconcile".')
  await insertRun(db, { durationMs: 1, differences: new Map() })
  assert.equal(await noteOf(last), null)
  await db.query(`update reconcile_runs set finished_at = now() - interval '2 days'`)
  assert.equal(await noteOf(before), null)
  assert.match(
    await noteOf(last),
    /^Nothing was reconciled by itself since \S+ was over \(the newest hourly reconciliation: 20\S+Z\): run "coin reconcile"\.$/,
  )
})

test('a day that no calendar has, or long before or after all books, is refused', async () => {
  for (const day of ['0000-01-01', '0001-01-01', '1899-12-31', '2200-01-01', '2026-02-30', '2026-1-1', '20260101']) {
    const { status, body } = await coin.call('GET', `/close?date=${day}`)
    assert.deepEqual([status, body.error?.code], [400, 'BAD_REQUEST'], day)
  }
  assert.equal((await coin.call('GET', '/close?date=1900-01-01')).status, 200)
})

test('an account that was emptied long ago lacks its statements, too, where the bank has notified of more; and so does a bank of which there never was one', async () => {
  const [emptied, saturday] = await Promise.all([11, 2].map(dayAgo))
  const noteOf = async () => (await report(saturday ?? '')).note
  await book()
  const never = 'No bank statement was ever taken in: what the banks have booked counts on the first open day.'
  assert.equal(await noteOf(), never)
  await bankSays(db, 0n, { daysAgo: 11 })
  assert.equal(await noteOf(), null)
  await bankNotifies(db, MICRO)
  assert.equal(
    await noteOf(),
    `The statements of main end with ${emptied}: what the bank has booked since then counts on the first open day.`,
  )
})

test('an account of the bank profile of which there never was a statement lacks one, whichever others have theirs', async () => {
  const saturday = await dayAgo(1)
  awaited.push('main', 'second')
  try {
    const never = 'No statement of second was ever applied: what the bank has booked counts on the first open day.'
    await book()
    const noteOf = async (day = '') => (await report(day)).note
    assert.equal(
      await noteOf(saturday),
      'No bank statement was ever taken in: what the banks have booked counts on the first open day.',
    )
    await bankSays(db, 5n * MICRO, { daysAgo: 1 })
    assert.equal(await noteOf(saturday), never)
    assert.equal((await close(saturday ?? '')).body.note, never)
    assert.equal(await noteOf(saturday), null, 'of a closed day')
  } finally {
    awaited.length = 0
  }
})

test('nor is one missed where there are no books yet', async () => {
  awaited.push('main')
  try {
    assert.equal((await report((await dayAgo(1)) ?? '')).note, null)
  } finally {
    awaited.length = 0
  }
})
