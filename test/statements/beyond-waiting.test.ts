// engine: postgres
/** A part of a day and the whole of it wait together for the statement before them: the whole is taken in, whichever came first, and no line twice. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { bridgeStatement } from '../../src/statements/bridge.ts'
import { listWaiting } from '../../src/statements/waiting.sql.ts'
import { withdrawStatement } from '../../src/statements/withdraw.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { DEBTOR } from '../support/bank-files.ts'
import { type BankLine, writeStatement } from '../support/fake-bank/messages.ts'
import { someBank } from '../support/statements.ts'
import { codeOf, createRecording } from './recording.ts'

const r = createRecording()
beforeEach(() => r.begin())
after(() => r.end())

const DAY = '2026-11-22'
/** With that the day before closes, whose statement comes last. */
const OPENING_SEN = 100_000_700n

type Told = Partial<BankLine> & { amountSen: bigint }

function statementOf(id: string, lines: readonly Told[], closedOn = DAY): string {
  const told = lines.map((line) => ({ day: DAY, reference: '', credit: true, ...line }))
  const closingSen = told.reduce((sum, { credit, amountSen }) => sum + (credit ? amountSen : -amountSen), OPENING_SEN)
  const dates = { openedOn: DAY, openingSen: OPENING_SEN, closedOn, closingSen }
  const ids = {
    messageId: `M-${id}`,
    statementId: id,
    createdAt: `${closedOn}T18:00:00+08:00`,
    account: DEBTOR.account,
  }
  return writeStatement({ ...ids, ...dates, lines: told })
}

const FIRST = { reference: 'T1', amountSen: 500n }
const SECOND = { reference: 'T2', amountSen: 300n, credit: false }
const THIRD = { reference: 'T3', amountSen: 900n }
const BACK = { reference: 'T4', amountSen: 1_100n, credit: false }

/** The first two days: the second one is what the others wait for. */
function twoDays() {
  const bank = someBank()
  const first = bank.closeDay()
  bank.deposit(700n, { name: 'P', account: '12345' })
  return [first, bank.closeDay()] as const
}

const withoutReferences = (xml: string) => xml.replace(/<(NtryRef|AcctSvcrRef)>[^<]*<\/\1>/g, '')

const bookable = () =>
  r.db.query<{ reference: string | null }>(
    `select servicer_reference as reference from bank_lines l join bank_statements s using (statement_no)
     where s.position is not null and booked_on >= $1 and entry > 0 order by 1`,
    [DAY],
  )

for (const [what, whole] of [
  ['moves something', [FIRST, SECOND, THIRD]],
  ['comes to nothing', [FIRST, SECOND, THIRD, BACK]],
] as const) {
  test(`of a day that ${what} the whole is taken in, and the part of it waits until it is withdrawn`, async () => {
    const told = { part: statementOf('PART', [FIRST, SECOND]), whole: statementOf('WHOLE', whole) }
    for (const order of [
      ['part', 'whole'],
      ['whole', 'part'],
    ] as const) {
      await r.begin()
      const [first, second] = twoDays()
      await r.record(first)
      for (const each of order) assert.equal(codeOf(await r.record(told[each])), 'applied')
      assert.equal((await listWaiting(r.db)).length, 2)
      assert.equal(codeOf(await r.record(second)), 'applied')
      assert.deepEqual(
        (await bookable()).map(({ reference }) => reference),
        whole.map(({ reference }) => reference),
      )
      const [part, ...others] = await listWaiting(r.db)
      assert.deepEqual([part?.statementId, others], ['PART', []])
      await r.db.transaction((tx) => withdrawStatement(tx, part?.statementNo ?? 0n, 'the whole is there'))
      assert.equal((await bookable()).length, whole.length)
    }
  })
}

