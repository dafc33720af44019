/** Bank files become statements: each content once, each whole or not at all, each after the one before it. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { accountKeys } from '../../src/bank-details/bank-details.ts'
import { parseCsvMapping } from '../../src/bank-files/csv/mapping.ts'
import type { Taken } from '../../src/bank-files/folder/incoming.ts'
import { readBankBalances } from '../../src/statements/balances.sql.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { recordFile } from '../../src/statements/record.ts'
import type { NewNotified } from '../../src/statements/statement.ts'
import { insertImport, insertNotified } from '../../src/statements/store.sql.ts'
import { listWaiting, missingNumbers } from '../../src/statements/waiting.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { accepted, bytesOf, DEBTOR, sample } from '../support/bank-files.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { writeNotification, writeStatement } from '../support/fake-bank/messages.ts'
import { STATEMENT_SPOILS } from '../support/fake-bank/spoil.ts'
import { SETUP, someBank } from '../support/statements.ts'

let db: TestDatabase
const opened: TestDatabase[] = []
beforeEach(async () => {
  db = await createTestDatabase()
  opened.push(db)
})
after(async () => {
  for (const one of opened) await one.close()
})

const record = (xml: string, name = 'file.xml', changes = {}, isByHand = false): Promise<Taken> =>
  recordFile(
    {
      db,
      secrets: TEST_SECRETS,
      setup: { ...SETUP, ...changes },
      now: () => clock.now,
      applyReport: async () => ({ ok: true, value: undefined }),
      findTogether: async () => [],
    },
    { name, bytes: bytesOf(xml), isByHand },
  )
/** Late enough for every statement here. */
const clock = { now: new Date('2026-12-01T00:00:00Z') }
const codeOf = (taken: Taken) => (taken.result === 'refused' ? taken.refusal.code : taken.result)
const countOf = async (table: string) =>
  Number((await db.query<{ n: bigint }>(`select count(*) as n from ${table}`))[0]?.n ?? 0n)

test('statements follow one another; each content is taken once', async () => {
  const bank = someBank()
  bank.deposit(12_345n, { name: 'Partner', account: '8001234567' }, 'mint-0001')
  const first = bank.closeDay()
  bank.deposit(55n, { name: 'Partner', account: '8001234567' })
  const second = bank.closeDay()
  assert.equal(codeOf(await record(first)), 'applied')
  assert.equal(codeOf(await record(first, 'again.xml')), 'repeated')
  assert.equal(codeOf(await record(second)), 'applied')
  const [balance] = await readBankBalances(db)
  assert.equal(balance?.bankAccount, 'main')
  assert.equal(balance?.closingMicro, bank.balanceSen() * 10_000n)
  assert.equal(balance?.unbookedMicro, balance?.closingMicro)
  assert.deepEqual(await listWaiting(db), [])
  // What the first one opens with, and two deposits.
  assert.equal(await countOf('bank_lines'), 3)
})

test('a statement whose predecessor is missing waits, and is applied when that one comes', async () => {
  const bank = someBank()
  const first = bank.closeDay()
  bank.deposit(700n, { name: 'P', account: '12345' })
  const lost = bank.closeDay()
  bank.deposit(55n, { name: 'P', account: '12345' })
  const third = bank.closeDay()
  const fourth = bank.closeDay()
  for (const xml of [first, fourth, third]) assert.equal(codeOf(await record(xml)), 'applied')
  const waiting = await listWaiting(db)
  assert.deepEqual(
    waiting.map((one) => [one.openedOn, one.lastClosedOn, one.openingMicro - (one.lastClosingMicro ?? 0n)]),
    [
      ['2026-11-22', '2026-11-20', 7_000_000n],
      ['2026-11-23', '2026-11-20', 7_550_000n],
    ],
  )
  assert.equal((await readBankBalances(db))[0]?.closedOn, '2026-11-20')
  assert.equal(codeOf(await record(lost)), 'applied')
  assert.deepEqual(await listWaiting(db), [])
  assert.equal((await readBankBalances(db))[0]?.closedOn, '2026-11-23')
})

test('a statement whose number does not follow waits, although the balances agree, until the missing one comes', async () => {
  const bank = someBank()
  const numbered = (n: number) =>
    bank.closeDay().replace(/<Stmt>\s*<Id>.*?<\/Id>/, `$&<ElctrncSeqNb>${n}</ElctrncSeqNb>`)
  const [first, second, third, renewed] = [numbered(7), numbered(8), numbered(9), numbered(1)]
  for (const xml of [first, third]) assert.equal(codeOf(await record(xml)), 'applied')
  const [waiting] = await listWaiting(db)
  assert.ok(waiting)
  assert.equal(missingNumbers(waiting), 'number 8')
  assert.equal((await readBankBalances(db))[0]?.closedOn, '2026-11-20')
  for (const xml of [second, renewed]) assert.equal(codeOf(await record(xml)), 'applied')
  assert.deepEqual(await listWaiting(db), [])
  assert.equal((await readBankBalances(db))[0]?.closedOn, '2026-11-23')
})

