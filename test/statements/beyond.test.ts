// engine: postgres
/** A file that was cut off between two rows, or a day that is told again as it goes on: what the whole says beyond that is taken in. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { parseCsvMapping } from '../../src/bank-files/csv/mapping.ts'
import { beyondTold } from '../../src/statements/beyond.sql.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import type { NewStatement } from '../../src/statements/statement.ts'
import { listWaiting } from '../../src/statements/waiting.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { accepted, DEBTOR, sample } from '../support/bank-files.ts'
import { type BankLine, writeStatement } from '../support/fake-bank/messages.ts'
import { someBank } from '../support/statements.ts'
import { codeOf, createRecording } from './recording.ts'

const r = createRecording()
beforeEach(() => r.begin())
after(() => r.end())
const { record } = r

const csv = accepted(parseCsvMapping(sample('statement-csv.json')))
const HEAD = sample('statement.csv').split('\n').slice(0, 3)
const FIRST = '21/11/2026,21/11/2026,5140-1234-5678,T1,in,,,P,12345,,"7.00","1,000,007.00"'
/** Once more the same, but for the bank's reference. */
const SECOND = '21/11/2026,21/11/2026,5140-1234-5678,T2,in,,,P,12345,,"7.00","1,000,014.00"'
const REST = [
  '21/11/2026,21/11/2026,5140-1234-5678,T3,out,,,Q,54321,"3.00",,"1,000,011.00"',
  '21/11/2026,21/11/2026,5140-1234-5678,T4,in,,,P,12345,,"5.00","1,000,016.00"',
]
const takeCsv = async (name: string, ...rows: string[]) =>
  codeOf(await record([...HEAD, ...rows].join('\n'), name, { csv }, true))

/** The day of these rows as the bank's own statement tells it, or a part of it. */
function ownStatement(id: string, lines: readonly Partial<BankLine>[], sequence?: number): string {
  const day = '2026-11-21'
  const told = lines.map((line) => ({ day, reference: '', credit: true, amountSen: 700n, ...line }))
  const openingSen = 100_000_000n
  const closingSen = told.reduce((sum, { credit, amountSen }) => sum + (credit ? amountSen : -amountSen), openingSen)
  const dates = { openedOn: day, openingSen, closedOn: day, closingSen }
  const ids = { messageId: `M-${id}`, statementId: id, createdAt: '2026-11-21T18:00:00+08:00' }
  const xml = writeStatement({ ...ids, account: DEBTOR.account, ...dates, lines: told })
  return sequence === undefined
    ? xml
    : xml.replace(/<Stmt>\s*<Id>.*?<\/Id>/, `$&<ElctrncSeqNb>${sequence}</ElctrncSeqNb>`)
}
const WHOLE: readonly Partial<BankLine>[] = [
  { reference: 'T1' },
  { reference: 'T2' },
  { reference: 'T3', credit: false, amountSen: 300n },
  { reference: 'T4', amountSen: 500n },
]

/** The references of the lines that are to be booked, and none waits. */
async function taken(): Promise<(string | null)[]> {
  assert.deepEqual(await listWaiting(r.db), [])
  const kinds = (await findStatementTroubles(r.db, TEST_SECRETS)).map(({ kind }) => kind)
  assert.deepEqual(
    kinds.filter((kind) => kind !== 'reserve'),
    [],
  )
  const rows = await r.db.query<{ reference: string | null }>(
    'select servicer_reference as reference from bank_lines where entry > 0 order by line_no',
  )
  return rows.map(({ reference }) => reference)
}

test('the whole of a CSV that was cut off is taken in from there, in whatever form it comes, and what waited for it', async () => {
  for (const form of ['csv', 'own'] as const) {
    await r.begin()
    await record(someBank().closeDay())
    const next = someBank({ openingSen: 100_001_600n, day: '2026-11-22', seed: 'next' })
    next.deposit(100n, { name: 'P', account: '12345' })
    const own = ownStatement('WHOLE', WHOLE.toReversed())
    assert.equal(await takeCsv('cut.csv', FIRST, SECOND), 'applied')
    assert.equal(codeOf(await record(next.closeDay())), 'applied')
    assert.equal((await listWaiting(r.db)).length, 1)
    if (form === 'csv') assert.equal(await takeCsv('whole.csv', FIRST, SECOND, ...REST), 'applied')
    else assert.equal(codeOf(await record(own)), 'applied')
    assert.deepEqual((await taken()).slice(0, 2), ['T1', 'T2'])
    assert.deepEqual((await taken()).toSorted().slice(0, 4), ['T1', 'T2', 'T3', 'T4'])
    assert.equal((await taken()).length, 5)
    if (form === 'csv') assert.equal(codeOf(await record(own)), 'repeated')
  }
})

