// engine: postgres; both in test:long
/** A statement may come before the database knows what lies in the folder, or what the bank has rejected: its debit of a payment file is taken apart all the same. */
import assert from 'node:assert/strict'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { markPutOut } from '../../src/payment-files/files.sql.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { readBack } from '../../src/payment-files/read-back.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { readFolder } from '../../src/statements/import.ts'
import { keepLeft, listLeft, readLeftSeconds } from '../../src/statements/left.sql.ts'
import { replaceLine } from '../../src/statements/replace.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { DEBTOR } from '../support/bank-files.ts'
import { ALL_OVER, SILENT } from '../support/bank-setup.ts'
import { type BankWorld, createBankWorlds } from '../support/bank-world.ts'
import { type BankLine, writeNotification, writeReport, writeStatement } from '../support/fake-bank/messages.ts'
import { withoutGuards } from '../support/without-guards.ts'

const worlds = createBankWorlds()
after(() => worlds.close())

const DAY = '2026-11-20'
const OPENING_SEN = 100_000_000n
const FILE = 'COIN-00000001'

/** A statement in which the bank has booked the payment file as one debit, and another one after it perhaps. */
function statementOf(amountSen: bigint, ...others: readonly BankLine[]): string {
  const closingSen = others.reduce((sum, other) => sum - other.amountSen, OPENING_SEN - amountSen)
  const xml = writeStatement({
    messageId: 'M1',
    createdAt: `${DAY}T23:00:00+08:00`,
    statementId: 'S1',
    account: DEBTOR.account,
    openedOn: DAY,
    openingSen: OPENING_SEN,
    closedOn: DAY,
    closingSen,
    lines: [{ reference: 'BULK1', credit: false, amountSen, day: DAY }, ...others],
  })
  return xml.replace(/<NtryDtls>[\s\S]*?<\/NtryDtls>/, `<NtryDtls><Btch><MsgId>${FILE}</MsgId></Btch></NtryDtls>`)
}

/** A report by which the bank rejects the payment of RM 200. */
function rejectionOf(endToEndId = ''): string {
  return writeReport({
    messageId: 'R1',
    createdAt: `${DAY}T12:00:00+08:00`,
    answers: FILE,
    sections: [
      {
        sectionId: `${FILE}-1`,
        payments: [
          {
            endToEndId: endToEndId,
            instructionId: `${FILE}-1-2`,
            amountSen: 20_000n,
            status: { code: 'RJCT', reason: 'AC04' },
          },
        ],
      },
    ],
  }).replace(/<OrgnlInstrId>[^<]*<\/OrgnlInstrId>/, '')
}

async function twoPayouts() {
  const world = await worlds.open()
  const payouts = [await world.burntRedeem('100'), await world.burntRedeem('200')]
  await world.payDue()
  return { world, payouts, statuses: () => Promise.all(payouts.map(({ payoutId }) => world.payoutStatus(payoutId))) }
}

/** What the transport brings is read as the payer reads it. @returns what was said of files that were left */
async function bring(world: BankWorld, files: Readonly<Record<string, string>>): Promise<string[]> {
  const said: string[] = []
  const logger = {
    ...SILENT,
    error: (fields: object, message: string) =>
      void said.push(`${message}: ${'err' in fields && fields.err instanceof Error ? fields.err.message : ''}`),
  }
  for (const [name, text] of Object.entries(files)) await fs.writeFile(path.join(world.folders.in, name), text)
  await readFolder({ ...world.importDeps, logger, folder: world.folder, minAgeMs: 0, now: () => ALL_OVER })
  return said
}

async function assertPaid(world: BankWorld, amountSen: bigint): Promise<void> {
  assert.equal(await world.balanceSen('payout_clearing:bank_files'), 0n)
  assert.equal(await world.balanceSen('reserve:main'), OPENING_SEN - amountSen)
  assert.equal(await world.balanceSen('unallocated:main'), -OPENING_SEN)
}

test('a file that somebody else puts into the transport’s folder is none of ours, and nothing of the bank’s waits for it', async () => {
  const { world } = await twoPayouts()
  await world.file()
  const of = (xml: string) => xml.replaceAll(FILE, 'PAYROLL-00000007')
  for (const folder of [world.folders.out, world.folders.taken]) {
    await fs.copyFile(path.join(world.folders.out, `${FILE}.xml`), path.join(folder, 'PAYROLL-00000007.xml'))
    assert.deepEqual((await readBack(world.filingDeps())).files, [], 'it could be read back by nobody')
  }
  await bring(world, { 'statement.xml': of(statementOf(30_000n)), 'report.xml': of(rejectionOf()) })
  assert.deepEqual(await listLeft(world.db), [])
  const [statement] = await world.db.query('select position is not null as applied from bank_statements')
  assert.deepEqual(statement, { applied: true })
})