test('late statements whose days sum to zero are applied in between, with their lines; once', async () => {
  const bank = someBank()
  const first = bank.closeDay()
  const empty = bank.closeDay()
  bank.deposit(700n, { name: 'P', account: '12345' }, 'in')
  const credited = bank.closeDay()
  bank.deposit(700n, { name: 'P', account: '12345' }, 'out')
  const closed = bank.closeDay()
  const [head = '', entry = ''] = closed.replace(/<TxsSummry>[\s\S]*<\/TxsSummry>/, '').split('<Ntry>')
  const debited = `${head.replace('1000014.00', '1000000.00')}<Ntry>${entry.replaceAll('CRDT', 'DBIT')}`
  const last = someBank({ day: '2026-11-24', seed: 'last' })
    .closeDay()
    .replace(/<(MsgId|Id)>(S\w+)</g, '<$1>$2-LAST<')
  for (const xml of [first, last]) assert.equal(codeOf(await record(xml)), 'applied')
  assert.equal((await readBankBalances(db))[0]?.closedOn, '2026-11-24')
  assert.equal(codeOf(await record(empty)), 'applied')
  assert.deepEqual(await listWaiting(db), [])
  assert.equal(codeOf(await record(credited)), 'applied')
  assert.deepEqual(
    (await listWaiting(db)).map(({ lastClosedOn }) => lastClosedOn),
    ['2026-11-21'],
  )
  assert.equal(codeOf(await record(debited)), 'applied')
  assert.deepEqual(await listWaiting(db), [])
  const [balance] = await readBankBalances(db)
  assert.deepEqual(
    [balance?.closedOn, balance?.closingMicro, balance?.unbookedMicro],
    ['2026-11-24', 10n ** 12n, 10n ** 12n],
  )
  assert.deepEqual(
    await findStatementTroubles(db, TEST_SECRETS).then((all) => all.filter(({ kind }) => kind !== 'reserve')),
    [],
  )
  const again = debited.replace(/<MsgId>.*?</, '<MsgId>X<').replace(/<Stmt>\s*<Id>.*?</, '<Stmt><Id>X<')
  assert.equal(codeOf(await record(again.replace('>out<', '>other<'))), 'repeated')
})

test('several late statements of one day that sum to zero together are applied, in whichever order they come', async () => {
  const party = { name: 'P', account: '12345' }
  const of = (part: string, openingSen: bigint, amounts: readonly bigint[]) => {
    const lines = amounts.map((amountSen, index) => ({
      ...{ reference: `${part}${index}`, credit: amountSen > 0n, day: '2026-11-22', party, text: part },
      amountSen: amountSen < 0n ? -amountSen : amountSen,
    }))
    return writeStatement({
      ...{ messageId: part, createdAt: '2026-11-25T01:00:00+08:00', statementId: part, account: DEBTOR.account, lines },
      ...{ openedOn: '2026-11-22', closedOn: '2026-11-22', openingSen },
      closingSen: amounts.reduce((sum, one) => sum + one, openingSen),
    })
  }
  const parts = [
    of('morning', 100_000_000n, [700n]),
    of('noon', 100_000_700n, [500n]),
    of('evening', 100_001_200n, [-1_200n]),
  ]
  const last = someBank({ day: '2026-11-24', seed: 'last' })
    .closeDay()
    .replace(/<(MsgId|Id)>(S\w+)</g, '<$1>$2-LAST<')
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
  ] as const) {
    db = await createTestDatabase()
    opened.push(db)
    for (const xml of [someBank().closeDay(), last]) assert.equal(codeOf(await record(xml)), 'applied')
    for (const place of order) assert.equal(codeOf(await record(parts[place] ?? '')), 'applied')
    assert.deepEqual(await listWaiting(db), [], String(order))
    const [balance] = await readBankBalances(db)
    assert.deepEqual([balance?.closedOn, balance?.closingMicro], ['2026-11-24', 10n ** 12n])
    const applied = await db.query<{ statement_id: string }>(
      "select statement_id from bank_statements where position is not null and closed_on = '2026-11-22' order by position",
    )
    assert.deepEqual(
      applied.map((one) => one.statement_id),
      ['morning', 'noon', 'evening'],
    )
    // What the day says again, in one statement, is booked by nobody.
    assert.equal(codeOf(await record(of('whole', 100_000_000n, [700n, 500n, -1_200n]))), 'repeated')
  }
})

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

