// engine: postgres; both in test:long
/** Of a file with several statements, those that others have told are left out, and the rest is taken in. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { contentHashOf } from '../../src/bank-files/definitions.ts'
import { wasTaken } from '../../src/statements/lists.sql.ts'
import { listWaiting } from '../../src/statements/waiting.sql.ts'
import { withdrawStatement } from '../../src/statements/withdraw.sql.ts'
import { bytesOf, DEBTOR } from '../support/bank-files.ts'
import { writeStatement } from '../support/fake-bank/messages.ts'
import { SETUP, someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { codeOf, createRecording } from './recording.ts'

const r = createRecording()
beforeEach(() => r.begin())
after(() => r.end())
const { record } = r

const PARTY = { name: 'Partner', account: '8001234567' }

/** One file with the statements of several, under the message id of the first. */
function inOneFile(...[first = '', ...others]: readonly string[]): string {
  const rest = others.map((xml) => /<Stmt>[\s\S]*<\/Stmt>/.exec(xml)?.[0] ?? '')
  return first.replace('</Stmt>', () => `</Stmt>${rest.join('')}`)
}

const closings = async () =>
  (
    await r.db.query<{ told: string }>(
      `select bank_account || ' ' || max(closed_on)::text as told from bank_statements where position is not null group by bank_account order by 1`,
    )
  ).map(({ told }) => told)

test('one account told by hand keeps no other account of the file out', async () => {
  const [main, second] = [someBank(), someBank({ seed: 'two', account: '514099999999' })]
  assert.equal(codeOf(await record(inOneFile(main.closeDay(), second.closeDay()))), 'applied')
  for (const bank of [main, second]) bank.deposit(700n, PARTY)
  const [ours, others] = [main.closeDay(), second.closeDay()]
  assert.equal(codeOf(await record(ours.replace('<MsgId>', '<MsgId>X'))), 'applied')
  assert.equal(codeOf(await record(inOneFile(ours, others))), 'applied')
  assert.deepEqual(await closings(), ['main 2026-11-21', 'second 2026-11-21'])
})

test('days that the bank sends again with one that was missing keep that one out of nothing', async () => {
  const bank = someBank()
  assert.equal(codeOf(await record(bank.closeDay())), 'applied')
  const days = [1, 2, 3].map((day) => {
    bank.deposit(BigInt(day) * 100n, PARTY)
    return bank.closeDay()
  })
  for (const index of [0, 2]) assert.equal(codeOf(await record(days[index] ?? '')), 'applied')
  assert.equal((await listWaiting(r.db)).length, 1)
  const again = inOneFile(...days).replace('<MsgId>', '<MsgId>A')
  assert.equal(codeOf(await record(again)), 'applied')
  assert.deepEqual(await listWaiting(r.db), [])
  assert.deepEqual(await closings(), ['main 2026-11-23'])
})

test('what is left out is said; where it is not certain that others have told it, nothing of the file is taken', async () => {
  const [main, second] = [someBank(), someBank({ seed: 'two', account: '514099999999' })]
  assert.equal(codeOf(await record(inOneFile(main.closeDay(), second.closeDay()))), 'applied')
  for (const bank of [main, second]) bank.deposit(700n, PARTY)
  const [ours, others] = [main.closeDay(), second.closeDay()]
  assert.equal(codeOf(await record(ours.replace('<MsgId>', '<MsgId>X'))), 'applied')
  const both = inOneFile(ours, others)
  const id = /<Stmt>\s*<Id>([^<]+)/.exec(ours)?.[1]
  const other = both.replace(ours.slice(ours.indexOf('<Bal>'), ours.indexOf('</Stmt>')), () =>
    ours.slice(ours.indexOf('<Bal>'), ours.indexOf('</Stmt>')).replaceAll('2026-11-21', '2026-11-22'),
  )
  assert.equal(codeOf(await record(other)), 'repeated')
  assert.deepEqual(await closings(), ['main 2026-11-21', 'second 2026-11-20'])
  const taken = await record(both)
  assert.ok(taken.result === 'applied')
  assert.deepEqual(taken.leftOut, [
    `main/${id}: Other statements, taken in before or in the file, have said all that it says up to 2026-11-21.`,
  ])
  assert.equal(codeOf(await record(both)), 'repeated')
})