test('the beginning of a day that comes to nothing seems to follow the whole of it, and is not taken in behind it', async () => {
  for (const xml of [...twoDays(), statementOf('WHOLE', [FIRST, SECOND, THIRD, BACK])])
    assert.equal(codeOf(await r.record(xml)), 'applied')
  assert.equal(codeOf(await r.record(statementOf('PART', [FIRST, SECOND]))), 'repeated')
  // Under another reference it is other money of that day.
  assert.equal(codeOf(await r.record(statementOf('SOME', [FIRST, { ...SECOND, reference: 'T9' }]))), 'repeated')
  const other = [FIRST, SECOND].map((line, index) => ({ ...line, reference: `T${index + 8}` }))
  assert.equal(codeOf(await r.record(statementOf('OTHER', other))), 'applied')
  assert.deepEqual(await listWaiting(r.db), [])
})

test('what tells a day again that comes to nothing, and the next one, is not taken in behind that day, nor between it and a later one', async () => {
  const nothing = [FIRST, { ...FIRST, credit: false }]
  const day = withoutReferences(statementOf('DAY', nothing))
  const [first, second] = twoDays()
  for (const next of [[THIRD], [THIRD, { ...THIRD, credit: false }]]) {
    await r.begin()
    const on = next.map((line) => ({ ...line, day: '2026-11-23' }))
    const both = withoutReferences(statementOf('BOTH', [...nothing, ...on], '2026-11-23'))
    const later = statementOf('LATER', []).replaceAll(DAY, '2026-11-24')
    // Had it come after them, it would have been refused.
    for (const xml of [first, second, day]) assert.equal(codeOf(await r.record(xml)), 'applied')
    assert.equal(codeOf(await r.record(both)), 'repeated')
    await r.begin()
    for (const xml of [first, day, both, later, second]) assert.equal(codeOf(await r.record(xml)), 'applied')
    assert.equal((await bookable()).length, 2)
    assert.deepEqual(
      (await listWaiting(r.db)).map(({ statementId }) => statementId),
      ['BOTH'],
    )
  }
})

test('a part of a day that comes to nothing is not taken in late either, once the whole of it and of the next day was', async () => {
  const part = statementOf('PART', [FIRST, { ...FIRST, reference: 'T2', credit: false }])
  const whole = statementOf(
    'WHOLE',
    [FIRST, { ...FIRST, reference: 'T2', credit: false }, { ...THIRD, day: '2026-11-23' }],
    '2026-11-23',
  )
  const [first, second] = twoDays()
  for (const order of [
    [part, whole],
    [whole, part],
  ]) {
    await r.begin()
    for (const xml of [first, ...order, second]) assert.equal(codeOf(await r.record(xml)), 'applied')
    assert.deepEqual(
      (await bookable()).map(({ reference }) => reference),
      ['T1', 'T2', 'T3'],
    )
    assert.deepEqual(
      (await listWaiting(r.db)).map(({ statementId }) => statementId),
      ['PART'],
    )
  }
})

test('so it is of a day with thousands of movements', async () => {
  const many = Array.from({ length: 2_100 }, (_, index) => ({
    reference: `M${index}`,
    amountSen: BigInt(1_000 + (index >> 1)),
    credit: index < 1_050,
  }))
  const pairs = many.map((line, index) => ({ ...line, credit: index % 2 === 0 }))
  const nothing = pairs.slice(0, 2)
  const [first, second] = twoDays()
  const next = { ...THIRD, day: '2026-11-23' }
  const told = [
    [statementOf('PART', nothing), statementOf('WHOLE', [...pairs, THIRD]), 'PART', pairs.length + 1],
    [
      withoutReferences(statementOf('DAY', pairs)),
      withoutReferences(statementOf('BOTH', [...pairs, next], '2026-11-23')),
      'BOTH',
      pairs.length,
    ],
  ] as const
  for (const [one, other, waits, booked] of told) {
    await r.begin()
    for (const xml of [first, one, other, second]) assert.equal(codeOf(await r.record(xml)), 'applied')
    assert.equal((await bookable()).length, booked)
    assert.deepEqual(
      (await listWaiting(r.db)).map(({ statementId }) => statementId),
      [waits],
    )
  }
})