test('a spoilt file changes nothing but the list of files, and can be taken once it is whole', async () => {
  const bank = someBank()
  bank.deposit(700n, { name: 'P', account: '12345' }, 'one')
  bank.deposit(800n, { name: 'P', account: '12345' }, 'two')
  const xml = bank.closeDay()
  for (const [name, { codes, spoil }] of Object.entries(STATEMENT_SPOILS)) {
    const code = codeOf(await record(spoil(xml), name))
    assert.ok((codes as readonly string[]).includes(code), `${name}: ${code}`)
  }
  assert.equal(await countOf('bank_statements'), 0)
  assert.equal(await countOf('bank_lines'), 0)
  assert.equal(await countOf('bank_imports'), Object.keys(STATEMENT_SPOILS).length)
  assert.equal(codeOf(await record(xml)), 'applied')
  assert.equal(codeOf(await record(bank.foreignStatement())), 'foreign')
})

test('a statement of a day to come is refused, and those of the days before it are taken', async () => {
  const at = (closedOn: string) =>
    writeStatement({
      ...{ messageId: `M${closedOn}`, statementId: `S${closedOn}`, createdAt: '2026-11-30T18:00:00+08:00' },
      ...{ account: DEBTOR.account, openedOn: '2026-11-30', openingSen: 700n, closedOn, closingSen: 700n, lines: [] },
    })
  assert.equal(codeOf(await record(at('2026-11-30'))), 'applied')
  // A year that was typed wrong; it is December the first in Kuala Lumpur.
  for (const closedOn of ['2062-12-01', '2026-12-03']) {
    const taken = await record(at(closedOn))
    assert.equal(codeOf(taken), 'wrong_content')
    assert.match(
      taken.result === 'refused' ? taken.refusal.sentence : '',
      new RegExp(`${closedOn}, which has not come`),
    )
  }
  for (const closedOn of ['2026-12-01', '2026-12-02']) assert.equal(codeOf(await record(at(closedOn))), 'applied')
  assert.equal((await readBankBalances(db))[0]?.closedOn, '2026-12-02')
})

test('what is notified as booked more than two weeks from now is refused', async () => {
  const told = (day: string) =>
    writeNotification({
      ...{ messageId: `N${day}`, notificationId: `N${day}`, createdAt: '2026-11-30T18:00:00+08:00' },
      ...{ account: DEBTOR.account, lines: [{ reference: day, credit: true, amountSen: 700n, day }] },
    })
  assert.equal(codeOf(await record(told('2026-12-16'))), 'wrong_content')
  assert.equal(codeOf(await record(told('2026-12-15'))), 'applied')
})

test('a CSV statement is taken as its mapping says, and refused without one', async () => {
  const csv = sample('statement.csv')
  assert.equal(codeOf(await record(csv, 'a.csv')), 'unknown_message')
  const mapping = accepted(parseCsvMapping(sample('statement-csv.json')))
  assert.equal(codeOf(await record(csv, 'a.csv', { csv: mapping })), 'applied')
  assert.equal((await readBankBalances(db)).length, 1)
})

test('a statement with words that no index and no JSON could hold is taken as far as they can be kept, and stays as it was', async () => {
  const mapping = accepted(parseCsvMapping(sample('statement-csv.json')))
  const trace = Array.from({ length: 3_000 }, (_, place) => String.fromCodePoint(0x4e00 + place)).join('')
  const csv = sample('statement.csv')
    .replace('TX00000001', trace)
    .replace('DUITNOW TRANSFER', `${'x'.repeat(1_999)}\u{1F4B0}`)
    .replace('TX00000002', `${'y'.repeat(254)}\u{1F4B0}`)
  assert.equal(codeOf(await record(csv, 'a.csv', { csv: mapping })), 'applied')
  const troubles = await findStatementTroubles(db, TEST_SECRETS)
  assert.deepEqual(
    troubles.filter(({ kind }) => kind === 'statement_changed'),
    [],
  )
})

test('an amount that no book could hold is a reason to set a file aside', async () => {
  const bank = someBank({ openingSen: 10n ** 15n - 1n })
  assert.equal(codeOf(await record(bank.closeDay())), 'wrong_amount')
})