test('an account in another currency, which can be none of ours, keeps no account of its file out', async () => {
  const [main, dollars] = [someBank(), someBank({ seed: 'two', account: '514077777777' })]
  const other = (xml: string) => xml.replaceAll('MYR', 'USD')
  const [ours, theirs] = [main.closeDay(), other(dollars.closeDay())]
  for (const [index, both] of [inOneFile(ours, theirs), inOneFile(theirs, main.closeDay())].entries()) {
    const taken = await record(both.replace('<MsgId>', `<MsgId>${index}`))
    assert.ok(taken.result === 'applied', JSON.stringify(taken))
    assert.deepEqual(taken.leftOut, ['…7777: It is not kept in MYR.'])
  }
  assert.deepEqual(await closings(), ['main 2026-11-21'])
  // Alone it is none of ours; in ringgit it may have been forgotten in the profile; and what is ours is in ringgit.
  assert.equal(codeOf(await record(theirs)), 'wrong_currency')
  const next = main.closeDay()
  assert.equal(codeOf(await record(inOneFile(next, dollars.closeDay()))), 'foreign')
  assert.equal(
    codeOf(await record(inOneFile(next, other(someBank({ account: '514099999999' }).closeDay())))),
    'wrong_currency',
  )
  assert.deepEqual(await closings(), ['main 2026-11-21'])
})

test('a notification of an account in another currency keeps those of ours out of no file', async () => {
  const [main, dollars] = [someBank(), someBank({ seed: 'two', account: '514077777777' })]
  for (const bank of [main, dollars]) bank.deposit(700n, PARTY)
  const theirs = dollars.notification().replaceAll('MYR', 'USD')
  const other = /<Ntfctn>[\s\S]*<\/Ntfctn>/.exec(theirs)?.[0] ?? ''
  const taken = await record(main.notification().replace('</Ntfctn>', () => `</Ntfctn>${other}`))
  assert.deepEqual(taken, { result: 'applied', leftOut: ['…7777: It is not kept in MYR.'] })
  assert.equal(await r.countOf('bank_notified'), 1)
  assert.equal(codeOf(await record(theirs)), 'wrong_currency')
})

type Row = readonly [reference: string, sen: bigint]

/** A statement of one day. */
function told(id: string, openingSen: bigint, rows: readonly Row[], number?: number): string {
  const day = '2026-11-20'
  const closingSen = rows.reduce((sum, [, sen]) => sum + sen, openingSen)
  const xml = writeStatement({
    messageId: `M-${id}${number ?? ''}`,
    createdAt: `${day}T18:00:00+08:00`,
    statementId: id,
    account: DEBTOR.account,
    openedOn: day,
    openingSen,
    closedOn: day,
    closingSen,
    lines: rows.map(([reference, sen]) => ({ reference, credit: sen > 0n, amountSen: sen < 0n ? -sen : sen, day })),
  })
  return number === undefined ? xml : xml.replace(/<Stmt>\s*<Id>.*?<\/Id>/, `$&<ElctrncSeqNb>${number}</ElctrncSeqNb>`)
}

test('what goes between the same balances as before on a day is not taken for what was told', async () => {
  assert.equal(codeOf(await record(told('S1', 500n, [['A', 100n]]))), 'applied')
  assert.equal(codeOf(await record(told('S2', 600n, [['B', -100n]]))), 'applied')
  const [third, fourth] = [told('S3', 500n, [['C', 100n]]), told('S4', 600n, [['D', -100n]])]
  // The file tells what leads to it, in whatever order; where that is not the order of the bank's books, nothing is certain.
  const newestFirst = await record(inOneFile(fourth, third))
  assert.equal(codeOf(newestFirst), 'repeated', JSON.stringify(newestFirst))
  assert.equal(await r.countOf('bank_statements'), 2)
  const taken = await record(inOneFile(third, fourth))
  assert.deepEqual(taken, { result: 'applied' })
  assert.deepEqual(await listWaiting(r.db), [])
  assert.equal(await r.countOf('bank_lines'), 5)
})