test('a day that is told again as it goes on is taken in part by part, and the beginning of it no more', async () => {
  await record(someBank().closeDay())
  for (const count of [1, 3, 4]) {
    assert.equal(codeOf(await record(ownStatement(`S${count}`, WHOLE.slice(0, count)))), 'applied')
    assert.deepEqual(await taken(), ['T1', 'T2', 'T3', 'T4'].slice(0, count))
  }
  assert.equal(codeOf(await record(ownStatement('S2', WHOLE.slice(0, 2)))), 'repeated')
  assert.equal(await takeCsv('cut.csv', FIRST), 'repeated')
  assert.equal((await taken()).length, 4)
})

test('what lacks a line of the one before it, or has a number of its own, is another statement', async () => {
  const others = [
    { before: WHOLE.slice(0, 2), told: [{ reference: 'T1' }, { reference: 'T9' }, ...WHOLE.slice(2)], numbers: [] },
    {
      before: WHOLE.slice(0, 2),
      told: [{ reference: 'T1' }, { reference: 'T2', amountSen: 701n }, ...WHOLE.slice(2)],
      numbers: [],
    },
    { before: WHOLE.slice(0, 2), told: WHOLE, numbers: [2, 3] },
  ]
  for (const { before, told, numbers } of others) {
    await r.begin()
    await record(someBank().closeDay())
    assert.equal(codeOf(await record(ownStatement('BEFORE', before, numbers[0]))), 'applied')
    assert.equal(codeOf(await record(ownStatement('TOLD', told, numbers[1]))), 'applied')
    assert.deepEqual(
      (await listWaiting(r.db)).map(({ statementId }) => statementId),
      ['TOLD'],
    )
  }
})

test('what was told is not taken in again where it sums to zero, so that the whole seems to follow it', async () => {
  const zero = [{ reference: 'T1' }, { reference: 'T2', credit: false }]
  const more = [...zero, { reference: 'T3', amountSen: 300n }]
  const all = [...more, { reference: 'T4', amountSen: 500n }]
  await record(someBank().closeDay())
  assert.equal(codeOf(await record(ownStatement('ZERO', zero))), 'applied')
  assert.equal(codeOf(await record(ownStatement('MORE', more))), 'applied')
  assert.deepEqual(await taken(), ['T1', 'T2', 'T3'])
  assert.equal(codeOf(await record(ownStatement('ALL', all))), 'applied')
  assert.deepEqual(await taken(), ['T1', 'T2', 'T3', 'T4'])
})

type Said = { sen?: bigint; on?: string; ref?: string | null; endToEndId?: string | null }
const OPENING = 1_000_000_000_000n

function statementOf(said: readonly Said[], changes: Partial<NewStatement>): NewStatement {
  const lines = said.map(({ sen = 700n, on = '2026-11-21', ref = null, endToEndId = null }, index) => ({
    entry: index + 1,
    detail: 1,
    amountMicro: sen * 10_000n,
    bookedOn: on,
    valueOn: on,
    isReversal: false,
    servicerReference: ref,
    endToEndId,
    remittance: '',
    remitterName: null,
    remitterAccount: null,
    returnCode: null,
    ownAccount: null,
    together: null,
  }))
  const closingMicro = lines.reduce((sum, { amountMicro }) => sum + amountMicro, OPENING)
  const day = { openedOn: '2026-11-21', closedOn: '2026-11-21' }
  const head = { bankAccount: 'main', statementId: 'NEW', sequence: null, openingMicro: OPENING, closingMicro, ...day }
  return { ...head, lines, digest: 'its own', ...changes }
}

/** What is new of a statement of these lines, by their references; its lines as they are, or `told`. */
async function newOf(said: readonly Said[], changes: Partial<NewStatement> = {}): Promise<string> {
  const statement = statementOf(said, changes)
  const found = await beyondTold(r.db, statement)
  if (found === 'told' || found === statement) return found === 'told' ? 'told' : 'as it is'
  const sum = found.lines.reduce((total, { amountMicro }) => total + amountMicro, 0n)
  assert.equal(found.openingMicro + sum, found.closingMicro)
  assert.notEqual(found.digest, statement.digest)
  return found.lines.map(({ servicerReference }) => servicerReference).join()
}

