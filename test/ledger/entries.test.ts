/** What the database itself refuses in the books, the days on which entries count, and what accounts come to. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Account, AccountKind } from '../../src/ledger/accounts.ts'
import { readAges } from '../../src/ledger/ageing.sql.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { listEntries, recordEntries } from '../../src/ledger/entries.sql.ts'
import { readDayFlows } from '../../src/ledger/flows.sql.ts'
import { flowsOfTransfers } from '../../src/ledger/flows.ts'
import { closeDays, readPeriods } from '../../src/ledger/periods.sql.ts'
import { findWrongCarried } from '../../src/ledger/verify.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { sealBooks } from '../support/seal-books.ts'
import { emptyBooks } from './books.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())
beforeEach(() => emptyBooks(db))

type Lines = Record<string, bigint>
const entry = (reference: string, lines: Lines, at = '2026-11-20T04:00:00Z') => ({
  reference,
  effectiveAt: new Date(at),
  lines: Object.entries(lines).map(([account, amountMicro]) => ({ account: account as Account, amountMicro })),
})
const record = (...entries: ReturnType<typeof entry>[]) => db.transaction((tx) => recordEntries(tx, entries))
const balances = async (asOf?: string) =>
  Object.fromEntries(
    (await readBalances(db, asOf === undefined ? undefined : new Date(asOf))).map(({ kind, owner, balanceMicro }) => [
      `${kind}:${owner}`,
      balanceMicro,
    ]),
  )

const balanceOf = async (account: Account) => (await balances())[account] ?? 0n

test('an entry that does not balance, has one line, an empty line or a strange account is refused', async () => {
  await record(entry('first', { 'coins:1': -5n, 'mint_receivable:int_a': 5n }))
  const refused: [Lines, string][] = [
    [{ 'coins:1': -5n, 'mint_receivable:int_a': 4n }, 'ledger_entries_balanced'],
    [{ 'coins:1': -5n }, 'ledger_entries_balanced'],
    [{}, 'ledger_entries_accounts'],
    [{ 'coins:1': -5n, 'fees:int_a': 0n, 'mint_receivable:int_a': 5n }, 'ledger_entries_lines'],
    [{ 'coin:1': -5n, 'mint_receivable:int_a': 5n }, 'ledger_entries_accounts'],
    [{ 'coins:1': -5n, 'mint_receivable:': 5n }, 'ledger_entries_accounts'],
    [{ 'coins:1 x': -5n, 'mint_receivable:int_a': 5n }, 'ledger_entries_accounts'],
  ]
  for (const [lines, constraint] of refused) {
    await assert.rejects(record(entry('beside it', { 'coins:1': 1n, 'coins:2': -1n }), entry('second', lines)), {
      constraint,
    })
  }
  const listed = await listEntries(db, { account: undefined, after: undefined, limit: 10 })
  assert.deepEqual(
    listed.map(({ reference }) => reference),
    ['first'],
  )
})

test('an entry whose reference is taken has another name; what is there already is not booked twice', async () => {
  const [lines, others] = [
    { 'coins:1': -5n, 'mint_receivable:int_a': 5n },
    { 'coins:1': -7n, 'mint_receivable:int_a': 7n },
  ]
  await record(entry('first', lines))
  await record(entry('first', lines), entry('second', lines))
  assert.equal(await balanceOf('coins:1'), -10n)
  await record(entry('first', others), entry('first', lines, '2026-11-19T04:00:00Z'))
  assert.equal(await balanceOf('coins:1'), -22n)
  const listed = await listEntries(db, { account: undefined, after: undefined, limit: 10 })
  assert.deepEqual(
    listed.map(({ reference }) => reference.replace(/[0-9a-f-]{36}$/, 'X')),
    ['first/taken/X', 'first/taken/X', 'second', 'first'],
  )
  // Also where the name is as long as names are.
  const long = 'x'.repeat(300)
  for (const each of [lines, others]) await record(entry(long, each))
  assert.equal(await balanceOf('coins:1'), -34n)
})

test('what is there already counts also where whoever had guessed it has not queued it for its seal', async () => {
  const lines = { 'coins:1': -5n, 'mint_receivable:int_a': 5n }
  await db.query(
    `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
     values ('first', '2026-11-20T04:00:00Z', '2026-11-20', '{coins:1,mint_receivable:int_a}', '{-5,5}')`,
  )
  await record(entry('first', lines))
  assert.equal(await balanceOf('coins:1'), -5n)
  await record(entry('first', lines))
  await sealBooks(db, 10)
  await record(entry('first', lines))
  assert.equal(await balanceOf('coins:1'), -5n)
})

test('nobody changes or removes an entry or a seal', async () => {
  await record(entry('first', { 'coins:1': -5n, 'mint_receivable:int_a': 5n }))
  await sealBooks(db, 10)
  for (const statement of [
    `update ledger_entries set reference = 'other'`,
    'delete from ledger_entries',
    'truncate ledger_entries',
    `update ledger_seals set hash = hash`,
    'delete from ledger_seals',
    'truncate ledger_seals',
  ]) {
    await assert.rejects(db.query(statement), /append-only/, statement)
  }
})

test('what a process dates ahead, by its own clock, took effect now, and counts today', async () => {
  const ahead = entry('ahead', { 'coins:1': -5n, 'mint_receivable:int_a': 5n }, '2226-01-01T00:00:00Z')
  const { effectiveAt } = ahead
  await db.transaction((tx) =>
    recordEntries(tx, [ahead], flowsOfTransfers(1, effectiveAt, [{ integrationId: 'int_a', amountMicro: 7n }])),
  )
  const { today } = await readPeriods(db)
  const [listed] = await listEntries(db, { account: undefined, after: undefined, limit: 10 })
  assert.deepEqual([listed?.day, listed?.effectiveAt.getTime()], [today, listed?.recordedAt.getTime()])
  const [flow, ...others] = await readDayFlows(db, today)
  assert.deepEqual([flow?.mintedMicro, flow?.transferredMicro, others], [5n, 7n, []])
})

test('equal amounts each count: of one day and of several, carried on or not, sealed or not', async () => {
  const lines = { 'coins:1': -5n, 'mint_receivable:int_a': 5n }
  const mintTwiceOn = (day: string) =>
    record(...[4, 5].map((hour) => entry(`${day} ${hour}`, lines, `${day}T0${hour}:00:00Z`)))
  const days = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'] as const
  for (const day of days) {
    await mintTwiceOn(day)
    if (day < days[2]) {
      await sealBooks(db, 10)
      await db.transaction((tx) => closeDays(tx, day))
    }
  }
  for (const sealed of [0, 2, 1]) {
    await sealBooks(db, sealed)
    assert.equal(await balanceOf('coins:1'), -40n)
    for (const [index, day] of days.entries())
      assert.equal((await balances(`${day}T15:59:59Z`))['coins:1'], -10n * BigInt(index + 1), day)
    assert.deepEqual(
      (await readDayFlows(db, '2026-11-21')).map(({ openingMicro }) => openingMicro),
      [40n],
    )
    assert.equal(await findWrongCarried(db), undefined)
    assert.equal((await readAges(db, '2026-11-20'))[0]?.totalMicro, 40n)
  }
})

test('an entry counts on the day of Kuala Lumpur on which it took effect, or on the first open one', async () => {
  const lines = { 'coins:1': -5n, 'mint_receivable:int_a': 5n }
  await record(
    entry('before midnight', lines, '2026-11-20T15:59:59.999Z'),
    entry('at midnight', lines, '2026-11-20T16:00:00Z'),
  )
  await db.transaction((tx) => closeDays(tx, '2026-11-20'))
  await record(entry('late', lines, '2026-11-20T15:00:00Z'), entry('in time', lines, '2026-11-22T16:00:00Z'))
  const listed = await listEntries(db, { account: undefined, after: undefined, limit: 10 })
  assert.deepEqual(Object.fromEntries(listed.map(({ reference, day }) => [reference, day])), {
    'before midnight': '2026-11-20',
    'at midnight': '2026-11-21',
    late: '2026-11-21',
    'in time': '2026-11-23',
  })
})

test('days that are not over stay open, and closed days stay closed', async () => {
  const close = async (through: string) => {
    await db.transaction((tx) => closeDays(tx, through))
    return (await readPeriods(db)).closedThrough
  }
  const { today } = await readPeriods(db)
  assert.equal(await close(today), null)
  assert.equal(await close('2026-11-19'), '2026-11-19')
  assert.equal(await close('2026-11-18'), '2026-11-19')
  assert.equal(await close('9999-12-31'), '2026-11-19')
})

test('a balance is the same before and after sealing, of one account, of all, and as of an instant', async () => {
  await record(
    entry('1', { 'coins:1': -5n, 'mint_receivable:int_a': 5n }, '2026-11-19T04:00:00Z'),
    entry('2', { 'coins:1': -7n, 'coins:2': 7n }, '2026-11-20T04:00:00Z'),
    entry('3', { 'coins:1': 1n, 'redeem_payable:int_a': -1n }, '2026-11-20T05:00:00Z'),
  )
  const now = { 'coins:1': -11n, 'coins:2': 7n, 'mint_receivable:int_a': 5n, 'redeem_payable:int_a': -1n }
  for (const sealed of [0, 2, 1]) {
    await sealBooks(db, sealed)
    assert.deepEqual(await balances(), now)
    assert.equal(await balanceOf('coins:1'), -11n)
    assert.equal(await balanceOf('coins:11'), 0n)
    assert.deepEqual(await balances('2026-11-20T04:59:59.999Z'), {
      'coins:1': -12n,
      'coins:2': 7n,
      'mint_receivable:int_a': 5n,
    })
    assert.deepEqual(await balances('2026-11-20T05:00:00Z'), now)
    assert.deepEqual(await balances('2026-11-19T15:59:00Z'), { 'coins:1': -5n, 'mint_receivable:int_a': 5n })
    assert.deepEqual(await balances('2026-11-18T00:00:00Z'), {})
  }
})

test('sums go beyond what eight bytes hold', async () => {
  const most = 9_223_372_036_854_775_807n
  for (const reference of ['1', '2', '3'])
    await record(entry(reference, { 'coins:1': -most, 'mint_receivable:int_a': most }))
  assert.equal(await balanceOf('coins:1'), -3n * most)
  await sealBooks(db, 10)
  assert.equal(await balanceOf('coins:1'), -3n * most)
})

test('entries are listed newest first, by account when asked, in pages', async () => {
  await record(
    entry('1', { 'coins:1': -5n, 'mint_receivable:int_a': 5n }),
    entry('2', { 'coins:2': -7n, 'mint_receivable:int_a': 7n }),
    entry('3', { 'coins:1': 1n, 'redeem_payable:int_a': -1n }),
  )
  await sealBooks(db, 2)
  const list = async (account?: Account, after?: bigint) => await listEntries(db, { account, after, limit: 2 })
  const [third, second] = await list()
  assert.deepEqual([third?.reference, third?.position, second?.reference, second?.position], ['3', null, '2', 2n])
  assert.deepEqual(second?.lines, entry('2', { 'coins:2': -7n, 'mint_receivable:int_a': 7n }).lines)
  assert.deepEqual(
    (await list(undefined, second?.entryId)).map(({ reference }) => reference),
    ['1'],
  )
  assert.deepEqual(
    (await list('coins:1')).map(({ reference }) => reference),
    ['3', '1'],
  )
})

test('entries of a kind are those that move an account of it, and not of one whose name begins so', async () => {
  await record(
    entry('charged', { 'fees_receivable:int_a': 5n, 'fees:int_a': -5n }),
    entry('paid', { 'unallocated:main': 5n, 'fees_receivable:int_a': -5n }),
    entry('another', { 'unallocated:main': 5n, 'fees_receivable:int_b': -5n }),
  )
  const listed = async (account: AccountKind | Account) =>
    (await listEntries(db, { account, after: undefined, limit: 10 })).map(({ reference }) => reference)
  assert.deepEqual(await listed('fees'), ['charged'])
  assert.deepEqual(await listed('fees_receivable'), ['another', 'paid', 'charged'])
  assert.deepEqual(await listed('fees_receivable:int_a'), ['paid', 'charged'])
  assert.deepEqual(await listed('fees:int_b'), [])
})
