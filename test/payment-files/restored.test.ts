// engine: postgres; both in test:long
/** Whatever is restored, nothing is paid that the folder does not say, and nothing twice. */
// Runbook: Payment files are stopped
import assert from 'node:assert/strict'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { applyReport } from '../../src/payment-files/apply-report.ts'
import { readStop } from '../../src/payment-files/files.sql.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { findUnknown, readBack } from '../../src/payment-files/read-back.ts'
import { type ImportDeps, importFile } from '../../src/statements/import.ts'
import { matchNamedLate } from '../../src/statements/late-named.ts'
import { keepBank } from '../support/bank-details.ts'
import { bytesOf } from '../support/bank-files.ts'
import { PAYMENTS, SILENT } from '../support/bank-setup.ts'
import { type BankWorld, createBankWorlds } from '../support/bank-world.ts'
import { writeReport } from '../support/fake-bank/messages.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { forgetSent, idsIn, storedOnly } from './filing.ts'

const worlds = createBankWorlds()
after(() => worlds.close())
const newWorld = () => worlds.open()

/** What a backup that was made before the payouts were sent would hold. */
const restore = (world: BankWorld) => withoutGuards(world.db, forgetSent)

test('after a restore nothing is paid until the folder was read back, and then nothing twice', async () => {
  const world = await newWorld()
  const bank = someBank()
  const [first, second] = [await world.burntRedeem('10'), await world.burntRedeem('20')]
  await world.payDue()
  await world.file()
  assert.equal(bank.receive(await world.outFile('COIN-00000001')).result, 'taken')
  await restore(world)
  const third = await world.burntRedeem('30')
  await world.payDue()
  assert.equal(await world.payoutStatus(first.payoutId), 'queued')
  assert.equal(await world.payoutStatus(third.payoutId), 'queued')
  assert.match((await world.file()).stopped ?? '', /COIN-00000001, and the database has given out numbers up to 0 only/)
  assert.notEqual(await readStop(world.db), undefined)

  const read = await readBack(world.filingDeps())
  assert.deepEqual(read, { files: [{ messageId: 'COIN-00000001', payments: 2, wentOut: true }], problems: [] })
  assert.equal(await readStop(world.db), undefined)
  await world.db.query('update payouts set next_attempt_at = now(), claimed_until = null')
  await world.payDue()
  for (const { payoutId } of [first, second, third]) assert.equal(await world.payoutStatus(payoutId), 'sent')
  assert.deepEqual((await world.file()).files, ['COIN-00000002'])
  assert.deepEqual(await idsIn(world, 'COIN-00000002'), [third.endToEndId])
  assert.equal(bank.receive(await world.outFile('COIN-00000002')).result, 'taken')
  assert.deepEqual(bank.askedTwice(), [])
  await world.importXml(bank.closeDay())
  assert.equal(await world.balanceSen('payout_clearing:bank_files'), 0n)
})

test('a file of the prefix of before is read back, too, where the bank profile has got another one since the backup', async () => {
  const world = await newWorld()
  const bank = someBank()
  await world.burntRedeem('5')
  await world.payDue()
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
  const { payoutId } = await world.burntRedeem('10')
  await world.payDue()
  assert.deepEqual((await world.file()).files, ['COIN-00000002'])
  for (const name of ['COIN-00000001', 'COIN-00000002'])
    assert.equal(bank.receive(await world.outFile(name)).result, 'taken')
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`delete from filed_payments where message_id = 'COIN-00000002'`)
    await tx.query(`delete from payment_files where message_id = 'COIN-00000002'`)
    await tx.query(`delete from payout_attempts where payout_id = $1`, [payoutId])
    await tx.query(`delete from ledger_entries where reference like 'payout/' || $1 || '/%'`, [payoutId])
    await tx.query(
      `update payouts set status = 'queued', rail = null, rail_reference = null, times_asked = 0, next_attempt_at = now(),
         claimed_until = null where payout_id = $1`,
      [payoutId],
    )
  })
  const deps = { ...world.filingDeps(), setup: { ...PAYMENTS, prefix: 'OTHER' } }
  assert.match(
    (await fileWaiting(deps)).stopped ?? '',
    /COIN-00000002, and the database has given out numbers up to 1 only/,
  )
  await world.payDue()
  assert.equal(await world.payoutStatus(payoutId), 'queued')
  const applyOf: ImportDeps['applyReport'] = (tx, report) =>
    applyReport({ ...world.filingDeps(), tx, logger: SILENT }, deps.setup, report)
  const report = { name: 'report.xml', bytes: bytesOf(bank.report('COIN-00000002')) }
  const given = () => importFile({ ...world.importDeps, applyReport: applyOf }, report)
  await assert.rejects(given(), /COIN-00000002 lies in the folder/)
  assert.deepEqual(await readBack(deps), {
    files: [{ messageId: 'COIN-00000002', payments: 1, wentOut: true }],
    problems: [],
  })
  await world.db.query('update payouts set next_attempt_at = now(), claimed_until = null')
  await world.payDue()
  assert.equal(await world.payoutStatus(payoutId), 'sent')
  assert.deepEqual((await fileWaiting(deps)).files, [])
  const third = await world.burntRedeem('30')
  await world.payDue()
  assert.deepEqual((await fileWaiting(deps)).files, ['OTHER-00000001'])
  assert.deepEqual(await idsIn(world, 'OTHER-00000001'), [third.endToEndId])
  bank.receive(await world.outFile('OTHER-00000001'))
  assert.deepEqual(bank.askedTwice(), [])
})

