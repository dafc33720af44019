// engine: postgres; both in test:long
/** Bank files become statements: each content once, each whole or not at all, each after the one before it. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { accountKeys } from '../../src/bank-details/bank-details.ts'
import { parseCsvMapping } from '../../src/bank-files/csv/mapping.ts'
import { readBankBalances } from '../../src/statements/balances.sql.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { listWaiting, missingNumbers } from '../../src/statements/waiting.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { accepted, DEBTOR, sample } from '../support/bank-files.ts'
import { writeStatement } from '../support/fake-bank/messages.ts'
import { STATEMENT_SPOILS } from '../support/fake-bank/spoil.ts'
import { someBank } from '../support/statements.ts'
import { codeOf, createRecording } from './recording.ts'

const r = createRecording()
beforeEach(() => r.begin())
after(() => r.end())
const { record, countOf } = r

test('statements follow one another; each content is taken once', async () => {
  const bank = someBank()
  bank.deposit(12_345n, { name: 'Partner', account: '8001234567' }, 'mint-0001')
  const first = bank.closeDay()
  bank.deposit(55n, { name: 'Partner', account: '8001234567' })
  const second = bank.closeDay()
  assert.equal(codeOf(await record(first)), 'applied')
  assert.equal(codeOf(await record(first, 'again.xml')), 'repeated')
  assert.equal(codeOf(await record(second)), 'applied')
  const [balance] = await readBankBalances(r.db)
  assert.equal(balance?.bankAccount, 'main')
  assert.equal(balance?.closingMicro, bank.balanceSen() * 10_000n)
  assert.equal(balance?.unbookedMicro, balance?.closingMicro)
  assert.deepEqual(await listWaiting(r.db), [])
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
  const waiting = await listWaiting(r.db)
  assert.deepEqual(
    waiting.map((one) => [one.openedOn, one.lastClosedOn, one.openingMicro - (one.lastClosingMicro ?? 0n)]),
    [
      ['2026-11-22', '2026-11-20', 7_000_000n],
      ['2026-11-23', '2026-11-20', 7_550_000n],
    ],
  )
  assert.equal((await readBankBalances(r.db))[0]?.closedOn, '2026-11-20')
  assert.equal(codeOf(await record(lost)), 'applied')
  assert.deepEqual(await listWaiting(r.db), [])
  assert.equal((await readBankBalances(r.db))[0]?.closedOn, '2026-11-23')
})

test('a statement that waits follows none of another account, whatever their balances', async () => {
  const party = { name: 'P', account: '12345' }
  const [main, second] = [someBank(), someBank({ seed: 'two', account: '514099999999' })]
  const closeSecond = () => second.closeDay().replace('<MsgId>', '<MsgId>2')
  const [opening, ours] = [closeSecond(), main.closeDay()]
  for (const bank of [main, second]) bank.deposit(700n, party)
  const [missing, next] = [closeSecond(), main.closeDay()]
  const waits = closeSecond()
  for (const xml of [opening, waits, ours, next]) assert.equal(codeOf(await record(xml)), 'applied')
  const closings = async () =>
    (await readBankBalances(r.db)).map(({ bankAccount, closedOn }) => [bankAccount, closedOn]).sort()
  assert.deepEqual(await closings(), [
    ['main', '2026-11-21'],
    ['second', '2026-11-20'],
  ])
  assert.equal(codeOf(await record(missing)), 'applied')
  assert.deepEqual(await closings(), [
    ['main', '2026-11-21'],
    ['second', '2026-11-22'],
  ])
})

test('a statement whose number does not follow waits, although the balances agree, until the missing one comes', async () => {
  const bank = someBank()
  const numbered = (n: number) =>
    bank.closeDay().replace(/<Stmt>\s*<Id>.*?<\/Id>/, `$&<ElctrncSeqNb>${n}</ElctrncSeqNb>`)
  const [first, second, third, renewed] = [numbered(7), numbered(8), numbered(9), numbered(1)]
  for (const xml of [first, third]) assert.equal(codeOf(await record(xml)), 'applied')
  const [waiting] = await listWaiting(r.db)
  assert.ok(waiting)
  assert.equal(missingNumbers(waiting), 'number 8')
  assert.equal((await readBankBalances(r.db))[0]?.closedOn, '2026-11-20')
  for (const xml of [second, renewed]) assert.equal(codeOf(await record(xml)), 'applied')
  assert.deepEqual(await listWaiting(r.db), [])
  assert.equal((await readBankBalances(r.db))[0]?.closedOn, '2026-11-23')
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
  assert.equal((await readBankBalances(r.db))[0]?.closedOn, '2026-11-24')
  assert.equal(codeOf(await record(empty)), 'applied')
  assert.deepEqual(await listWaiting(r.db), [])
  assert.equal(codeOf(await record(credited)), 'applied')
  assert.deepEqual(
    (await listWaiting(r.db)).map(({ lastClosedOn }) => lastClosedOn),
    ['2026-11-21'],
  )
  assert.equal(codeOf(await record(debited)), 'applied')
  assert.deepEqual(await listWaiting(r.db), [])
  const [balance] = await readBankBalances(r.db)
  assert.deepEqual(
    [balance?.closedOn, balance?.closingMicro, balance?.unbookedMicro],
    ['2026-11-24', 10n ** 12n, 10n ** 12n],
  )
  assert.deepEqual(
    await findStatementTroubles(r.db, TEST_SECRETS).then((all) => all.filter(({ kind }) => kind !== 'reserve')),
    [],
  )
  const again = debited.replace(/<MsgId>.*?</, '<MsgId>X<').replace(/<Stmt>\s*<Id>.*?</, '<Stmt><Id>X<')
  assert.equal(codeOf(await record(again.replace('>out<', '>other<'))), 'repeated')
})

test('several late statements of one day that sum to zero together are applied, in whichever order they come', async () => {
  const party = { name: 'P', account: '12345' }
  const of = (part: string, openingSen: bigint, amounts: readonly bigint[]) => {
    const lines = amounts.map((amountSen, index) => ({
      reference: `${part}${index}`,
      credit: amountSen > 0n,
      day: '2026-11-22',
      party,
      text: part,
      amountSen: amountSen < 0n ? -amountSen : amountSen,
    }))
    return writeStatement({
      messageId: part,
      createdAt: '2026-11-25T01:00:00+08:00',
      statementId: part,
      account: DEBTOR.account,
      lines,
      openedOn: '2026-11-22',
      closedOn: '2026-11-22',
      openingSen,
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
    await r.begin()
    for (const xml of [someBank().closeDay(), last]) assert.equal(codeOf(await record(xml)), 'applied')
    for (const place of order) assert.equal(codeOf(await record(parts[place] ?? '')), 'applied')
    assert.deepEqual(await listWaiting(r.db), [], String(order))
    const [balance] = await readBankBalances(r.db)
    assert.deepEqual([balance?.closedOn, balance?.closingMicro], ['2026-11-24', 10n ** 12n])
    const applied = await r.db.query<{ statement_id: string }>(
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
      messageId: `M${closedOn}`,
      statementId: `S${closedOn}`,
      createdAt: '2026-11-30T18:00:00+08:00',
      account: DEBTOR.account,
      openedOn: '2026-11-30',
      openingSen: 700n,
      closedOn,
      closingSen: 700n,
      lines: [],
    })
  assert.equal(codeOf(await record(at('2026-11-30'))), 'applied')
  // A year that was typed wrong; it is December the first in Kuala Lumpur.
  for (const closedOn of ['2062-12-01', '2026-12-03']) {
    const taken = await record(at(closedOn))
    assert.equal(codeOf(taken), 'wrong_content')
    assert.match(
      taken.result === 'refused' ? taken.refusal.sentence : '',
      new RegExp(`${closedOn}, which is in the future`),
    )
  }
  for (const closedOn of ['2026-12-01', '2026-12-02']) assert.equal(codeOf(await record(at(closedOn))), 'applied')
  assert.equal((await readBankBalances(r.db))[0]?.closedOn, '2026-12-02')
})

test('a CSV statement is taken as its mapping says, and refused without one', async () => {
  const csv = sample('statement.csv')
  assert.equal(codeOf(await record(csv, 'a.csv')), 'unknown_message')
  const mapping = accepted(parseCsvMapping(sample('statement-csv.json')))
  assert.equal(codeOf(await record(csv, 'a.csv', { csv: mapping })), 'applied')
  assert.equal((await readBankBalances(r.db)).length, 1)
})

test('a statement with words that no index and no JSON could hold is taken as far as they can be kept, and stays as it was', async () => {
  const mapping = accepted(parseCsvMapping(sample('statement-csv.json')))
  const trace = Array.from({ length: 3_000 }, (_, place) => String.fromCodePoint(0x4e00 + place)).join('')
  const csv = sample('statement.csv')
    .replace('TX00000001', trace)
    .replace('DUITNOW TRANSFER', `${'x'.repeat(1_999)}\u{1F4B0}`)
    .replace('TX00000002', `${'y'.repeat(254)}\u{1F4B0}`)
  assert.equal(codeOf(await record(csv, 'a.csv', { csv: mapping })), 'applied')
  const troubles = await findStatementTroubles(r.db, TEST_SECRETS)
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
  const rows = await r.db.query<{ n: bigint }>(
    'select count(*) as n from bank_lines join bank_details using (bank_id) where account_key = any ($1::text[]) and entry = 1',
    [accountKeys(TEST_SECRETS, '8001234567')],
  )
  assert.equal(rows[0]?.n, 1n)
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
    await assert.rejects(r.db.query(statement), /stands as the bank has said it/, statement)
  }
})

test('two imports of one file at the same time take it once', async () => {
  const bank = someBank()
  bank.deposit(700n, { name: 'P', account: '12345' })
  const xml = bank.closeDay()
  const results = await Promise.all([record(xml), record(xml), record(xml)])
  assert.deepEqual(results.map(codeOf).sort(), ['applied', 'repeated', 'repeated'])
})

test('a bank that numbers its statements anew each year uses their ids again', async () => {
  r.clock.now = new Date('2028-03-02T00:00:00Z')
  const said = (day: string, id: string, openingSen: bigint, creditSen: bigint) =>
    writeStatement({
      messageId: `M-${day}-${id}`,
      createdAt: `${day}T18:00:00+08:00`,
      statementId: id,
      account: DEBTOR.account,
      openedOn: day,
      openingSen,
      closedOn: day,
      closingSen: openingSen + creditSen,
      lines: [{ reference: `T-${day}`, credit: true, amountSen: creditSen, day }],
    })
  assert.equal(codeOf(await record(said('2026-12-31', '00001', 0n, 100n))), 'applied')
  // Two of one id within a few weeks are still one that is said twice.
  assert.equal(codeOf(await record(said('2027-01-15', '00001', 100n, 5n))), 'repeated')
  assert.equal(codeOf(await record(said('2027-12-31', '00001', 100n, 200n))), 'applied')
  assert.equal(codeOf(await record(said('2028-01-10', '00002', 300n, 400n))), 'applied')
  assert.equal(codeOf(await record(said('2028-01-10', '00001', 300n, 400n))), 'repeated')
  assert.equal(codeOf(await record(said('2028-01-11', '00001', 700n, 9n))), 'repeated')
  const rows = await r.db.query<{ id: string }>('select statement_id as id from bank_statements order by closed_on')
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['00001', '00001@2027-12-31', '00002'],
  )
  assert.equal((await readBankBalances(r.db))[0]?.closingMicro, 7_000_000n)
})

test('a bank that numbers its statements and messages anew each month uses their ids again', async () => {
  r.clock.now = new Date('2027-04-02T00:00:00Z')
  let openingSen = 0n
  for (const month of ['2027-01', '2027-02', '2027-03'])
    for (const number of ['01', '02']) {
      const day = `${month}-${number}`
      const days = { openedOn: day, openingSen, closedOn: day, closingSen: openingSen + 100n }
      const ids = { messageId: `MSG-${number}`, createdAt: `${day}T18:00:00+08:00`, statementId: number }
      const lines = [{ reference: `T-${day}`, credit: true, amountSen: 100n, day }]
      const xml = writeStatement({ ...ids, account: DEBTOR.account, ...days, lines })
      assert.equal(codeOf(await record(xml)), 'applied', day)
      openingSen += 100n
    }
  assert.deepEqual(await listWaiting(r.db), [])
  assert.equal((await readBankBalances(r.db))[0]?.closingMicro, 6_000_000n)
})

test('a bank that numbers its messages anew each year uses their ids again, and says nothing else under one within weeks', async () => {
  r.clock.now = new Date('2028-03-02T00:00:00Z')
  const said = (day: string, openingSen: bigint) =>
    writeStatement({
      messageId: 'MSG-0001',
      createdAt: `${day}T18:00:00+08:00`,
      statementId: `S-${day}`,
      account: DEBTOR.account,
      openedOn: day,
      openingSen,
      closedOn: day,
      closingSen: openingSen + 1n,
      lines: [{ reference: `T-${day}`, credit: true, amountSen: 1n, day }],
    })
  assert.equal(codeOf(await record(said('2026-12-31', 0n))), 'applied')
  assert.equal(codeOf(await record(said('2027-01-15', 1n))), 'repeated')
  assert.equal(codeOf(await record(said('2027-12-31', 1n))), 'applied')
  assert.equal(codeOf(await record(said('2027-12-31', 1n))), 'repeated')
  assert.equal(codeOf(await record(said('2028-01-01', 2n))), 'repeated')
  const rows = await r.db.query<{ id: string }>(
    'select message_id as id from bank_imports where refusal_code is null order by imported_at',
  )
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['MSG-0001', 'MSG-0001'],
  )
})

test('a statement of the old year comes after one of the new year that has its id and waits', async () => {
  r.clock.now = new Date('2028-03-02T00:00:00Z')
  const said = (day: string, id: string, openingSen: bigint) =>
    writeStatement({
      messageId: `M-${day}`,
      createdAt: `${day}T18:00:00+08:00`,
      statementId: id,
      account: DEBTOR.account,
      openedOn: day,
      openingSen,
      closedOn: day,
      closingSen: openingSen + 1n,
      lines: [{ reference: `T-${day}`, credit: true, amountSen: 1n, day }],
    })
  assert.equal(codeOf(await record(said('2026-12-31', '00365', 0n))), 'applied')
  assert.equal(codeOf(await record(said('2027-12-31', '00001', 2n))), 'applied')
  assert.equal(codeOf(await record(said('2027-01-01', '00001', 1n))), 'applied')
  assert.equal((await readBankBalances(r.db))[0]?.closingMicro, 30_000n)
})
