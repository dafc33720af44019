// engine: postgres; both in test:long
/** Days that were told before are not booked again, whatever file tells them. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { parseCsvMapping } from '../../src/bank-files/csv/mapping.ts'
import { listWaiting } from '../../src/statements/waiting.sql.ts'
import { accepted, DEBTOR, sample } from '../support/bank-files.ts'
import { writeStatement } from '../support/fake-bank/messages.ts'
import { someBank } from '../support/statements.ts'
import { codeOf, createRecording } from './recording.ts'

const r = createRecording()
beforeEach(() => r.begin())
after(() => r.end())
const { record, countOf, clock } = r

test('the same statement under other ids, and one about days that are covered, are set aside', async () => {
  const bank = someBank()
  const first = bank.closeDay()
  bank.deposit(700n, { name: 'P', account: '12345' })
  const second = bank.closeDay()
  const third = bank.closeDay()
  for (const xml of [first, second, third]) await record(xml)
  const renamed = second.replace(/<MsgId>.*?</, '<MsgId>OTHER<').replace(/<Stmt>\s*<Id>.*?</, '<Stmt><Id>OTHER<')
  assert.equal(codeOf(await record(renamed)), 'repeated')
  // Nothing moved on the last day, so that it would follow itself.
  const lastAgain = third.replace(/<MsgId>.*?</, '<MsgId>OTHER2<').replace(/<Stmt>\s*<Id>.*?</, '<Stmt><Id>OTHER2<')
  assert.equal(codeOf(await record(lastAgain)), 'repeated')
  assert.equal(codeOf(await record(second.replace('2026-11-21T18', '2026-11-21T19'))), 'repeated')
  const covered = someBank({ openingSen: 5n })
  covered.deposit(1n, { name: 'P', account: '12345' })
  assert.equal(
    codeOf(
      await record(
        covered
          .closeDay()
          .replace(/<MsgId>.*?</, '<MsgId>X<')
          .replace(/<Stmt>\s*<Id>.*?</, '<Stmt><Id>X<'),
      ),
    ),
    'repeated',
  )
  assert.equal(await countOf('bank_statements'), 3)
})

test('a day that was taken from a CSV is not taken again from the bank’s own statement, whatever it sums to', async () => {
  const mapping = accepted(parseCsvMapping(sample('statement-csv.json')))
  const head = sample('statement.csv').split('\n').slice(0, 3)
  const day = '21/11/2026,21/11/2026,5140-1234-5678'
  for (const last of ['"7.00",,"1,000,000.00"', '"2.00",,"1,000,005.00"']) {
    await r.begin()
    const bank = someBank()
    const first = bank.closeDay()
    bank.deposit(700n, { name: 'P', account: '12345' }, 'in')
    bank.withdraw(last.startsWith('"7') ? 700n : 200n, { name: 'Q', account: '54321' }, 'out')
    const own = bank.closeDay()
    const rows = [`${day},,in,,,P,12345,,"7.00","1,000,007.00"`, `${day},,out,,,Q,54321,${last}`]
    assert.equal(codeOf(await record(first)), 'applied')
    assert.equal(codeOf(await record([...head, ...rows].join('\n'), 'a.csv', { csv: mapping })), 'applied')
    assert.equal(codeOf(await record(own)), 'repeated')
    assert.equal(await countOf('bank_lines'), 3)
    const next = bank.closeDay()
    assert.equal(codeOf(await record(next)), 'applied')
    assert.deepEqual(await listWaiting(r.db), [])
  }
})

test('a CSV of a day that is not over is not taken from a hand: the bank’s own statement of that day would follow nothing', async () => {
  const mapping = accepted(parseCsvMapping(sample('statement-csv.json')))
  const head = sample('statement.csv').split('\n').slice(0, 3)
  const bank = someBank()
  assert.equal(codeOf(await record(bank.closeDay())), 'applied')
  bank.deposit(700n, { name: 'P', account: '12345' }, 'morning')
  bank.deposit(200n, { name: 'P', account: '12345' }, 'afternoon')
  const row = '21/11/2026,21/11/2026,5140-1234-5678,,morning,,,P,12345,,"7.00","1,000,007.00"'
  const csv = [...head, row].join('\n')
  for (const now of ['2026-11-21T04:00:00Z', '2026-11-21T15:59:59Z']) {
    clock.now = new Date(now)
    assert.equal(codeOf(await record(csv, 'a.csv', { csv: mapping }, true)), 'not_complete', now)
  }
  assert.equal(codeOf(await record(bank.closeDay())), 'applied')
  assert.deepEqual(await listWaiting(r.db), [])
  clock.now = new Date('2026-11-22T16:00:00Z')
  const next = row.replaceAll('21/11', '22/11').replace('1,000,007.00', '1,000,016.00')
  assert.equal(codeOf(await record([...head, next].join('\n'), 'b.csv', { csv: mapping }, true)), 'applied')
  // What the transport brings in the evening is the bank's own end of that day.
  const own = next.replaceAll('22/11', '23/11').replace('1,000,016.00', '1,000,023.00')
  assert.equal(codeOf(await record([...head, own].join('\n'), 'c.csv', { csv: mapping })), 'applied')
})

test('a second statement of a day that sums to zero is another one when its references are', async () => {
  const bank = someBank()
  assert.equal(codeOf(await record(bank.closeDay())), 'applied')
  const sweep = () => {
    bank.deposit(700n, { name: 'P', account: '12345' }, 'in')
    bank.withdraw(700n, { name: 'P', account: '12345' }, 'out')
    return bank.closeDay().replaceAll('2026-11-22', '2026-11-21')
  }
  const [morning, evening] = [sweep(), sweep()]
  for (const xml of [morning, evening]) assert.equal(codeOf(await record(xml)), 'applied')
  assert.equal(await countOf('bank_lines'), 5)
  const again = evening.replace(/<MsgId>.*?</, '<MsgId>X<').replace(/<Stmt>\s*<Id>.*?</, '<Stmt><Id>X<')
  assert.equal(codeOf(await record(again.replaceAll('>P<', '>PP<'))), 'repeated')
})

/** A statement of these days, with lines of (reference, sen, day). */
function told(
  id: string,
  [openedOn, closedOn]: [string, string],
  openingSen: bigint,
  lines: readonly (readonly [string, bigint, string])[],
  number?: number,
): string {
  const head = { messageId: id, createdAt: '2026-11-20T18:00:00+08:00', statementId: id, account: DEBTOR.account }
  const closingSen = lines.reduce((sum, [, sen]) => sum + sen, openingSen)
  const written = lines.map(([reference, sen, day]) => ({
    reference,
    day,
    credit: sen > 0n,
    amountSen: sen < 0n ? -sen : sen,
  }))
  const xml = writeStatement({ ...head, openedOn, openingSen, closedOn, closingSen, lines: written })
  return number === undefined ? xml : xml.replace(/<Stmt>\s*<Id>.*?<\/Id>/, `$&<ElctrncSeqNb>${number}</ElctrncSeqNb>`)
}

