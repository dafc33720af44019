// engine: postgres
/** What was told of a day by a statement of several days, in which it began between two lines: it is told again by statements of that day. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { bridgeStatement } from '../../src/statements/bridge.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { listWaiting } from '../../src/statements/waiting.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { DEBTOR } from '../support/bank-files.ts'
import { writeStatement } from '../support/fake-bank/messages.ts'
import { codeOf, createRecording } from './recording.ts'

const r = createRecording()
beforeEach(() => r.begin())
after(() => r.end())

/** A line: the bank's reference of it, and sen. */
type Told = readonly [string, bigint]
type Days = Readonly<Record<number, readonly Told[]>>

const dayOf = (day: number) => `2026-11-${day}`

/** A statement of these days of November, or of their beginning. */
function told(id: string, openingSen: bigint, days: Days, closed = Math.max(...Object.keys(days).map(Number))): string {
  const lines = Object.entries(days).flatMap(([day, of]) =>
    of.map(([reference, sen]) => ({
      reference,
      credit: sen > 0n,
      amountSen: sen > 0n ? sen : -sen,
      day: dayOf(Number(day)),
    })),
  )
  const closingSen = Object.values(days)
    .flat()
    .reduce((sum, [, sen]) => sum + sen, openingSen)
  const openedOn = dayOf(Math.min(...Object.keys(days).map(Number)))
  const dates = { openedOn, openingSen, closedOn: dayOf(closed), closingSen }
  const ids = { messageId: `M${id}`, statementId: id, createdAt: '2026-11-28T18:00:00+08:00', account: DEBTOR.account }
  return writeStatement({ ...ids, ...dates, lines })
}

async function take(...statement: Parameters<typeof told>): Promise<string> {
  return codeOf(await r.record(told(...statement)))
}

/** The references of what is to be booked, and the names of what waits. */
async function taken() {
  const rows = await r.db.query<{ reference: string }>(
    `select servicer_reference as reference from bank_lines l join bank_statements s using (statement_no)
     where s.position is not null and entry > 0 order by l.booked_on, 1`,
  )
  const waiting = await listWaiting(r.db)
  return {
    lines: rows.map(({ reference }) => reference).join(' '),
    waits: waiting.map(({ statementId }) => statementId).join(' '),
  }
}

const IN: Told = ['IN', 700n]
const OUT: Told = ['OUT', -700n]
const BEFORE: Told = ['BEFORE', -900n]
const MORE: Told = ['MORE', 300n]

test('a day that a cut statement of several days has begun is taken in from there, and what follows it', async () => {
  await take('FIRST', 5_000n, { 20: [] })
  assert.equal(await take('CUT', 5_000n, { 21: [BEFORE], 22: [IN] }), 'applied')
  assert.equal(await take('NEXT', 4_400n, { 23: [['NEXT', 1n]] }), 'applied')
  assert.equal(await take('DAY', 4_100n, { 22: [IN, OUT, MORE] }), 'applied')
  assert.deepEqual(await taken(), { lines: 'BEFORE IN MORE OUT NEXT', waits: '' })
  // What it has told is not to be waited for again.
  await r.begin()
  await take('FIRST', 5_000n, { 20: [] })
  await take('BOTH', 5_000n, { 21: [BEFORE], 22: [IN, MORE] })
  assert.equal(await take('DAY', 4_100n, { 22: [IN, MORE] }), 'repeated')
  assert.equal(await take('PART', 4_100n, { 22: [IN] }), 'repeated')
  assert.deepEqual(await taken(), { lines: 'BEFORE IN MORE', waits: '' })
})

test('of a day that comes to nothing, and was told with the one before it, neither the beginning nor the whole is booked again', async () => {
  await take('FIRST', 5_000n, { 20: [] })
  await take('BOTH', 5_000n, { 21: [BEFORE], 22: [IN, OUT] })
  assert.equal(await take('PART', 4_100n, { 22: [IN] }), 'repeated')
  assert.equal(await take('DAY', 4_100n, { 22: [IN, OUT] }), 'repeated')
  assert.equal(await take('SOME', 4_100n, { 22: [IN, ['X', -5n]] }), 'repeated')
  assert.equal(await take('MORE', 4_100n, { 22: [IN, OUT, MORE] }), 'applied')
  assert.deepEqual(await taken(), { lines: 'BEFORE IN MORE OUT', waits: '' })
})

test('nor where the beginning waits for what tells all of it', async () => {
  await take('FIRST', 5_000n, { 20: [] })
  assert.equal(await take('PART', 4_100n, { 22: [IN] }), 'applied')
  assert.equal(await take('REST', 4_800n, { 22: [OUT] }), 'applied')
  assert.equal(await take('BOTH', 5_000n, { 21: [BEFORE], 22: [IN, OUT] }), 'applied')
  assert.deepEqual(await taken(), { lines: 'BEFORE IN OUT', waits: 'PART REST' })
})

test('what tells a day again and what was not told of the one before it is not booked behind that day', async () => {
  await take('FIRST', 5_000n, { 20: [] })
  assert.equal(await take('DAY', 5_000n, { 22: [IN, OUT] }), 'applied')
  const missed = [
    ['A', 60n],
    ['B', -60n],
  ] as const
  assert.equal(await take('CUT', 5_000n, { 21: missed, 22: [IN] }), 'repeated')
  assert.deepEqual(await taken(), { lines: 'IN OUT', waits: '' })
})