test('the account of whoever paid is the same with blanks and dashes, in a CSV too', async () => {
  const mapping = accepted(parseCsvMapping(sample('statement-csv.json')))
  const csv = sample('statement.csv').replace('Bhd,8001234567', 'Bhd,8001-234 567')
  assert.equal(codeOf(await record(csv, 'a.csv', { csv: mapping })), 'applied')
  const rows = await db.query<{ n: bigint }>(
    'select count(*) as n from bank_lines join bank_details using (bank_id) where account_key = any ($1::text[]) and entry = 1',
    [accountKeys(TEST_SECRETS, '8001234567')],
  )
  assert.equal(rows[0]?.n, 1n)
})

test('a day that was taken from a CSV is not taken again from the bank’s own statement, whatever it sums to', async () => {
  const mapping = accepted(parseCsvMapping(sample('statement-csv.json')))
  const head = sample('statement.csv').split('\n').slice(0, 3)
  const day = '21/11/2026,21/11/2026,5140-1234-5678'
  for (const last of ['"7.00",,"1,000,000.00"', '"2.00",,"1,000,005.00"']) {
    db = await createTestDatabase()
    opened.push(db)
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
    assert.deepEqual(await listWaiting(db), [])
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
  assert.deepEqual(await listWaiting(db), [])
  clock.now = new Date('2026-11-22T16:00:00Z')
  const next = row.replaceAll('21/11', '22/11').replace('1,000,007.00', '1,000,016.00')
  assert.equal(codeOf(await record([...head, next].join('\n'), 'b.csv', { csv: mapping }, true)), 'applied')
  // What the transport brings in the evening is the bank's own end of that day.
  const own = next.replaceAll('22/11', '23/11').replace('1,000,016.00', '1,000,023.00')
  assert.equal(codeOf(await record([...head, own].join('\n'), 'c.csv', { csv: mapping })), 'applied')
  clock.now = new Date('2026-12-01T00:00:00Z')
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
    ...{ reference, day, credit: sen > 0n, amountSen: sen < 0n ? -sen : sen },
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
  const shared = told('S2', ['2026-11-18', '2026-11-22'], 500n, [...swept, newer])
  const before = await countOf('bank_lines')
  assert.equal(codeOf(await record(shared)), 'repeated')
  // Only its first day is shared, or nothing else is said.
  const day = ['2026-11-20', '2026-11-22'] as [string, string]
  const evening = [
    ['E', 40n, '2026-11-20'],
    ['F', -40n, '2026-11-20'],
  ] as const
  assert.equal(codeOf(await record(told('S3', ['2026-11-20', '2026-11-20'], 500n, evening))), 'applied')
  assert.equal(codeOf(await record(told('S4', day, 500n, [...evening, newer]))), 'repeated')
  assert.equal(codeOf(await record(told('S5', day, 500n, evening))), 'repeated')
  assert.equal(await countOf('bank_lines'), before + 2)
  // What was not said before, or does not sum to zero, is new, however late its day is.
  const late = [['LATE', 5n, '2026-11-19'], newer] as const
  assert.equal(codeOf(await record(told('S6', day, 500n, late))), 'applied')
  assert.deepEqual(await listWaiting(db), [])
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
  assert.deepEqual(await listWaiting(db), [])
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
  assert.deepEqual(await listWaiting(db), [])
  // Of an account's first file the oldest begins.
  db = await createTestDatabase()
  opened.push(db)
  assert.equal(codeOf(await record(inOneFile(newest, next))), 'applied')
  assert.equal(await countOf('bank_statements'), 2)
})

test('a file may have more notifications than a small number can count', async () => {
  const told: NewNotified = {
    ...{
      key: 'cd'.repeat(32),
      notification: 40_000,
      bankAccount: 'main',
      amountMicro: 50_000n,
      bookedOn: '2026-11-20',
    },
    ...{
      servicerReference: null,
      endToEndId: null,
      remittance: 'mint',
      remitterAccount: null,
      ownAccount: null,
      together: null,
    },
  }
  const contentHash = 'ab'.repeat(32)
  await db.transaction(async (tx) => {
    await insertImport(tx, {
      contentHash,
      name: 'a.xml',
      definition: 'camt.054.001.08',
      messageId: 'M1',
      refusal: null,
    })
    await insertNotified(tx, TEST_SECRETS, [told], contentHash)
  })
  assert.deepEqual(await db.query('select notification from bank_notified'), [{ notification: 40_000 }])
})

test('what is notified counts until the statement of its day, and once however often it is notified', async () => {
  const bank = someBank()
  const first = bank.closeDay()
  bank.deposit(700n, { name: 'P', account: '12345' }, 'one')
  bank.deposit(700n, { name: 'P', account: '12345' }, 'one')
  // Without a reference of the bank's own, two equal credits of one notification are still two.
  const notification = bank.notification().replace(/<AcctSvcrRef>.*?<\/AcctSvcrRef>/g, '')
  const second = bank.closeDay()
  await record(first)
  assert.equal(codeOf(await record(notification)), 'applied')
  assert.equal(codeOf(await record(notification.replace(/<MsgId>.*?</, '<MsgId>AGAIN<'))), 'applied')
  assert.equal((await readBankBalances(db))[0]?.creditsSinceMicro, 14_000_000n)
  await record(second)
  const [balance] = await readBankBalances(db)
  assert.equal(balance?.creditsSinceMicro, 0n)
  assert.equal(balance?.closingMicro, bank.balanceSen() * 10_000n)
})

test('a credit that is notified again without its reference, or in other words, counts once; two that are certainly two count twice', async () => {
  const bank = someBank()
  await record(bank.closeDay())
  const sinceMyr = async () => Number((await readBankBalances(db))[0]?.creditsSinceMicro) / 1e6
  let files = 0
  const notify = async (xml: string) => {
    files += 1
    assert.equal(codeOf(await record(xml.replace(/<MsgId>.*?</, `<MsgId>N${files}<`))), 'applied')
    return await sinceMyr()
  }
  const [party, nobody] = [{ name: 'P', account: '12345' }, /<AcctSvcrRef>.*?<\/AcctSvcrRef>/g]
  bank.deposit(700n, party, 'rent')
  const first = bank.notification()
  assert.equal(await notify(first), 7)
  assert.equal(await notify(first.replace(nobody, '')), 7)
  assert.equal(await notify(first.replace(nobody, '').replace('>rent<', '>RENT NOV<')), 7)
  bank.deposit(700n, party, 'rent')
  const second = bank.notification()
  assert.equal(await notify(second), 14, 'the bank has another reference for it')
  assert.equal(await notify(second.replace(nobody, '').replace('>rent<', '>again<')), 14)
  // Named by its payer.
  const named = second.replace(nobody, '').replace('NOTPROVIDED', 'RENT-2')
  assert.equal(await notify(named.replace('>rent<', '>x<')), 14)
  bank.deposit(900n, party, 'a')
  bank.deposit(900n, party, 'b')
  bank.deposit(800n, party, 'c')
  assert.equal(await notify(bank.notification().replace(nobody, '')), 14 + 9 + 9 + 8)
  bank.deposit(600n, party, 'e')
  const ofTwo = bank.notification().replace(nobody, '')
  assert.equal(await notify(ofTwo.replace('NOTPROVIDED', 'RENT-3')), 46)
  assert.equal(await notify(ofTwo.replace('NOTPROVIDED', 'RENT-4')), 52, 'their payers named them')
  // Two notifications of one file, of which the second repeats the first in other words, and adds one.
  bank.deposit(500n, party, 'f')
  const whole = bank.notification()
  const [one = ''] = whole.match(/<Ntfctn>.*<\/Ntfctn>/s) ?? []
  const said = one.replace(nobody, '').replace(/>f</, '>FEE<')
  const [entry = ''] = said.match(/<Ntry>.*<\/Ntry>/s) ?? []
  assert.equal(await notify(whole.replace(one, one + said.replace(/<Id>/, '<Id>2-'))), 57)
  const twice = said
    .replace(entry, entry + entry)
    .replaceAll('>FEE<', '>TWO<')
    .replace(/<Id>/, '<Id>3-')
  assert.equal(await notify(whole.replace(one, one + twice)), 62, 'two of one notification are two')
  bank.withdraw(300n, party, 'charges')
  const debit = bank.notification()
  assert.equal(await notify(debit), 62 - 3)
  assert.equal(await notify(debit.replace(nobody, '')), 62 - 6, 'what leaves counts as often as it is said')
})

test('what the bank said cannot be changed or removed', async () => {
  const bank = someBank()
  bank.deposit(700n, { name: 'P', account: '12345' })
  await record(bank.closeDay())
  for (const statement of [
    'update bank_lines set amount_micro = 1 where entry = 1',
    'delete from bank_lines',
    'update bank_statements set closing_micro = 1',
    'delete from bank_statements',
  ]) {
    await assert.rejects(db.query(statement), /stands as the bank has said it/, statement)
  }
})

test('two imports of one file at the same time take it once', async () => {
  const bank = someBank()
  bank.deposit(700n, { name: 'P', account: '12345' })
  const xml = bank.closeDay()
  const results = await Promise.all([record(xml), record(xml), record(xml)])
  assert.deepEqual(results.map(codeOf).sort(), ['applied', 'repeated', 'repeated'])
})