test('what the bank rejected in the history that was lost is rejected again once its report is given again after the folder was read back', async () => {
  const world = await newWorld()
  const bank = someBank({ fateOf: () => 'pending' })
  const { payoutId } = await world.burntRedeem('10')
  await world.payDue()
  await world.file()
  bank.receive(await world.outFile('COIN-00000001'))
  const report = bank.report('COIN-00000001', { code: 'RJCT', reason: 'AC04' })
  await restore(world)
  const given = async () => (await world.importXml(report)).taken
  // Too early: only the folder knows of the file yet.
  await assert.rejects(given(), /once "coin bank read-back --reason …" was run/)
  assert.deepEqual((await readBack(world.filingDeps())).problems, [])
  assert.equal((await given()).result, 'applied')
  assert.equal((await given()).result, 'repeated')
  await world.payDue()
  assert.equal(await world.payoutStatus(payoutId), 'rejected')
  assert.equal(await world.balanceSen('payout_clearing:bank_files'), 0n)
  assert.deepEqual((await world.file()).files, [])
})

test('what a statement shows of a redeem that was lost is its payment’s as soon as its partner has posted it again', async () => {
  const world = await newWorld()
  const bank = someBank({ fateOf: ({ amountSen }) => (amountSen === 2_000n ? 'returned' : 'paid') })
  const lost = [await world.burntRedeem('10'), await world.burntRedeem('20')]
  await world.payDue()
  await world.file()
  bank.receive(await world.outFile('COIN-00000001'))
  const paid = bank.closeDay()
  bank.returnPaid()
  const returned = bank.closeDay()
  await restore(world)
  await world.db.query('create table lost_payouts as select * from payouts')
  await withoutGuards(world.db, (tx) => tx.query('delete from payouts'))
  assert.deepEqual((await readBack(world.filingDeps())).problems, [])
  const told = [await world.importXml(paid), await world.importXml(returned)]
  assert.deepEqual(
    told.map(({ matched }) => matched),
    [0, 0],
    'the payments are not known yet',
  )

  await withoutGuards(world.db, (tx) => tx.query('insert into payouts select * from lost_payouts'))
  await world.payDue()
  // A credit follows its debit.
  for (const _ of ['debits', 'credits']) await world.importXml(bank.closeDay())
  assert.equal(await world.payoutStatus(lost[0]?.payoutId ?? ''), 'paid')
  assert.equal(await world.payoutStatus(lost[1]?.payoutId ?? ''), 'returned')
  assert.equal(await world.balanceSen('unallocated:main'), -100_000_000n, 'what the account held before')
  assert.equal(await world.balanceSen('payout_clearing:bank_files'), 0n)
})

