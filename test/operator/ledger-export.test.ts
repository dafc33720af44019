/** What somebody from outside does with the books of a quarter: take all entries of a period, and go from a figure to what it is made of. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { closeDays } from '../../src/ledger/periods.sql.ts'
import type { Line } from '../../src/ledger/postings.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { sealBooks } from '../support/seal-books.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

/** Ringgit in micro units that no double holds. */
const HUGE = 9_007_199_254_740_993_000_001n

let db: TestDatabase
let coin: OperatorFixture
before(async () => {
  db = await createTestDatabase()
  coin = await startOperator({ db, chains: [] })
})
after(async () => {
  await coin.close()
  await db.close()
})

const book = (reference: string, at: string, ...lines: readonly Line[]) =>
  db.transaction((tx) => recordEntries(tx, [{ reference, effectiveAt: new Date(at), lines }]))
const minted = (amountMicro: bigint, chain = 1, integration = 'int_a'): Line[] => [
  { account: `mint_receivable:${integration}`, amountMicro },
  { account: `coins:${chain}`, amountMicro: -amountMicro },
]
const paid = (amountMicro: bigint, bank = 'main'): Line[] => [
  { account: `reserve:${bank}`, amountMicro },
  { account: 'mint_receivable:int_a', amountMicro: -amountMicro },
]

async function aQuarter(): Promise<void> {
  await book('batch/1/1/int_a', '2026-07-31T15:59:59Z', ...minted(HUGE))
  await book('batch/1/2/int_a', '2026-07-31T16:00:00Z', ...minted(5n))
  await book('batch/2/1/int_b', '2026-08-15T04:00:00Z', ...minted(70n, 2, 'int_b'))
  await book('statement/main/S1/1.1', '2026-08-31T15:59:59.999Z', ...paid(5n))
  await book('statement/main/S10/1.1', '2026-09-01T15:59:59.999Z', ...paid(7n))
  await db.transaction((tx) => closeDays(tx, '2026-08-31'))
  // Of July, and of August: they came after both were closed.
  await book('batch/1/11/int_a', '2026-07-20T04:00:00Z', ...minted(300n))
  await book('statement/main/S1/2.1', '2026-08-31T15:59:59.999Z', ...paid(11n))
  await book('payout/po_1/sent/1', '2026-09-30T15:59:59.999Z', ...paid(-2n, 'second'))
  await book('payout/po_10/sent/1', '2026-09-30T16:00:00Z', ...paid(-3n, 'second'))
  await sealBooks(db, 100)
}

async function csv(...args: string[]): Promise<string[][]> {
  const { code, stdout, stderr } = await coin.cli(['ledger', ...args, '--csv'])
  assert.equal(code, 0, stderr)
  assert.ok(stdout.endsWith('\r\n'))
  return stdout
    .trimEnd()
    .split('\r\n')
    .map((row) => row.split(','))
}

/** What each account comes to at the end of a day, by its name. */
async function balances(day: string): Promise<Map<string, bigint>> {
  const [, ...rows] = await csv('balances', '--as-of', day)
  return new Map(rows.map(([, kind, , , owner, balance]) => [`${kind}:${owner}`, microOf(balance)]))
}

function microOf(text = ''): bigint {
  const [whole = '', part = ''] = text.split('.')
  const micro = BigInt(`${whole.replace('-', '')}${part.padEnd(6, '0')}`)
  return text.startsWith('-') ? -micro : micro
}

const referencesOf = async (...args: string[]) =>
  (await coin.run('ledger', 'entries', ...args)).entries.map(({ reference }: { reference: string }) => reference)

test('the entries of each month, as CSV, lead from the balances at its beginning to those at its end, to the last digit', async () => {
  await aQuarter()
  const months = [
    ['2026-06-30', '2026-07-01', '2026-07-31', 1],
    ['2026-07-31', '2026-08-01', '2026-08-31', 3],
    ['2026-08-31', '2026-09-01', '2026-09-30', 4],
    ['2026-09-30', '2026-10-01', '2026-10-31', 1],
  ] as const
  for (const [before, from, through, many] of months) {
    const args = ['entries', '--from', from, '--through', through]
    const [head, ...rows] = await csv(...args)
    assert.deepEqual(head, [
      'entryId',
      'position',
      'day',
      'effectiveAt',
      'recordedAt',
      'reference',
      'account',
      'amount',
    ])
    assert.equal(new Set(rows.map(([entryId]) => entryId)).size, many, from)
    const sums = await balances(before)
    for (const [, , day = '', , , , account = '', amount] of rows) {
      assert.ok(day >= from && day <= through)
      sums.set(account, (sums.get(account) ?? 0n) + microOf(amount))
    }
    assert.deepEqual(new Map([...sums].sort()), new Map([...(await balances(through))].sort()), from)
    assert.deepEqual(await csv(...args), [head, ...rows], 'made twice')
    // All of it, however small the pages are.
    assert.deepEqual(await csv(...args, '--limit', '2'), [head, ...rows])
  }
})