test('where one of a file was told, the balances of a day that comes to nothing prove of no other that it was', async () => {
  const swept = (id: string, number?: number) =>
    told(
      `S${id}`,
      0n,
      [
        [`IN${id}`, 700n],
        [`OUT${id}`, -700n],
      ],
      number,
    )
  const other = someBank({ account: '514099999999' })
  const first = other.closeDay()
  for (const each of [swept('1', 1), first]) assert.equal(codeOf(await record(each)), 'applied')
  // Told alone, the second one would be missing before it.
  const taken = await record(inOneFile(swept('3', 3), swept('2', 2), first))
  assert.equal(codeOf(taken), 'repeated', JSON.stringify(taken))
  assert.equal(await r.countOf('bank_statements'), 2)
  const day = await record(inOneFile(swept('2', 2), swept('3', 3)))
  assert.deepEqual(day, { result: 'applied' })
  assert.deepEqual(await listWaiting(r.db), [])
})

test('of thousands of lines that come to nothing, balances alone leave none out', async () => {
  const many = (id: string) => {
    const rows = Array.from({ length: 1_001 }, (_, index) => [`${id}${index}`, 700n] as const)
    return told(id, 0n, [...rows, ...rows.map(([reference, sen]) => [`${reference}-`, -sen] as const)])
  }
  const other = someBank({ account: '514099999999' })
  const [morning, evening, next] = [many('A'), many('B'), other.closeDay()]
  assert.equal(codeOf(await record(morning)), 'applied')
  const taken = await record(inOneFile(evening, next))
  assert.equal(codeOf(taken), 'repeated', JSON.stringify(taken))
  assert.deepEqual(await closings(), ['main 2026-11-20'])
})

for (const clock of ['right', 'behind since', 'behind since before that file came'] as const)
  test(`what was left out comes in with the same file once the statement that had told it is withdrawn, where the clock of the database is ${clock}`, async () => {
    const [main, second] = [someBank(), someBank({ seed: 'two', account: '514099999999' })]
    assert.equal(codeOf(await record(inOneFile(main.closeDay(), second.closeDay()))), 'applied')
    main.deposit(100n, PARTY)
    const missing = main.closeDay()
    for (const bank of [main, second]) bank.deposit(700n, PARTY)
    const [ours, others] = [main.closeDay(), second.closeDay()]
    const [MESSAGE, STATEMENT] = [/<MsgId>/, /<Stmt>\s*<Id>/]
    const wrong = ours.replaceAll('Partner', 'Somebody else').replace(MESSAGE, '$&X').replace(STATEMENT, '$&X')
    assert.equal(codeOf(await record(wrong)), 'applied')
    const both = inOneFile(ours, others)
    const taken = await record(both)
    assert.ok(taken.result === 'applied' && taken.leftOut?.length === 1, JSON.stringify(taken))
    assert.deepEqual(await record(both), { result: 'repeated' })
    const isTakenWhole = async (xml: string) => await wasTaken(r.db, contentHashOf(bytesOf(xml)))
    assert.deepEqual([await isTakenWhole(wrong), await isTakenWhole(both)], [true, true])
    if (clock !== 'right')
      await withoutGuards(r.db, async (tx) => {
        for (const table of ['bank_imports', 'bank_statements'])
          await tx.query(`update ${table} set imported_at = imported_at + interval '1 hour' where content_hash <> $1`, [
            clock === 'behind since' ? '' : contentHashOf(bytesOf(both)),
          ])
      })
    const [waiting] = await listWaiting(r.db)
    await r.db.transaction((tx) => withdrawStatement(tx, waiting?.statementNo ?? 0n, 'not what the bank says'))
    assert.deepEqual([await isTakenWhole(wrong), await isTakenWhole(both)], [true, false])
    assert.deepEqual(await record(both), { result: 'applied' })
    assert.deepEqual(await record(both), { result: 'repeated' })
    assert.equal(codeOf(await record(missing)), 'applied')
    assert.deepEqual(await listWaiting(r.db), [])
    // Under another key of its account the same content is no other one.
    const accounts = SETUP.accounts.map((each) => ({ ...each, key: `${each.key}-renamed` }))
    assert.deepEqual(await record(both, 'file.xml', { accounts }), { result: 'repeated' })
    // What was withdrawn itself stays so, whichever file brings it again.
    assert.deepEqual(await record(wrong), { result: 'repeated' })
  })

