// engine: postgres
/** What the reserve was at an instant, by what the books say of it today. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { addDays, BANK_OFFSET } from '../../src/bank-files/day.ts'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { closeDays, settleTimezone } from '../../src/ledger/periods.sql.ts'
import type { Line } from '../../src/ledger/postings.ts'
import { availableOf, committedOf } from '../../src/reserves/guard.ts'
import { readReserveFactsAsOf } from '../../src/reserves/past.sql.ts'
import { REFUNDS } from '../../src/values/house.ts'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { addBatchRow, addSignedLine } from '../support/batch-rows.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { emptyTables } from '../support/empty-tables.ts'
import { bankSays } from '../support/reserve.ts'
import { placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'

const HOUR_MS = 3_600_000

let db: TestDatabase
let coin: OperatorFixture
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  coin = await startOperator({ db, chains: [] })
})
after(async () => {
  await coin.close()
  await db.close()
})
beforeEach(async () => {
  await emptyTables(db)
  await seedTwoOfEverything(db)
})

/** The start of the day that is so many days before today, where the books are kept. */
async function startOf(daysAgo: number): Promise<Date> {
  const [row] = await db.query<{ at: Date }>(
    'select ((now() at time zone timezone)::date - $1::int)::timestamp at time zone timezone as at from ledger_book',
    [daysAgo],
  )
  assert.ok(row)
  return row.at
}

const book = (reference: string, effectiveAt: Date, ...lines: readonly Line[]) =>
  db.transaction((tx) => recordEntries(tx, [{ reference, effectiveAt, lines }]))

test('only statements of days that were over count, with what was booked until then, and their age', async () => {
  await bankSays(db, 100n, { daysAgo: 3, booked: false })
  await bankSays(db, 700n, { daysAgo: 2, booked: false })
  const [came, over] = [await startOf(3), await startOf(2)]
  const credit = (amountMicro: bigint): Line[] => [
    { account: 'reserve:main', amountMicro },
    { account: 'unallocated:main', amountMicro: -amountMicro },
  ]
  await book('first', came, ...credit(100n))
  await book('second', new Date(over.getTime() + HOUR_MS), ...credit(600n))
  const at = async (instant: Date) => (await readReserveFactsAsOf(db, instant)).accounts
  const account = { bankAccount: 'main', closingMicro: 100n, bookedMicro: 100n, creditsSinceMicro: 0n, ageMs: 0 }
  assert.deepEqual(await at(new Date(over.getTime() - 2)), [], 'the first day was not over')
  assert.deepEqual(await at(new Date(over.getTime() - 1)), [account], 'its end is its last millisecond')
  assert.deepEqual(await at(over), [account])
  const twoHoursLater = await at(new Date(over.getTime() + 2 * HOUR_MS))
  const since = { bookedMicro: 700n, creditsSinceMicro: 600n, ageMs: 2 * HOUR_MS }
  assert.deepEqual(twoHoursLater, [{ ...account, ...since }])
  assert.deepEqual(await at(await startOf(1)), [{ ...account, closingMicro: 700n, bookedMicro: 700n }])
})

test('a statement’s day is over, and grows old, by the banks’ clocks, wherever the books’ days begin', async () => {
  const settleIn = (timezone: string) => db.transaction((tx) => settleTimezone(tx, timezone))
  for (const timezone of ['America/New_York', 'Pacific/Kiritimati', 'Asia/Kuala_Lumpur']) {
    assert.equal(await settleIn(timezone), undefined)
    await bankSays(db, 100n, { bankAccount: timezone, daysAgo: 3, booked: false })
    const [said] = await db.query<{ day: string }>(
      'select closed_on::text as day from bank_statements where bank_account = $1',
      [timezone],
    )
    const over = new Date(`${addDays(said?.day ?? '', 1)}T00:00:00${BANK_OFFSET}`)
    const at = async (ms: number) => {
      const { accounts } = await readReserveFactsAsOf(db, new Date(over.getTime() + ms))
      return accounts.filter(({ bankAccount }) => bankAccount === timezone).map(({ ageMs }) => ageMs)
    }
    assert.deepEqual([await at(-2), await at(-1), await at(2 * HOUR_MS)], [[], [0], [2 * HOUR_MS]], timezone)
  }
})