test('lines that do not fit the payment that they name keep none behind them from theirs, however many', async () => {
  const world = await newWorld()
  const bank = someBank()
  const [other, fits] = [await world.burntRedeem('10'), await world.burntRedeem('20')]
  await world.payDue()
  await world.file()
  bank.receive(await world.outFile('COIN-00000001'))
  await restore(world)
  await world.db.query('create table lost_payouts as select * from payouts')
  await withoutGuards(world.db, (tx) => tx.query('delete from payouts'))
  assert.deepEqual((await readBack(world.filingDeps())).problems, [])
  await world.importXml(bank.closeDay())
  await withoutGuards(world.db, async (tx) => {
    await tx.query('insert into payouts select * from lost_payouts')
    // As a bank books it with its charge. It stands before the other one.
    await tx.query('update bank_lines set amount_micro = amount_micro - 500000 where end_to_end_id = $1', [
      other.endToEndId,
    ])
    await tx.query('update bank_lines set line_no = default where end_to_end_id = $1', [fits.endToEndId])
  })
  await world.payDue()
  const deps = { ...world.importDeps, named: { after: 0n } }
  const lookAtOne = () => matchNamedLate(deps, 1)
  await lookAtOne()
  assert.equal(await world.payoutStatus(fits.payoutId), 'sent')
  await lookAtOne()
  assert.equal(await world.payoutStatus(fits.payoutId), 'paid')
  // After the last the oldest are looked at again.
  await lookAtOne()
  assert.equal(deps.named.after, 0n)
  assert.equal(await world.payoutStatus(other.payoutId), 'sent')
})

test('a number that another file has stops the rail, and what was not sent goes into the next one', async () => {
  const world = await newWorld()
  const [sent, waiting] = [await world.burntRedeem('10'), await world.burntRedeem('20')]
  await world.payDue()
  const deps = world.filingDeps()
  // The file was formed and stored, and the process ended before it appeared; meanwhile another one was put out.
  const noFolder = { ...deps, fs: { ...fs, link: () => Promise.reject(new Error('the disk is full')) } }
  await assert.rejects(fileWaiting(noFolder), /the disk is full/)
  const other = await newWorld()
  await other.db.query(`update filed_payments set message_id = null`)
  const bankId = await keepBank(
    other.db,
    { bic: 'CIBBMYKL', account: '8001234567', name: 'Aminah binti Ahmad' },
    { payment: `${sent.endToEndId} 1000` },
  )
  await withoutGuards(other.db, (tx) =>
    tx.query(
      `insert into filed_payments (end_to_end_id, amount_sen, bank_id, is_resident, remittance)
       values ($1, 1000, $2, true, 'X')`,
      [sent.endToEndId, bankId],
    ),
  )
  await other.file()
  await fs.copyFile(
    path.join(other.folder, 'out', 'COIN-00000001.xml'),
    path.join(world.folder, 'out', 'COIN-00000001.xml'),
  )
  await fs.rm(path.join(world.folder, 'kept', 'COIN-00000001.xml'), { force: true })
  assert.match((await world.file()).stopped ?? '', /another file COIN-00000001/)
  // What the bank says of the one that went out says nothing of what the database has under its name.
  const rejection = writeReport({
    messageId: 'R1',
    createdAt: '2026-11-20T18:00:00+08:00',
    answers: 'COIN-00000001',
    status: { code: 'RJCT', reason: 'AC04' },
    sections: [],
  })
  const statuses = () => Promise.all([sent, waiting].map(({ payoutId }) => world.payoutStatus(payoutId)))
  await assert.rejects(world.importXml(rejection), /COIN-00000001 lies in the folder/)
  assert.deepEqual(await statuses(), ['sent', 'sent'])
  assert.deepEqual((await readBack(deps)).problems, [])
  assert.deepEqual((await world.importXml(rejection)).taken, { result: 'applied' })
  assert.deepEqual(await statuses(), ['rejected', 'sent'])
  assert.deepEqual((await world.file()).files, ['COIN-00000002'])
  assert.deepEqual(await idsIn(world, 'COIN-00000002'), [waiting.endToEndId])
})