test('a debit of a file that went out, which nobody has recorded yet, waits until that is recorded', async () => {
  const { world, statuses } = await twoPayouts()
  const deps = world.filingDeps()
  // The process ends as soon as the file is there for the transport.
  const link: typeof fs.link = async (from, to) => {
    await fs.link(from, to)
    if (path.dirname(String(to)) === world.folders.out) throw new Error('killed')
  }
  await assert.rejects(fileWaiting({ ...deps, fs: { ...fs, link } }), /killed/)
  const said = await bring(world, { 'statement.xml': statementOf(30_000n) })
  assert.match(said.join(), /COIN-00000001 lies in the folder/)
  const [left, ...others] = await listLeft(world.db)
  assert.deepEqual([left?.name, others], ['statement.xml', []])
  assert.match(left?.reason ?? '', /^COIN-00000001 lies in the folder, and the database does not know yet/)
  // However often it is looked at, it waits since the first time.
  await bring(world, {})
  assert.deepEqual(await listLeft(world.db), [left])
  assert.deepEqual(await statuses(), ['sent', 'sent'])
  await world.file()
  assert.deepEqual(await bring(world, {}), [])
  assert.deepEqual(await listLeft(world.db), [])
  assert.deepEqual(await statuses(), ['paid', 'paid'])
  await assertPaid(world, 30_000n)
})

test('while the first statement of an account waits, none after it is taken for the first: it would be refused as of days before', async () => {
  const { world, statuses } = await twoPayouts()
  await world.file()
  await withoutGuards(world.db, (tx) => tx.query('update payment_files set put_out_at = null'))
  const next = writeStatement({
    messageId: 'M2',
    createdAt: '2026-11-21T23:00:00+08:00',
    statementId: 'S2',
    account: DEBTOR.account,
    openedOn: '2026-11-21',
    openingSen: OPENING_SEN - 30_000n,
    closedOn: '2026-11-21',
    lines: [],
    closingSen: OPENING_SEN - 30_000n,
  })
  const said = await bring(world, { '1.xml': statementOf(30_000n), '2.xml': next })
  assert.match(said.join(), /COIN-00000001 lies in the folder.*the first statement of main, and a file before it/s)
  await world.file()
  assert.deepEqual(await bring(world, {}), [])
  assert.deepEqual(await statuses(), ['paid', 'paid'])
  await assertPaid(world, 30_000n)
})

test('it waits likewise where a hundred other files are still to be put out', async () => {
  const { world, statuses } = await twoPayouts()
  await world.file()
  await withoutGuards(world.db, async (tx) => {
    await tx.query('update payment_files set put_out_at = null, not_opened_since = now()')
    await tx.query(
      `insert into payment_files (message_id, prefix, file_number, content, content_hash)
       select 'OLD-' || lpad(n::text, 8, '0'), 'OLD', n, content, content_hash from payment_files, generate_series(1, 100) as n`,
    )
  })
  assert.match(
    (await bring(world, { 'statement.xml': statementOf(30_000n) })).join(),
    /COIN-00000001 lies in the folder/,
  )
  await markPutOut(world.db, FILE)
  assert.deepEqual(await bring(world, {}), [])
  assert.deepEqual(await statuses(), ['paid', 'paid'])
})

test('after a restore a debit of a file waits until the folder was read back', async () => {
  const { world, statuses } = await twoPayouts()
  await world.file()
  await withoutGuards(world.db, async (tx) => {
    await tx.query('delete from filed_payments')
    await tx.query('delete from payment_files')
  })
  assert.match((await bring(world, { 'statement.xml': statementOf(30_000n) })).join(), /read-back/)
  assert.deepEqual((await readBack(world.filingDeps())).problems, [])
  assert.deepEqual(await bring(world, {}), [])
  assert.deepEqual(await statuses(), ['paid', 'paid'])
  await assertPaid(world, 30_000n)
})

test('what comes at once is read with its reports first: a debit is the file less what they reject', async () => {
  const { world, payouts, statuses } = await twoPayouts()
  await world.file()
  const rejected = rejectionOf(payouts[1]?.endToEndId)
  assert.match((await bring(world, { 'a.xml': statementOf(10_000n), 'b.xml': rejected })).join(), /^$/)
  assert.deepEqual(await statuses(), ['paid', 'rejected'])
  await assertPaid(world, 10_000n)
})