test('of several statements of a day the last one counts, of each account; one that waits for an earlier one does not', async () => {
  for (const bankAccount of ['main', 'second'])
    for (const balanceMicro of [100n, 70n]) await bankSays(db, balanceMicro, { bankAccount, daysAgo: 2, booked: false })
  await db.query(
    `insert into bank_statements (bank_account, statement_id, opened_on, opening_micro, closed_on, closing_micro, line_count, digest, content_hash)
     select bank_account, 'waits', closed_on, 5000, closed_on, 6000, 0, repeat('1', 64), content_hash from bank_statements
     where bank_account = 'main' and closing_micro = 70`,
  )
  const { accounts } = await readReserveFactsAsOf(db, await startOf(1))
  assert.deepEqual(
    accounts.map(({ bankAccount, closingMicro }) => [bankAccount, closingMicro]),
    [
      ['main', 70n],
      ['second', 70n],
    ],
  )
})

test('what had left the bank is not available, though the closing balance had it', async () => {
  await bankSays(db, 100n, { daysAgo: 3, booked: false })
  const over = await startOf(2)
  const paid = (amountMicro: bigint): Line[] => [
    { account: 'reserve:main', amountMicro },
    { account: 'own_funds:main', amountMicro: -amountMicro },
  ]
  await book('first', await startOf(3), ...paid(100n))
  await book('charges', over, ...paid(-30n))
  const facts = await readReserveFactsAsOf(db, over)
  assert.deepEqual([facts.accounts[0]?.creditsSinceMicro, availableOf(facts)], [0n, 70n])
})

test('each liability counts from when it took effect', async () => {
  const at = await startOf(1)
  const lines: readonly Line[] = [
    { account: 'mint_receivable:int_a', amountMicro: 1_111n },
    { account: 'coins:1', amountMicro: -1_000n },
    { account: 'redeem_payable:int_a', amountMicro: -100n },
    { account: 'residual:int_a', amountMicro: -10n },
    { account: 'payout_clearing:http', amountMicro: -1n },
  ]
  await book('one', at, ...lines)
  const clearing = { payoutsMicro: 0n, extraMicro: 0n, saidPaidMicro: 0n, doubledMicro: 0n }
  const nothingOwed = { coinsMicro: 0n, signedMicro: 0n, payableMicro: 0n, residualMicro: 0n, clearingMicro: 0n }
  const none = { accounts: [], ...nothingOwed, clearing }
  assert.deepEqual(await readReserveFactsAsOf(db, new Date(at.getTime() - 1)), none)
  const facts = await readReserveFactsAsOf(db, at)
  assert.deepEqual([facts.clearingMicro, committedOf(facts)], [1n, 1_110n])
})

test('a mint counts as signed from its batch on, until its coin is booked or it has failed', async () => {
  const signedAt = await startOf(3)
  const minedAt = new Date(signedAt.getTime() + HOUR_MS)
  const finalAt = new Date(signedAt.getTime() + 2 * HOUR_MS)
  const place = (amountMicro: bigint, direction: 'MINT' | 'REDEEM' = 'MINT') =>
    placeOrder(db, { direction, party: 'a1', reference: `order-number-${amountMicro}`, amountMicro, chainId: 1 })
  const [booked, failed, under, abandoned, redeem, mined, back] = [
    await place(1n),
    await place(20n),
    await place(300n),
    await place(4_000n),
    await place(50_000n, 'REDEEM'),
    await place(600_000n),
    await place(7_000_000n),
  ]
  await withoutGuards(db, (tx) =>
    tx.query('update orders set integration_id = $2 where order_id = $1', [back, REFUNDS]),
  )
  await addBatchRow(db, { chainId: 1, batchId: 2n, status: 'final', orderIds: [booked, redeem] })
  await addBatchRow(db, { chainId: 1, batchId: 3n, status: 'final', orderIds: [failed] })
  await addSignedLine(db, { orderId: under, batchId: 4n })
  await addBatchRow(db, { chainId: 1, batchId: 4n, status: 'signed', orderIds: [under] })
  await addBatchRow(db, { chainId: 1, batchId: 5n, status: 'abandoned', orderIds: [abandoned] })
  for (const [index, orderId] of [mined, back].entries()) await addSignedLine(db, { orderId, batchId: 6n, index })
  await addBatchRow(db, { chainId: 1, batchId: 6n, status: 'mined', orderIds: [mined, back] })
  await db.query(
    'update batches set created_at = $1, finalized_at = case when finalized_at is not null then $2::timestamptz end',
    [signedAt, finalAt],
  )
  const [order] = await db.query<{ integration_id: string }>('select integration_id from orders where order_id = $1', [
    booked,
  ])
  const lines = [
    { account: 'mint_receivable:int_a', amountMicro: 1n },
    { account: 'coins:1', amountMicro: -1n },
  ] as const
  await book(`batch/1/2/${order?.integration_id}`, minedAt, ...lines)
  const signed = async (at: Date) => (await readReserveFactsAsOf(db, at)).signedMicro
  assert.equal(await signed(new Date(signedAt.getTime() - 1)), 0n)
  assert.equal(await signed(signedAt), 600_321n)
  assert.equal(await signed(minedAt), 600_320n, 'its coin is in the books')
  assert.equal(await signed(finalAt), 600_300n, 'it has failed')
})