test('a file that a lost history withdrew is not put out after a restore: its payments went out in the next one', async () => {
  const world = await newWorld()
  const bank = someBank()
  const [first, second] = [await world.burntRedeem('10'), await world.burntRedeem('20')]
  await world.payDue()
  const noFolder = { ...world.filingDeps(), fs: { ...fs, link: () => Promise.reject(new Error('the disk is full')) } }
  await assert.rejects(fileWaiting(noFolder), /the disk is full/)
  // This is the moment of the backup. In the history that is lost the file waited until its day was over.
  world.clock.now = new Date('2026-11-23T02:00:00Z')
  const filed = await world.file()
  assert.deepEqual([filed.withdrawn.length, filed.files], [1, ['COIN-00000002']])
  assert.equal(bank.receive(await world.outFile('COIN-00000002')).result, 'taken')
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update filed_payments set message_id = 'COIN-00000001'`)
    await tx.query(`delete from payment_files where message_id = 'COIN-00000002'`)
    await tx.query('update payment_files set withdrawn_at = null, withdrawn_for = null')
  })
  world.clock.now = new Date('2026-11-20T03:00:00Z')

  const stopped = await world.file()
  assert.deepEqual(stopped.files, [])
  assert.match(stopped.stopped ?? '', /COIN-00000002/)
  assert.deepEqual((await readBack(world.filingDeps())).files, [
    { messageId: 'COIN-00000002', payments: 2, wentOut: true },
  ])
  const third = await world.burntRedeem('30')
  await world.payDue()
  assert.deepEqual((await world.file()).files, ['COIN-00000003'])
  const withdrawn = await world.db.query<{ why: string | null }>(
    `select withdrawn_for as why from payment_files where message_id = 'COIN-00000001'`,
  )
  assert.deepEqual(withdrawn, [{ why: 'its payments went out in COIN-00000002' }])
  assert.deepEqual(await idsIn(world, 'COIN-00000003'), [third.endToEndId])
  for (const { payoutId } of [first, second, third]) assert.equal(await world.payoutStatus(payoutId), 'sent')
})

test('read-back says of a file that was only kept that it may never have gone out', async () => {
  const world = await newWorld()
  const { payoutId } = await world.burntRedeem('10')
  await storedOnly(world)
  await restore(world)
  const { files } = await readBack(world.filingDeps())
  assert.deepEqual(files, [{ messageId: 'COIN-00000001', payments: 1, wentOut: false }])
  await world.payDue()
  // It counts as sent all the same, because nobody may pay it twice, until the bank says that it has nothing.
  assert.equal(await world.payoutStatus(payoutId), 'sent')
  assert.deepEqual((await world.file()).files, [])
})

test('where the folder was lost with the newest days of the database, the copies that the bank has keep everything from being paid twice', async () => {
  const world = await newWorld()
  for (const amount of ['10', '20']) {
    await world.burntRedeem(amount)
    await world.payDue()
    await world.file()
  }
  const copy = await world.outFile('COIN-00000002')
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update filed_payments set message_id = null where message_id = 'COIN-00000002'`)
    await tx.query(`delete from payment_files where message_id = 'COIN-00000002'`)
  })
  await fs.rm(world.folder, { recursive: true })
  await assert.rejects(world.file(), /write an empty file kept\/COIN-00000001\.xml into it/)
  await fs.writeFile(path.join(world.folders.taken, 'COIN-00000002.xml'), copy)
  await fs.writeFile(path.join(world.folders.kept, 'COIN-00000001.xml'), '')
  assert.match((await world.file()).stopped ?? '', /COIN-00000002/)
  assert.deepEqual((await readBack(world.filingDeps())).files, [
    { messageId: 'COIN-00000002', payments: 1, wentOut: true },
  ])
  assert.deepEqual(await world.file(), { files: [], withdrawn: [], stopped: null })
})