test('a file that comes again brings nothing of what was left out while what had told it still does, whatever came since', async () => {
  const other = someBank({ account: '514099999999' })
  for (const each of [other.closeDay(), told('S1', 0n, [['BATCH', 100n]])])
    assert.equal(codeOf(await record(each)), 'applied')
  const inParts = told('S1P', 0n, [
    ['X', 40n],
    ['Y', 60n],
  ])
  const both = inOneFile(inParts, other.closeDay())
  const taken = await record(both)
  assert.ok(taken.result === 'applied' && taken.leftOut?.length === 1, JSON.stringify(taken))
  // The account is swept, and opens again as it did before.
  assert.equal(codeOf(await record(told('S2', 100n, [['SWEEP', -100n]]))), 'applied')
  assert.deepEqual(await record(both), { result: 'repeated' })
  assert.equal(await r.countOf('bank_lines'), 3)
})

test('nor because another statement of the account was withdrawn, which had told nothing of it: the credit was booked twice', async () => {
  const other = someBank({ account: '514099999999' })
  for (const each of [other.closeDay(), told('S1', 0n, [['BATCH', 100n]]), told('WRONG', 5_000n, [['Z', 10n]])])
    assert.equal(codeOf(await record(each)), 'applied')
  const inParts = told('S1P', 0n, [
    ['X', 40n],
    ['Y', 60n],
  ])
  const both = inOneFile(inParts, other.closeDay())
  const taken = await record(both)
  assert.ok(taken.result === 'applied' && taken.leftOut?.length === 1, JSON.stringify(taken))
  const [waiting] = await listWaiting(r.db)
  await r.db.transaction((tx) => withdrawStatement(tx, waiting?.statementNo ?? 0n, 'not what the bank says'))
  assert.equal(codeOf(await record(told('S2', 100n, [['SWEEP', -100n]]))), 'applied')
  assert.deepEqual(await record(both), { result: 'repeated' })
  assert.equal(await r.countOf('bank_lines'), 4)
})

test('nor where what was withdrawn had told it, and another one has by now', async () => {
  const other = someBank({ account: '514099999999' })
  const before = told('S0', 0n, [['FIRST', 300n]])
  for (const each of [other.closeDay(), before, told('WRONG', 0n, [['BATCH', 100n]])])
    assert.equal(codeOf(await record(each)), 'applied')
  const inParts = told('S1P', 0n, [
    ['X', 40n],
    ['Y', 60n],
  ])
  const both = inOneFile(inParts, other.closeDay())
  const taken = await record(both)
  assert.ok(taken.result === 'applied' && taken.leftOut?.length === 1, JSON.stringify(taken))
  const [waiting] = await listWaiting(r.db)
  await r.db.transaction((tx) => withdrawStatement(tx, waiting?.statementNo ?? 0n, 'not what the bank says'))
  const later = [
    told('SWEEP1', 300n, [['OUT1', -300n]]),
    told('S1', 0n, [['SUM', 100n]]),
    told('SWEEP2', 100n, [['OUT2', -100n]]),
  ]
  for (const each of later) assert.equal(codeOf(await record(each)), 'applied')
  assert.deepEqual(await listWaiting(r.db), [])
  const lines = await r.countOf('bank_lines')
  assert.deepEqual(await record(both), { result: 'repeated' })
  assert.equal(await r.countOf('bank_lines'), lines)
})

test('one with another number of the bank is not left out for its balances alone: the one between them is missing', async () => {
  const other = someBank({ account: '514099999999' })
  for (const each of [other.closeDay(), told('S1', 0n, [['A', 100n]], 1)])
    assert.equal(codeOf(await record(each)), 'applied')
  const both = inOneFile(told('S3', 0n, [['C', 100n]], 3), other.closeDay())
  const taken = await record(both)
  assert.equal(codeOf(taken), 'repeated', JSON.stringify(taken))
  assert.equal(codeOf(await record(told('S2', 100n, [['B', -100n]], 2))), 'applied')
  assert.deepEqual(await record(both), { result: 'applied' })
  assert.deepEqual(await listWaiting(r.db), [])
  assert.deepEqual(await closings(), ['main 2026-11-20', 'second 2026-11-21'])
  assert.equal(await r.countOf('bank_lines'), 4)
})