test('only lines of that day, amount and account that no reference parts are what was told', async () => {
  await record(someBank().closeDay())
  assert.equal(
    codeOf(await record(ownStatement('S', [{ reference: 'T1', endToEndId: 'E1' }, { reference: 'T2' }]))),
    'applied',
  )
  const [t1, t2, t3] = ['T1', 'T2', 'T3'].map((ref) => ({ ref })) as [Said, Said, Said]
  assert.equal(await newOf([t3, t2, t1]), 'T3')
  assert.equal(await newOf([t1, t2, t3], { sequence: '4' }), 'T3', 'the other one has no number')
  assert.equal(await newOf([{}, t2, t3]), 'T3', 'one without a reference may be it')
  assert.equal(await newOf([{}, t3, t2, t1]), ',T3', 'but not before one that has it')
  assert.equal(await newOf([t1, t2, { ...t3, on: '2026-11-22' }], { closedOn: '2026-11-22' }), 'T3')
  assert.equal(await newOf([{ ...t3, on: '2026-11-22' }, t1, t2], { closedOn: '2026-11-22' }), 'T3')
  assert.equal(await newOf([t1]), 'told')
  assert.equal(await newOf([t2, t1]), 'told')
  const others: [string, Said[], Partial<NewStatement>?][] = [
    ['another day', [t1, { ...t2, on: '2026-11-20' }, t3]],
    ['another amount', [t1, { ...t2, sen: 701n }, t3]],
    ['another payment', [{ ...t1, endToEndId: 'E9' }, t2, t3]],
    ['another reference', [t1, { ref: 'T9', endToEndId: null }, t3]],
    ['another account', [t1, t2, t3], { bankAccount: 'second' }],
    ['another opening', [t1, t2, t3], { openingMicro: OPENING + 1n }],
    ['it ends before', [t1, t2, t3], { closedOn: '2026-11-20' }],
    ['fewer, and other', [{ ref: 'T9' }]],
    ['fewer, of later too', [t1], { closedOn: '2026-11-22' }],
    ['nothing', []],
  ]
  for (const [what, said, changes] of others) assert.equal(await newOf(said, changes), 'as it is', what)
})

test('what a bank or its CSV told without references is told with them, each for one line', async () => {
  await record(someBank().closeDay())
  const row = (reference: string, balance: string) =>
    FIRST.replace(',T1,', `,${reference},`).replace('1,000,007.00', balance)
  assert.equal(await takeCsv('a.csv', row('', '1,000,007.00'), row('T1', '1,000,014.00')), 'applied')
  const [t1, t2, t3] = ['T1', 'T2', 'T3'].map((ref) => ({ ref })) as [Said, Said, Said]
  assert.equal(await newOf([t1, t2, t3]), 'T3')
  assert.equal(await newOf([t2, t3, { ref: 'T4' }]), 'as it is')
})

test('of several lines that it may be, what was told without a reference is the one of the same account', async () => {
  await record(someBank().closeDay())
  assert.equal(await takeCsv('cut.csv', FIRST.replace(',T1,', ',,')), 'applied')
  const parties = ['54321', '12345', '99999'].map((account) => ({ name: 'P', account }))
  const lines = parties.map((party, index) => ({ reference: `T${index + 1}`, party }))
  assert.equal(codeOf(await record(ownStatement('WHOLE', lines))), 'applied')
  assert.deepEqual(await taken(), [null, 'T1', 'T3'])
})

test('what waits was not told', async () => {
  const told = ownStatement('S', WHOLE.slice(0, 2))
  await record(someBank().closeDay())
  assert.equal(
    codeOf(await record(told.replaceAll('1000000.00', '1000001.00').replaceAll('1000014.00', '1000015.00'))),
    'applied',
  )
  assert.equal((await listWaiting(r.db)).length, 1)
  assert.equal(
    await newOf(
      WHOLE.slice(0, 3).map(({ reference = '' }) => ({ ref: reference })),
      { openingMicro: OPENING + 1_000_000n },
    ),
    'as it is',
  )
})

test('of an account’s first statement its opening balance is no line that was told, and what was told before another opening is not looked at', async () => {
  assert.equal(codeOf(await record(ownStatement('S', [{ reference: 'T1' }]))), 'applied')
  assert.equal(await newOf([{ ref: 'T1' }, { ref: 'T2' }]), 'T2')
  const openingMicro = OPENING + 7_000_000n
  const later = { openingMicro, closingMicro: openingMicro + 14_000_000n }
  const xml = ownStatement('LATER', [{ reference: 'T2' }])
  const moved = xml.replaceAll('1000007.00', '1000014.00').replaceAll('1000000.00', '1000007.00')
  assert.equal(codeOf(await record(moved)), 'applied')
  const found = await beyondTold(r.db, statementOf([{ ref: 'T2' }, { ref: 'T3' }], later))
  assert.deepEqual(found !== 'told' && found.lines.map(({ servicerReference }) => servicerReference), ['T3'])
})

test('what seems to follow was told only where each line has the bank’s reference of the one that was', async () => {
  await record(someBank().closeDay())
  const zero = [
    { reference: 'T1', endToEndId: 'E1' },
    { reference: 'T2', credit: false },
  ]
  assert.equal(codeOf(await record(ownStatement('ZERO', zero))), 'applied')
  const [t1, t2, t3]: Said[] = [{ ref: 'T1' }, { ref: 'T2', sen: -700n }, { ref: 'T3' }]
  assert.ok(t1 && t2 && t3)
  assert.equal(await newOf([t1, t2, t3]), 'T3')
  for (const other of [{ ref: null }, { ref: 'T9' }, { endToEndId: 'E9' }])
    assert.equal(await newOf([{ ...t1, ...other }, t2, t3]), 'as it is')
})