test('what was left out of a day that comes to nothing is taken in late, too', async () => {
  await take('FIRST', 5_000n, { 20: [] })
  await take('PART', 5_000n, { 21: [IN, OUT] })
  await take('NEXT', 5_000n, { 22: [MORE] })
  const rest = [
    ['A', 60n],
    ['B', -60n],
  ] as const
  assert.equal(await take('DAY', 5_000n, { 21: [IN, OUT, ...rest] }), 'applied')
  assert.deepEqual(await taken(), { lines: 'A B IN OUT MORE', waits: '' })
  // But nothing that would never fit.
  await r.begin()
  await take('FIRST', 5_000n, { 20: [] })
  await take('PART', 5_000n, { 21: [IN] })
  await take('NEXT', 5_700n, { 23: [MORE] })
  assert.equal(await take('CUT', 5_000n, { 21: [IN], 22: rest.slice(0, 1) }), 'repeated')
  assert.equal(await take('DAYS', 5_000n, { 21: [IN], 22: rest }), 'applied')
  assert.deepEqual(await taken(), { lines: 'IN A B MORE', waits: '' })
})

test('what the whole of a day tells beside all that was told of it is taken in late, also where amounts are alike', async () => {
  const begin = async () => {
    await r.begin()
    await take('FIRST', 5_000n, { 20: [] })
    await take('EVENING', 5_000n, { 21: [['E', 700n]] })
    await take('NEXT', 5_700n, { 22: [] })
  }
  await begin()
  assert.equal(await take('MORNING', 5_000n, { 21: [IN, OUT] }), 'repeated')
  assert.equal(await take('DAY', 5_000n, { 21: [IN, OUT, ['E', 700n]] }), 'applied')
  assert.deepEqual(await taken(), { lines: 'E IN OUT', waits: '' })
  assert.equal(await take('AGAIN', 5_000n, { 21: [IN, OUT, ['E', 700n]] }), 'repeated')
  assert.equal(await take('MORNING', 5_000n, { 21: [IN, OUT] }), 'repeated')
  assert.deepEqual(await taken(), { lines: 'E IN OUT', waits: '' })
  assert.deepEqual(await findStatementTroubles(r.db, TEST_SECRETS), [])
  // Not where another one has told something of these days that it does not tell.
  await begin()
  await take('LATER', 5_700n, { 21: [['F', 700n]], 23: [OUT] })
  assert.equal(await take('DAY', 5_000n, { 21: [IN, OUT, ['E', 700n]] }), 'repeated')
  assert.deepEqual(await taken(), { lines: 'E F OUT', waits: '' })
})

test('of two statements of a day the one that comes to nothing is taken in first, whichever came first', async () => {
  for (const order of [
    ['PART', 'REST'],
    ['REST', 'PART'],
  ]) {
    await r.begin()
    await take('FIRST', 5_000n, { 20: [] })
    const lines = { PART: [IN, OUT], REST: [MORE] }
    for (const each of order) await take(each, 4_100n, { 22: lines[each as keyof typeof lines] })
    await take('DAY', 5_000n, { 21: [BEFORE] })
    assert.deepEqual(await taken(), { lines: 'BEFORE IN MORE OUT', waits: '' })
  }
})

test('what waits because it tells again keeps waiting nothing that it has, too', async () => {
  await take('FIRST', 5_000n, { 20: [] })
  assert.equal(await take('AGAIN', 4_100n, { 22: [IN, OUT], 23: [MORE, ['END', 5n]] }), 'applied')
  await take('BOTH', 5_000n, { 21: [BEFORE], 22: [IN, OUT] })
  assert.deepEqual(await taken(), { lines: 'BEFORE IN OUT', waits: 'AGAIN' })
  // Nothing is missing before it, and people are told so.
  const [again] = await listWaiting(r.db)
  const bridge = (tx: Queryable) => bridgeStatement({ tx, secrets: TEST_SECRETS }, again?.statementNo ?? 0n, 0n)
  const bridged = await r.db.transaction(bridge)
  assert.match(bridged.result === 'refused' ? bridged.sentence : '', /nothing to bridge\. It tells again .*withdraw it/)
  const troubles = await findStatementTroubles(r.db, TEST_SECRETS)
  const missing = troubles.filter(({ kind }) => kind === 'statement_missing')
  assert.match(missing[0]?.message ?? '', /opens as BOTH \(closed on 2026-11-22\) closed.*withdraw it/)
  assert.equal(await take('DAY', 4_100n, { 23: [MORE] }), 'applied')
  assert.deepEqual(await taken(), { lines: 'BEFORE IN OUT MORE', waits: 'AGAIN' })
})

test('all that was told of a day counts, also what was told before a statement of its rest', async () => {
  await take('FIRST', 5_000n, { 20: [] })
  await take('BOTH', 5_000n, { 21: [BEFORE], 22: [IN, OUT] })
  assert.equal(await take('MORE', 4_100n, { 22: [IN, OUT, MORE] }), 'applied')
  assert.equal(await take('ALL', 4_100n, { 22: [IN, OUT, MORE, ['END', 5n]] }), 'applied')
  assert.deepEqual(await taken(), { lines: 'BEFORE END IN MORE OUT', waits: '' })
})

test('so it is of a day with thousands of movements of one amount, with references and without', async () => {
  const many = (count: number, name: string): Told[] =>
    Array.from({ length: count }, (_, index) => [name && `${name}${index}`, 100n])
  for (const name of ['M', '']) {
    await r.begin()
    await take('FIRST', 5_000n, { 20: [] })
    assert.equal(await take('CUT', 5_000n, { 21: [BEFORE], 22: many(3_000, name) }), 'applied')
    assert.equal(await take('DAY', 4_100n, { 22: [...many(4_000, name)].reverse() }), 'applied')
    const { lines, waits } = await taken()
    assert.deepEqual([lines.split(' ').length, waits], [4_001, ''])
  }
})