test('after a restore a report on a file waits for the read-back as the statement does, and is read before it', async () => {
  const { world, payouts, statuses } = await twoPayouts()
  await world.file()
  await withoutGuards(world.db, async (tx) => {
    await tx.query('delete from filed_payments')
    await tx.query('delete from payment_files')
  })
  const files = { 'a.xml': statementOf(10_000n), 'b.xml': rejectionOf(payouts[1]?.endToEndId) }
  assert.match((await bring(world, files)).join(), /read-back.*read-back/)
  assert.deepEqual((await readBack(world.filingDeps())).problems, [])
  assert.deepEqual(await bring(world, {}), [])
  assert.deepEqual(await statuses(), ['paid', 'rejected'])
  await assertPaid(world, 10_000n)
})

// Runbook: A bank file waits
test('of what cannot be read only that is told, and the log has the rest; how long it has waited is shown', async () => {
  const { world } = await twoPayouts()
  const left = { result: 'left' as const, error: new Error('EACCES /secret/place') }
  await keepLeft(world.db, [
    { name: 'a.xml', contentHash: null, ...left },
    { name: 'b.xml', contentHash: null, result: 'applied' },
  ])
  assert.equal(Math.round((await readLeftSeconds(world.db)) / 60), 0)
  await world.db.query(`update bank_left set since = since - interval '2 hours'`)
  assert.equal(Math.round((await readLeftSeconds(world.db)) / 60), 120)
  const listed = await listLeft(world.db)
  assert.deepEqual(
    listed.map(({ name, reason }) => [name, reason]),
    [['a.xml', 'It could not be read or taken in: the log of the payer says why.']],
  )
  await keepLeft(world.db, [])
  assert.equal(await readLeftSeconds(world.db), 0)
})

test('a report that rejects a part of the file and comes after its debit has that taken apart all the same', async () => {
  for (const amounts of [
    ['100', '200'],
    ['100', '200', '300'],
  ] as const) {
    const world = await worlds.open()
    const payouts: Awaited<ReturnType<typeof world.burntRedeem>>[] = []
    for (const amount of amounts) payouts.push(await world.burntRedeem(amount))
    const leftSen = amounts.length === 2 ? 10_000n : 40_000n
    await world.payDue()
    await world.file()
    await bring(world, { 'statement.xml': statementOf(leftSen) })
    assert.equal(await world.balanceSen('unallocated:main'), leftSen - OPENING_SEN)
    assert.deepEqual(await bring(world, { 'report.xml': rejectionOf(payouts[1]?.endToEndId) }), [])
    const statuses = await Promise.all(payouts.map(({ payoutId }) => world.payoutStatus(payoutId)))
    assert.deepEqual(statuses, ['paid', 'rejected', 'paid'].slice(0, amounts.length))
    await assertPaid(world, leftSen)
    assert.deepEqual(await findStatementTroubles(world.db, TEST_SECRETS), [])
    // Each of them has its own name, and comes back by it.
    const shown = await world.db.query<{ id: string | null }>(
      `select end_to_end_id as id from bank_lines where state = 'assigned' and made_by is not null`,
    )
    assert.deepEqual(
      shown.map(({ id }) => id).sort(),
      payouts.flatMap(({ endToEndId }, index) => (index === 1 ? [] : [endToEndId])).sort(),
    )
  }
})

test('what was notified as one sum is shown by the statement in which it was taken apart, after the bank had reported', async () => {
  const world = await worlds.open()
  const payouts: Awaited<ReturnType<typeof world.burntRedeem>>[] = []
  for (const amount of ['100', '200', '300']) payouts.push(await world.burntRedeem(amount))
  await world.payDue()
  await world.file()
  const debit = { reference: 'BULK1', credit: false, amountSen: 40_000n, day: DAY }
  const told = { createdAt: `${DAY}T20:00:00+08:00`, account: DEBTOR.account }
  const named = (xml: string) =>
    xml.replace(/<NtryDtls>[\s\S]*?<\/NtryDtls>/, `<NtryDtls><Btch><MsgId>${FILE}</MsgId></Btch></NtryDtls>`)
  await bring(world, {
    'notified.xml': named(writeNotification({ ...told, messageId: 'N1', notificationId: 'N1', lines: [debit] })),
  })
  await bring(world, { 'report.xml': rejectionOf(payouts[1]?.endToEndId) })
  await bring(world, { 'statement.xml': statementOf(40_000n) })
  const closingSen = OPENING_SEN - 40_000n
  const next = { openedOn: '2026-11-21', closedOn: '2026-11-21', openingSen: closingSen, closingSen, lines: [] }
  await bring(world, { 'next.xml': writeStatement({ ...told, ...next, messageId: 'M2', statementId: 'S2' }) })
  await assertPaid(world, 40_000n)
  assert.deepEqual(await findStatementTroubles(world.db, TEST_SECRETS), [])
})