test('an empty file stands for one that is gone for good, also while an older one waits', async () => {
  const world = await newWorld()
  await world.burntRedeem('10')
  await storedOnly(world)
  await world.db.query(`update payment_files set content = 'sb1.altered' where file_number = 1`)
  for (const amount of ['20', '30']) {
    await world.burntRedeem(amount)
    await world.payDue()
    await world.file()
  }
  const copy = await world.outFile('COIN-00000003')
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update filed_payments set message_id = null where message_id = 'COIN-00000003'`)
    await tx.query(`delete from payment_files where message_id = 'COIN-00000003'`)
  })
  await fs.rm(world.folder, { recursive: true })
  await assert.rejects(world.file(), /write an empty file kept\/COIN-00000002\.xml into it/)
  await fs.writeFile(path.join(world.folders.taken, 'COIN-00000003.xml'), copy)
  const empty = path.join(world.folders.kept, 'COIN-00000002.xml')
  await fs.writeFile(empty, '')
  assert.match((await world.file()).stopped ?? '', /COIN-00000003/)
  assert.deepEqual(await readBack(world.filingDeps()), {
    files: [{ messageId: 'COIN-00000003', payments: 1, wentOut: true }],
    problems: [],
  })
  // One that lies where the transport had it is somebody else's.
  await fs.rename(empty, path.join(world.folders.taken, 'COIN-00000002.xml'))
  assert.match((await readBack(world.filingDeps())).problems.join(), /COIN-00000002 was put out with other content/)
})

test('what read-back replaces leaves no account behind', async () => {
  const world = await newWorld()
  const { endToEndId } = await world.burntRedeem('10')
  await world.payDue()
  await world.file()
  const countOf = async () =>
    (
      await world.db.query<{ n: bigint }>(
        'select count(*) as n from bank_details d where payment is not null and not exists (select from filed_payments f where f.bank_id = d.bank_id)',
      )
    )[0]?.n
  await withoutGuards(world.db, async (tx) => {
    await tx.query('update filed_payments set message_id = null')
    await tx.query('delete from payment_files')
  })
  const known = async () =>
    await world.db.query('select bank_id, message_id from filed_payments where end_to_end_id = $1', [endToEndId])
  const [before] = await known()
  await world.file()
  assert.equal((await readBack(world.filingDeps())).files.length, 1)
  const [afterwards] = await known()
  assert.equal(afterwards?.message_id, 'COIN-00000001')
  assert.notEqual(afterwards?.bank_id, before?.bank_id)
  assert.equal(await countOf(), 0n)
})

test('read-back looks from the lowest number that was not put out, also when that one does not open', async () => {
  const world = await newWorld()
  const deps = world.filingDeps()
  const noFolder = { ...deps, fs: { ...fs, link: () => Promise.reject(new Error('the disk is full')) } }
  for (const amount of ['10', '20']) {
    await world.burntRedeem(amount)
    await world.payDue()
    await assert.rejects(fileWaiting(noFolder), /the disk is full/)
    await world.db.query(`update payment_files set content = 'sb1.altered' where file_number = 1`)
  }
  const other = await newWorld()
  await other.burntRedeem('30')
  await other.payDue()
  await other.file()
  const name = 'COIN-00000001.xml'
  await fs.copyFile(path.join(other.folder, 'out', name), path.join(world.folder, 'out', name))
  const { files } = await readBack(deps)
  assert.deepEqual(files, [{ messageId: 'COIN-00000001', payments: 1, wentOut: true }])
})

test('what a read-back records is what it was compared with, whatever is put into the folder in between', async () => {
  const world = await newWorld()
  const other = await newWorld()
  for (const [one, amount] of [
    [world, '10'],
    [other, '99'],
  ] as const) {
    await one.burntRedeem(amount)
    await one.payDue()
    await one.file()
  }
  await restore(world)
  const deps = world.filingDeps()
  const name = 'COIN-00000001.xml'
  let seen: Awaited<ReturnType<typeof findUnknown>> | undefined
  const first: Parameters<typeof readBack>[2] = async (tx) => {
    seen = await findUnknown(tx, deps)
    for (const folder of ['out', 'kept'])
      await fs.copyFile(path.join(other.folder, 'out', name), path.join(world.folder, folder, name))
  }
  await readBack(deps, async () => {}, first)
  const [stored] = await world.db.query<{ content_hash: string }>('select content_hash from payment_files')
  assert.deepEqual(
    seen?.files.map(({ contentHash }) => contentHash),
    [stored?.content_hash],
  )
  const [payment] = await world.db.query<{ amount_sen: bigint }>('select amount_sen from filed_payments')
  assert.equal(payment?.amount_sen, 1_000n)
})

test('a file in the folder that cannot be read keeps the rail stopped', async () => {
  const world = await newWorld()
  await world.burntRedeem('10')
  await fs.writeFile(path.join(world.folder, 'kept', 'COIN-00000007.xml'), '<not-ours/>')
  await world.payDue()
  assert.match((await world.file()).stopped ?? '', /COIN-00000007/)
  const { problems } = await readBack(world.filingDeps())
  assert.equal(problems.length, 1)
  assert.notEqual(await readStop(world.db), undefined)
})