test('a mint whose coin is booked after its day was closed counts as signed until the day on which the books have it', async () => {
  const [signedAt, over, next] = [await startOf(3), await startOf(2), await startOf(1)]
  const orderId = await placeOrder(db, {
    direction: 'MINT',
    party: 'a1',
    reference: 'order-number-1',
    amountMicro: 5n,
    chainId: 1,
  })
  await addBatchRow(db, { chainId: 1, batchId: 2n, status: 'final', orderIds: [orderId] })
  await db.query('update batches set created_at = $1, finalized_at = $2', [
    signedAt,
    new Date(over.getTime() + HOUR_MS),
  ])
  const [periods] = await db.query<{ day: string }>(
    `select ($1::timestamptz at time zone timezone)::date::text as day from ledger_book`,
    [signedAt],
  )
  assert.ok(periods)
  await db.transaction((tx) => closeDays(tx, periods.day))
  const [order] = await db.query<{ integration_id: string }>('select integration_id from orders')
  const minedAt = new Date(over.getTime() - HOUR_MS)
  const lines: readonly Line[] = [
    { account: 'mint_receivable:int_a', amountMicro: 5n },
    { account: 'coins:1', amountMicro: -5n },
  ]
  await book(`batch/1/2/${order?.integration_id}`, minedAt, ...lines)
  const facts = async (at: Date) => {
    const { signedMicro, coinsMicro } = await readReserveFactsAsOf(db, at)
    return [signedMicro, coinsMicro]
  }
  assert.deepEqual(
    await facts(new Date(over.getTime() - 1)),
    [5n, 0n],
    'at the end of its day, which was closed without it',
  )
  assert.deepEqual(await facts(over), [0n, 5n])
  assert.deepEqual(await facts(next), [0n, 5n])
})

test('coin that others made counts from the time of its block, or from when it was seen', async () => {
  const at = await startOf(2)
  await addBatchRow(db, { chainId: 1, batchId: 3n, status: 'final', isForeign: true, orderIds: [] })
  await db.query('update batches set settled_at = $1', [at])
  await db.query(
    `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
     values (1, 3, 0, '0x0', 'MINT', '0x1', 1000, true)`,
  )
  await db.query(
    `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, amount_micro, pauses, seen_at)
     values (1, 'supply', 'outside', 1, 2, 20, true, $1)`,
    [new Date(at.getTime() + HOUR_MS)],
  )
  const coins = async (instant: Date) => (await readReserveFactsAsOf(db, instant)).coinsMicro
  assert.equal(await coins(new Date(at.getTime() - 1)), 0n)
  assert.equal(await coins(at), 1_000n)
  assert.equal(await coins(await startOf(1)), 1_020n)
})

test('the command says what the reserve was, and what it is', async () => {
  await bankSays(db, 5_000_000n, { daysAgo: 1 })
  const report = async (...args: string[]) => await coin.run('reserves', 'report', ...args)
  const now = await report()
  assert.deepEqual([now.asOf, now.available, now.accounts.length], [null, '5', 1])
  const lines: readonly Line[] = [
    { account: 'redeem_payable:int_a', amountMicro: 7_000_000n },
    { account: 'payout_clearing:http', amountMicro: -7_000_000n },
    { account: 'payout_clearing:http', amountMicro: 2_000_000n },
    { account: 'reserve:http', amountMicro: -2_000_000n },
  ]
  await book('sent', new Date(), ...lines)
  const { available, payoutClearing, extraPayments, saidPaid, perhapsTwice } = await report()
  assert.deepEqual([available, payoutClearing, extraPayments, saidPaid, perhapsTwice], ['-2', '5', '0', '2', '0'])
  const early = await report('--as-of', '2026-01-01T08:00:00+08:00')
  assert.deepEqual(
    [early.asOf, early.available, early.unknown, early.accounts],
    ['2026-01-01T00:00:00.000Z', '0', 'no_statement', []],
  )
  const refused = await coin.cli(['reserves', 'report', '--as-of', 'yesterday'])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /"asOf" must be a day of the books, .*, or an ISO 8601 instant/)
})