test('what counts in a month and happened before is told by its instants', async () => {
  const [, ...rows] = await csv('entries', '--from', '2026-09-01', '--through', '2026-09-01')
  const late = rows
    .filter(([, , day = '', effectiveAt = '']) => effectiveAt < `${day}T`)
    .map(([, , , , , reference]) => reference)
  assert.deepEqual(new Set(late), new Set(['statement/main/S1/2.1', 'batch/1/11/int_a']))
})

test('days and an account, or a name, choose entries, page by page, the newest day first', async () => {
  assert.deepEqual(await referencesOf('--through', '2026-08-31'), [
    'statement/main/S1/1.1',
    'batch/2/1/int_b',
    'batch/1/2/int_a',
    'batch/1/1/int_a',
  ])
  assert.deepEqual(await referencesOf('--from', '2026-09-02'), ['payout/po_10/sent/1', 'payout/po_1/sent/1'])
  assert.deepEqual(await referencesOf('--through', '2026-08-31', '--account', 'coins:2'), ['batch/2/1/int_b'])
  assert.deepEqual(await referencesOf('--from', '2026-07-31', '--through', '2026-08-31', '--account', 'reserve'), [
    'statement/main/S1/1.1',
  ])
  const page = await coin.run('ledger', 'entries', '--through', '2026-09-01', '--limit', '2')
  assert.equal(page.entries.length, 2)
  const rest = await referencesOf('--through', '2026-09-01', '--after', page.next)
  assert.deepEqual(rest, [
    'statement/main/S10/1.1',
    'statement/main/S1/1.1',
    'batch/2/1/int_b',
    'batch/1/2/int_a',
    'batch/1/1/int_a',
  ])
  // Gone on after an entry of a later day, it has those of its days alone.
  const [newest] = (await coin.run('ledger', 'entries', '--limit', '1')).entries
  assert.equal(newest.day > '2026-08-31', true)
  assert.deepEqual(
    await referencesOf('--through', '2026-08-31', '--after', newest.entryId),
    await referencesOf('--through', '2026-08-31'),
  )
  // By its name, and what begins with that and a slash: of S10, po_10 and batch 11 nothing.
  assert.deepEqual(await referencesOf('--reference', 'statement/main/S1'), [
    'statement/main/S1/1.1',
    'statement/main/S1/2.1',
  ])
  assert.deepEqual(await referencesOf('--reference', 'payout/po_1'), ['payout/po_1/sent/1'])
  assert.deepEqual(await referencesOf('--reference', 'batch/1/1'), ['batch/1/1/int_a'])
  assert.deepEqual(await referencesOf('--reference', 'batch/1/1/int_a'), ['batch/1/1/int_a'])
  const named = await coin.run('ledger', 'entries', '--reference', 'batch/1', '--limit', '2')
  assert.deepEqual(
    [...named.entries.map(({ reference }: { reference: string }) => reference), named.next],
    ['batch/1/1/int_a', 'batch/1/11/int_a', named.entries[1].entryId],
  )
  assert.deepEqual(await referencesOf('--reference', 'batch/1', '--after', named.next), ['batch/1/2/int_a'])
  const exact = await coin.run('ledger', 'entries', '--reference', 'batch/1/1/int_a', '--limit', '1')
  assert.deepEqual(await referencesOf('--reference', 'batch/1/1/int_a', '--after', exact.next), [])
  assert.deepEqual(await referencesOf('--reference', 'batch/1/_'), [])
})

test('what does not go together, and days that there are not, are refused', async () => {
  for (const [args, says] of [
    [['--reference', 'batch/1/1', '--from', '2026-08-01'], /reference/],
    [['--reference', 'batch/1/1', '--account', 'coins'], /reference/],
    [['--from', '2026-02-30'], /"from" must be a day/],
    [['--from', '2026-09-02', '--through', '2026-09-01'], /"from"/],
    [['--through', '2026-09-01', '--after', '999999'], /no entry/],
    [['--reference', 'batch/1', '--after', '999999'], /no entry/],
  ] as const) {
    const { code, stderr } = await coin.cli(['ledger', 'entries', ...args])
    assert.deepEqual([code, says.test(stderr)], [1, true], stderr)
  }
})