test('a debit that the rejections do not make fit stays as it is, and is looked at again only when there are others', async () => {
  const { world, payouts, statuses } = await twoPayouts()
  await world.file()
  const asked: unknown[] = []
  const seen = new Map<bigint, bigint>()
  world.importDeps.findTogether = async (_, debit) => {
    asked.push(debit.amountSen)
    return []
  }
  Object.assign(world.importDeps, { seen })
  await bring(world, { 'statement.xml': statementOf(12_345n) })
  await bring(world, { 'report.xml': rejectionOf(payouts[1]?.endToEndId) })
  const before = asked.length
  await bring(world, {})
  assert.equal(asked.length, before)
  assert.deepEqual([...seen.values()], [1n])
  assert.deepEqual(await statuses(), ['sent', 'rejected'])
  assert.equal(await world.balanceSen('unallocated:main'), 12_345n - OPENING_SEN)
})

test('a hundred newer debits that no rejections make fit keep none from being taken apart', async () => {
  const { world, payouts, statuses } = await twoPayouts()
  await world.file()
  Object.assign(world.importDeps, { seen: new Map() })
  await bring(world, { 'statement.xml': statementOf(10_000n) })
  await withoutGuards(world.db, (tx) =>
    tx.query(
      `insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal, together, state, reason, decided_at)
       select statement_no, bank_account, entry, detail + n, -10000, booked_on, value_on, false, together, state, reason, decided_at
       from bank_lines, generate_series(1, 100) as n where servicer_reference = 'BULK1'`,
    ),
  )
  await bring(world, { 'report.xml': rejectionOf(payouts[1]?.endToEndId) })
  await bring(world, {})
  assert.deepEqual(await statuses(), ['paid', 'rejected'])
})

test('the one payment that is left of a file has its name: it is not taken for one by hand, which it is beside', async () => {
  const { world, payouts } = await twoPayouts()
  const { payoutId = '' } = payouts[0] ?? {}
  await world.file()
  await world.db.transaction((tx) => payoutAdmin.markUnpaid(tx, payoutId, 'the bank has lost it'))
  await world.db.transaction((tx) => payoutAdmin.markPaid(tx, payoutId, 'BY HAND'))
  await bring(world, { 'statement.xml': statementOf(10_000n) })
  await bring(world, { 'report.xml': rejectionOf(payouts[1]?.endToEndId) })
  const lines = await world.db.query('select matched_kind, matched_to from bank_lines where made_by is not null')
  assert.deepEqual(lines, [{ matched_kind: 'extra_payout', matched_to: `${payoutId}/1` }])
  assert.equal(await world.balanceSen('payout_clearing:by_hand'), -10_000n)
})

test('what an operator has replaced of that is left to operators: it is not taken apart once more behind their back', async () => {
  const { world, payouts, statuses } = await twoPayouts()
  await world.file()
  const other = { reference: 'OWN1', credit: false, amountSen: 10_000n, day: DAY, text: 'its own' }
  await bring(world, { 'statement.xml': statementOf(10_000n, other) })
  await bring(world, { 'report.xml': rejectionOf(payouts[1]?.endToEndId) })
  assert.deepEqual(await statuses(), ['paid', 'rejected'])
  const [made] = await world.db.query<{ no: bigint }>(`select line_no as no from bank_lines where made_by is not null`)
  const [own] = await world.db.query<{ no: bigint }>(
    `select line_no as no from bank_lines where servicer_reference = 'OWN1'`,
  )
  const why = { reason: 'it was something else', now: ALL_OVER }
  const replacing = { replacement: { lineNo: own?.no ?? 0n }, ...why }
  const taken = await world.db.transaction((tx) =>
    replaceLine({ tx, secrets: TEST_SECRETS }, made?.no ?? 0n, replacing),
  )
  assert.equal(taken.result, 'taken_back')
  await bring(world, {})
  assert.deepEqual(await statuses(), ['paid', 'rejected'])
  const [bulk] = await world.db.query(
    `select state, amount_micro::text as amount from bank_lines where servicer_reference = 'BULK1'`,
  )
  assert.deepEqual(bulk, { state: 'unallocated', amount: '-100000000' })
})