test('a statement that shares days with the last one is not taken although the balances agree', async () => {
  const swept = [
    ['IN', 700n, '2026-11-18'],
    ['OUT', -700n, '2026-11-18'],
  ] as const
  const newer = ['NEW', 900n, '2026-11-21'] as const
  const first = told('S1', ['2026-11-16', '2026-11-20'], 0n, [['OLD', 500n, '2026-11-16'], ...swept])
  assert.equal(codeOf(await record(first)), 'applied')
  const shared = swept.map(([, sen, on]) => ['', sen, on] as const)
  const before = await countOf('bank_lines')
  assert.equal(codeOf(await record(told('S2', ['2026-11-18', '2026-11-22'], 500n, [...shared, newer]))), 'repeated')
  // Only its first day is shared, or nothing else is said.
  const day = ['2026-11-20', '2026-11-22'] as [string, string]
  const evening = [
    ['E', 40n, '2026-11-20'],
    ['F', -40n, '2026-11-20'],
  ] as const
  assert.equal(codeOf(await record(told('S3', ['2026-11-20', '2026-11-20'], 500n, evening))), 'applied')
  const unreferred = evening.map(([, sen, on]) => ['', sen, on] as const)
  assert.equal(codeOf(await record(told('S4', day, 500n, [...unreferred, newer]))), 'repeated')
  assert.equal(codeOf(await record(told('S5', day, 500n, evening))), 'repeated')
  assert.equal(await countOf('bank_lines'), before + 2)
  // By the bank's references that is what was said, and the rest is taken.
  assert.equal(codeOf(await record(told('S6', day, 500n, [...evening, newer]))), 'applied')
  assert.equal(await countOf('bank_lines'), before + 3)
  // What was not said before, or does not sum to zero, is new, however late its day is.
  const late = [
    ['LATE', 5n, '2026-11-19'],
    ['NEWEST', 900n, '2026-11-22'],
  ] as const
  assert.equal(codeOf(await record(told('S7', day, 1_400n, late))), 'applied')
  assert.deepEqual(await listWaiting(r.db), [])
})