test('another statement of a day that comes to nothing, as the one before it does, is taken in whenever it comes', async () => {
  const lines = (reference: string, amountSen: bigint) => [
    { reference, amountSen },
    { reference: `${reference}B`, amountSen, credit: false },
  ]
  const [one, other] = [statementOf('ONE', lines('T1', 500n)), statementOf('OTHER', lines('T2', 300n))]
  const later = statementOf('LATER', []).replaceAll(DAY, '2026-11-24')
  const [first, second] = twoDays()
  for (const order of [
    [first, second, one, other, later],
    [first, second, one, later, other],
    [first, one, other, second, later],
    [first, other, later, one, second],
  ]) {
    await r.begin()
    for (const xml of order) assert.equal(codeOf(await r.record(withoutReferences(xml))), 'applied')
    assert.deepEqual(await listWaiting(r.db), [])
    assert.equal((await bookable()).length, 4)
  }
  // With one movement of an amount that was told it may be the same money, as is what comes before the first statement.
  const again = statementOf('AGAIN', [...lines('T3', 100n), ...lines('T4', 500n)])
  await r.begin()
  for (const xml of [first, second, one, later]) assert.equal(codeOf(await r.record(xml)), 'applied')
  assert.equal(codeOf(await r.record(again)), 'repeated')
  assert.equal(codeOf(await r.record(other.replaceAll(DAY, '2026-11-19'))), 'repeated')
  assert.equal((await bookable()).length, 2)
})

test('of days that come to nothing, and that waited together, each is compared with those of its days alone', async () => {
  const [first] = twoDays()
  await r.record(first)
  const days = Array.from({ length: 9 }, (_, index) => String(22 + index))
  for (const day of days) {
    const lines = Array.from({ length: 2 + 2 * (Number(day) % 3) }, (_, index) => ({
      ...FIRST,
      reference: `${day}-${index}`,
      credit: index % 2 === 0,
    }))
    assert.equal(codeOf(await r.record(statementOf(`D${day}`, lines).replaceAll(DAY, `2026-11-${day}`))), 'applied')
  }
  const [next] = await listWaiting(r.db)
  let queries = 0
  await r.db.transaction(async (tx) => {
    const query: typeof tx.query = (...asked) => {
      queries += 1
      return tx.query(...asked)
    }
    const bridged = await bridgeStatement(
      { tx: { ...tx, query }, secrets: TEST_SECRETS },
      next?.statementNo ?? 0n,
      7_000_000n,
    )
    assert.equal(bridged.result, 'bridged')
  })
  assert.deepEqual(await listWaiting(r.db), [])
  assert.ok(queries < 6 * days.length, `${queries} queries`)
})

test('the whole of a day whose part closes as it does is taken in while that waits: what came between was in no line', async () => {
  const again = { reference: 'T5', amountSen: 300n }
  const told = [FIRST, SECOND, again]
  const [first, second] = twoDays()
  await r.record(first)
  assert.equal(codeOf(await r.record(statementOf('PART', [FIRST]))), 'applied')
  assert.equal(codeOf(await r.record(statementOf('WHOLE', told))), 'applied')
  assert.equal(codeOf(await r.record(statementOf('AGAIN', told.toReversed()))), 'repeated')
  assert.equal(codeOf(await r.record(second)), 'applied')
  assert.deepEqual(
    (await bookable()).map(({ reference }) => reference),
    ['T1', 'T2', 'T5'],
  )
  const waiting = await listWaiting(r.db)
  assert.deepEqual(
    waiting.map(({ statementId }) => statementId),
    ['PART'],
  )
  await r.db.transaction((tx) => withdrawStatement(tx, waiting[0]?.statementNo ?? 0n, 'the whole is there'))
  assert.equal((await bookable()).length, 3)
})