test('what a bank writes in place of a reference makes no movement the one that was told before', async () => {
  const day = ['2026-11-20', '2026-11-20'] as [string, string]
  for (const none of ['', '-', '000000', 'N/A', 'NIL', 'NONREF']) {
    await r.begin()
    const swept = [
      [none, 700n, '2026-11-20'],
      [none, -700n, '2026-11-20'],
    ] as const
    assert.equal(codeOf(await record(told('S1', day, 500n, swept))), 'applied')
    assert.equal(codeOf(await record(told('S2', day, 500n, [...swept, [none, 40n, '2026-11-20']]))), 'applied')
    // What the account held, two movements, and three.
    assert.equal(await countOf('bank_lines'), 6, none)
  }
})

test('where the bank numbers its statements, the next number is another statement, also of a day that repeats the last', async () => {
  const sweep = [
    ['IN', 700n, '2026-11-20'],
    ['OUT', -700n, '2026-11-20'],
  ] as const
  const day = ['2026-11-20', '2026-11-20'] as [string, string]
  const next = ['2026-11-20', '2026-11-21'] as [string, string]
  assert.equal(codeOf(await record(told('S7', day, 0n, sweep, 7))), 'applied')
  assert.equal(codeOf(await record(told('S8', next, 0n, sweep, 8))), 'applied')
  // Two without lines that differ in their numbers alone: without the second one, the third would wait for ever.
  const quiet = ['2026-11-22', '2026-11-22'] as [string, string]
  assert.equal(codeOf(await record(told('S9', quiet, 0n, [], 9))), 'applied')
  assert.equal(codeOf(await record(told('S10', quiet, 0n, [], 10))), 'applied')
  assert.equal(codeOf(await record(told('S10-AGAIN', quiet, 0n, [], 10))), 'repeated')
  assert.equal(codeOf(await record(told('S11', quiet, 0n, [['Z', 5n, '2026-11-22']], 11))), 'applied')
  assert.deepEqual(await listWaiting(r.db), [])
})

test('of one file, too, no day is taken twice; its statements come in any order', async () => {
  const bank = someBank()
  assert.equal(codeOf(await record(bank.closeDay())), 'applied')
  const sweep = (name: string) => {
    bank.deposit(700n, { name, account: '12345' }, `in ${name}`)
    bank.withdraw(700n, { name, account: '12345' }, `out ${name}`)
    return bank.closeDay().replaceAll('2026-11-22', '2026-11-21')
  }
  const [morning, evening] = [sweep('P'), sweep('Q')]
  const [next, newest] = [bank.closeDay(), bank.closeDay()]
  const renamed = (xml: string) => xml.replace(/<Stmt>\s*<Id>.*?</, '<Stmt><Id>X<')
  const inOneFile = (first: string, second: string) =>
    first.replace('</Stmt>', () => `</Stmt>${/<Stmt>[\s\S]*<\/Stmt>/.exec(second)?.[0]}`)
  assert.equal(codeOf(await record(inOneFile(morning, morning))), 'duplicated_id')
  assert.equal(codeOf(await record(inOneFile(morning, renamed(morning)))), 'repeated')
  assert.equal(codeOf(await record(inOneFile(morning, renamed(morning).replaceAll('>P<', '>PP<')))), 'repeated')
  assert.equal(await countOf('bank_statements'), 1)
  assert.equal(codeOf(await record(inOneFile(morning, evening))), 'applied')
  assert.equal(codeOf(await record(inOneFile(newest, next))), 'applied')
  assert.deepEqual([await countOf('bank_statements'), await countOf('bank_lines')], [5, 5])
  assert.deepEqual(await listWaiting(r.db), [])
  // Of an account's first file the oldest begins.
  await r.begin()
  assert.equal(codeOf(await record(inOneFile(newest, next))), 'applied')
  assert.equal(await countOf('bank_statements'), 2)
})
