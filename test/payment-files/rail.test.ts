// engine: postgres; both in test:long
/** The rail of bank files: each payment once, in one numbered file, whatever is restored. */
// Runbook: Payment files are stopped
// Runbook: Payments are not put out
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { localTime } from '../../src/bank-files/day.ts'
import type { FileOps } from '../../src/bank-files/folder/layout.ts'
import { paymentsOf } from '../../src/bank-files/payment-file/file.ts'
import { readPaymentFile } from '../../src/bank-files/payment-file/read.ts'
import { violatedConstraint } from '../../src/db/database.ts'
import { readAlarms } from '../../src/operator/overview.sql.ts'
import { findFile, openFile, readStop } from '../../src/payment-files/files.sql.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { readFilingSeconds } from '../../src/payment-files/late.sql.ts'
import { lockWaiting } from '../../src/payment-files/payments.sql.ts'
import { createBankFilesRail } from '../../src/payment-files/rail.ts'
import { findUnknown, readBack } from '../../src/payment-files/read-back.ts'
import { withdrawPayment } from '../../src/payment-files/undue.sql.ts'
import { createSecretBox } from '../../src/secrets.ts'
import { giveBank, keepBank, TEST_SECRETS } from '../support/bank-details.ts'
import { accepted, PROFILE } from '../support/bank-files.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'

const worlds: BankWorld[] = []
async function newWorld(): Promise<BankWorld> {
  const world = await createBankWorld()
  worlds.push(world)
  return world
}
after(async () => {
  for (const world of worlds) await world.close()
})

const minutesBefore = (world: BankWorld, minutes: number) => world.clock.now.getTime() / 1000 - minutes * 60

/** File operations that make a file and cannot write into it. */
function onFullDisk(): FileOps {
  return {
    ...fs,
    async open(...args) {
      const handle = await fs.open(...args)
      if (args[1] === 'wx') handle.writeFile = () => Promise.reject(new Error('the disk is full'))
      return handle
    },
  }
}

const idsIn = async (world: BankWorld, messageId: string) =>
  paymentsOf(accepted(readPaymentFile(await world.outFile(messageId), PROFILE))).map(({ endToEndId }) => endToEndId)

/** What a backup that was made before the payouts were sent would hold. */
async function restore(world: BankWorld): Promise<void> {
  await withoutGuards(world.db, async (tx) => {
    await tx.query('delete from filed_payments')
    await tx.query('delete from payment_files')
    await tx.query('delete from payout_attempts')
    await tx.query(`delete from ledger_entries where reference like 'payout/%'`)
    await tx.query(
      `update payouts set status = 'queued', rail = null, rail_reference = null, attempts = 0, next_attempt_at = now(), claimed_until = null`,
    )
  })
}

test('a file whose day has passed before it could be put out is withdrawn, and what it pays goes out once, for a day to come', async () => {
  const world = await newWorld()
  await world.burntRedeem('12.34')
  await world.payDue()
  await assert.rejects(fileWaiting(world.filingDeps(onFullDisk())), /the disk is full/)
  const [{ executionDay: stored = '' } = {}] = accepted(
    readPaymentFile(new TextEncoder().encode(await contentOf(world, 'COIN-00000001')), PROFILE),
  ).sections
  world.clock.now = new Date(world.clock.now.getTime() + 3 * 86_400_000)
  const { files, withdrawn } = await fileWaiting(world.filingDeps())
  assert.deepEqual(
    [files, withdrawn],
    [['COIN-00000002'], [{ messageId: 'COIN-00000001', reason: `its day, ${stored}, has passed` }]],
  )
  const { sections } = accepted(readPaymentFile(await world.outFile('COIN-00000002'), PROFILE))
  assert.equal(sections.length, 1)
  assert.ok((sections[0]?.executionDay ?? '') >= localTime('Asia/Kuala_Lumpur', world.clock.now).day)
  assert.deepEqual(await fileWaiting(world.filingDeps()), { files: [], withdrawn: [], stopped: null })
})

/** What is stored of a payment file. */
async function contentOf(world: BankWorld, messageId: string): Promise<string> {
  const file = await findFile(world.db, messageId)
  assert.ok(file)
  return openFile(TEST_SECRETS, file)
}

test('a file that could not be put out is put out under its own name, although new ones have another prefix', async () => {
  const world = await newWorld()
  await world.burntRedeem('12.34')
  await world.payDue()
  await assert.rejects(fileWaiting(world.filingDeps(onFullDisk())), /the disk is full/)
  const deps = world.filingDeps()
  const renamed = { ...deps, setup: { ...deps.setup, prefix: 'OTHER' } }
  assert.deepEqual((await fileWaiting(renamed)).files, ['COIN-00000001'])
  await world.burntRedeem('1')
  await world.payDue()
  assert.deepEqual((await fileWaiting(renamed)).files, ['OTHER-00000001'])
})

test('what is called sent and was put out in no file is told, whether it is in a file or in none, until it is out', async () => {
  const world = await newWorld()
  const told = async () => [
    Math.round((await readFilingSeconds(world.db)) / 60),
    (await readAlarms(world.db)).paymentsNotPutOut,
  ]
  const older = (table: string, column: string) =>
    world.db.query(`update ${table} set ${column} = ${column} - interval '4 minutes'`)
  assert.deepEqual(await told(), [0, 0])
  const { payoutId } = await world.burntRedeem('10')
  await world.payDue()
  assert.equal(await world.payoutStatus(payoutId), 'sent')
  await older('filed_payments', 'accepted_at')
  assert.deepEqual(await told(), [4, 0])
  await older('filed_payments', 'accepted_at')
  assert.deepEqual(await told(), [8, 1])
  await assert.rejects(fileWaiting(world.filingDeps(onFullDisk())), /the disk is full/)
  assert.deepEqual(await told(), [0, 0])
  for (let times = 0; times < 2; times += 1) await older('payment_files', 'created_at')
  assert.deepEqual(await told(), [8, 1])
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
  assert.deepEqual(await told(), [0, 0])
})

test('a payment is accepted once under its end-to-end id, and another one under it is not', async () => {
  const world = await newWorld()
  const { payoutId, endToEndId } = await world.burntRedeem('12.34')
  const rail = createBankFilesRail(world.filingDeps())
  const instruction = {
    ...{
      payoutId,
      endToEndId,
      amountSen: 1_234n,
      bankId: 'bnk_1',
      bic: 'CIBBMYKL',
      account: '8001234567',
      name: 'Aminah',
      reference: 'X',
    },
  }
  assert.deepEqual(await rail.status?.({ payoutId, endToEndId }), { result: 'none' })
  assert.deepEqual(await rail.initiate(instruction), { result: 'accepted', railReference: endToEndId })
  assert.deepEqual(await rail.initiate(instruction), { result: 'accepted', railReference: endToEndId })
  assert.equal((await rail.initiate({ ...instruction, amountSen: 1_235n })).result, 'unknown')
  assert.equal((await rail.initiate({ ...instruction, account: '8001234568' })).result, 'unknown')
  assert.deepEqual(await rail.status?.({ payoutId, endToEndId }), { result: 'accepted', railReference: endToEndId })
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
  assert.deepEqual((await world.file()).files, [])
  assert.deepEqual(await idsIn(world, 'COIN-00000001'), [endToEndId])
})

test('what no bank would carry is refused at once, and what the calendar does not cover waits', async () => {
  const world = await newWorld()
  await giveBank(world.db, { bic: 'CIBBMYKL', account: '8001234567', name: '张伟' })
  const { payoutId } = await world.burntRedeem('10')
  await world.payDue()
  assert.equal(await world.payoutStatus(payoutId), 'rejected')
  await giveBank(world.db, { bic: 'CIBBMYKL', account: '8001234567', name: 'Aminah' })
  world.clock.now = new Date('2031-01-01T00:00:00Z')
  const later = await world.burntRedeem('11')
  await world.payDue()
  assert.equal(await world.payoutStatus(later.payoutId), 'queued')
})

test('each rail has its section, for the day on which it carries out what comes now', async () => {
  const world = await newWorld()
  // Friday evening in Kuala Lumpur: after every cut-off.
  world.clock.now = new Date('2026-11-20T14:00:00Z')
  const small = await world.burntRedeem('10')
  await world.payDue()
  await world.file()
  const file = accepted(readPaymentFile(await world.outFile('COIN-00000001'), PROFILE))
  assert.deepEqual(
    file.sections.map(({ rail, executionDay, payments }) => [rail, executionDay, payments[0]?.endToEndId]),
    [['duitnow', '2026-11-20', small.endToEndId]],
  )
})

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
  assert.deepEqual(read, { files: [{ messageId: 'COIN-00000001', payments: 2 }], problems: [] })
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
  // Too early: nobody knows of the file yet. It is set aside, and counts all the same when it comes again.
  assert.equal((await given()).result, 'refused')
  assert.deepEqual((await readBack(world.filingDeps())).problems, [])
  assert.equal((await given()).result, 'applied')
  assert.equal((await given()).result, 'repeated')
  await world.payDue()
  assert.equal(await world.payoutStatus(payoutId), 'rejected')
  assert.equal(await world.balanceSen('payout_clearing:bank_files'), 0n)
  assert.deepEqual((await world.file()).files, [])
})

test('what a killed writer left is gone an hour later, and what could not be written leaves nothing', async () => {
  const world = await newWorld()
  const { out, kept } = world.folders
  const hidden = (age: string) => `.COIN-00000001.xml.${age}${randomUUID().slice(age.length)}.part`
  const [left, young] = [hidden('a'), hidden('b')]
  for (const folder of [out, kept]) {
    for (const name of [left, young, '.theirs.part']) await fs.writeFile(path.join(folder, name), 'half')
    for (const name of [left, '.theirs.part']) await fs.utimes(path.join(folder, name), 0, minutesBefore(world, 61))
    await fs.utimes(path.join(folder, young), 0, minutesBefore(world, 59))
  }
  await world.burntRedeem('10')
  await world.payDue()
  await assert.rejects(fileWaiting(world.filingDeps(onFullDisk())), /the disk is full/)
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
  const hiddenIn = async (folder: string) => (await fs.readdir(folder)).filter((name) => name.startsWith('.')).sort()
  for (const folder of [out, kept]) assert.deepEqual(await hiddenIn(folder), [young, '.theirs.part'].sort())
})

test('a number that another file has stops the rail, and what was not sent goes into the next one', async () => {
  const world = await newWorld()
  const [sent, waiting] = [await world.burntRedeem('10'), await world.burntRedeem('20')]
  await world.payDue()
  const deps = world.filingDeps()
  // The file was formed and stored, and the process ended before it appeared; meanwhile another one was put out.
  const noFolder = { ...deps, fs: { ...fs, link: () => Promise.reject(new Error('the disk is full')) } }
  await assert.rejects(fileWaiting(noFolder), /the disk is full/)
  const other = await createBankWorld()
  worlds.push(other)
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
  assert.deepEqual((await readBack(deps)).problems, [])
  assert.deepEqual((await world.file()).files, ['COIN-00000002'])
  assert.deepEqual(await idsIn(world, 'COIN-00000002'), [waiting.endToEndId])
})

test('what was paid otherwise, held, or is of an earlier attempt goes into no file, and files are not asked for it', async () => {
  const world = await newWorld()
  const redeems = await Promise.all(['10', '20', '30', '40'].map((amount) => world.burntRedeem(amount)))
  await world.payDue()
  const [paid, held, earlier, due] = redeems.map(({ payoutId }) => payoutId)
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update payouts set status = 'paid' where payout_id = $1`, [paid ?? ''])
    await tx.query(`update payouts set status = 'held', hold_reason = 'by_operator' where payout_id = $1`, [held ?? ''])
    await tx.query(`update payouts set end_to_end_id = 'another-attempt' where payout_id = $1`, [earlier ?? ''])
  })
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
  assert.deepEqual(
    await idsIn(world, 'COIN-00000001'),
    redeems.filter(({ payoutId }) => payoutId === due).map(({ endToEndId }) => endToEndId),
  )
  assert.deepEqual((await world.file()).files, [])
  const waiting = await world.db.transaction((tx) => lockWaiting(tx, TEST_SECRETS, 10))
  assert.deepEqual(waiting, { waiting: [], unopened: [] })
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

/** What somebody could do who has a database login of a payer, and no key. */
test('a payment whose payee or amount was altered goes into no file, and holds up no other', async () => {
  const world = await newWorld()
  const altered = [await world.burntRedeem('10'), await world.burntRedeem('20'), await world.burntRedeem('30')]
  const thief = await world.burntRedeem('40')
  await world.payDue()
  const [toAnother, more, copied] = altered.map(({ endToEndId }) => `end_to_end_id = '${endToEndId}'`)
  const thiefs = (what: string) =>
    `(select d.${what} from bank_details d join filed_payments using (bank_id) where end_to_end_id = '${thief.endToEndId}')`
  for (const change of [
    `update filed_payments set bank_id = ${thiefs('bank_id')} where ${toAnother}`,
    `update filed_payments set amount_sen = amount_sen + 1 where ${more}`,
    `update bank_details set sealed = ${thiefs('sealed')} where bank_id = (select bank_id from filed_payments where ${copied})`,
    `insert into filed_payments (end_to_end_id, amount_sen, bank_id, is_resident, remittance)
     values ('MADEUP000001', 4000, ${thiefs('bank_id')}, true, 'X')`,
  ]) {
    await world.db.query(change)
  }
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
  assert.deepEqual(await idsIn(world, 'COIN-00000001'), [thief.endToEndId])
  assert.equal((await readAlarms(world.db)).paymentsNotOpened, 4)
  const later = await world.burntRedeem('50')
  await world.payDue()
  assert.deepEqual((await world.file()).files, ['COIN-00000002'])
  assert.deepEqual(await idsIn(world, 'COIN-00000002'), [later.endToEndId])
})

test('what was put out is not put out again, nor its payments in another file', async () => {
  const world = await newWorld()
  await world.burntRedeem('10')
  await world.payDue()
  await world.file()
  const refused = (change: string, by: string) =>
    assert.rejects(world.db.query(change), (error) => violatedConstraint(error) === by)
  await refused('update filed_payments set message_id = null', 'filed_payments_put_out')
  await refused('update payment_files set put_out_at = null', 'payment_files_put_out')
  await refused(`update payment_files set content_hash = '${'0'.repeat(64)}'`, 'payment_files_put_out')
})

test('a payment file that does not open is put out when it does, and holds up no other', async () => {
  const world = await newWorld()
  await world.burntRedeem('10')
  await world.payDue()
  const noFolder = { ...world.filingDeps(), fs: { ...fs, link: () => Promise.reject(new Error('the disk is full')) } }
  await assert.rejects(fileWaiting(noFolder), /the disk is full/)
  const [stored] = await world.db.query<{ content: string }>('select content from payment_files')
  const other = createSecretBox(randomBytes(32)).seal('x', 'COIN-00000001')
  const store = (content: string) => world.db.query('update payment_files set content = $1', [content])
  await store(other)
  await world.burntRedeem('20')
  await world.payDue()
  assert.deepEqual((await world.file()).files, ['COIN-00000002'])
  assert.equal((await readAlarms(world.db)).paymentsNotOpened, 1)
  await world.db.query('update payment_files set content = $1 where put_out_at is null', [stored?.content ?? ''])
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
  assert.equal((await readAlarms(world.db)).paymentsNotOpened, 0)
})

test('a payment file whose place in the folder cannot be read holds up no other, and is said', async () => {
  const world = await newWorld()
  for (const amount of ['10', '20']) {
    await world.burntRedeem(amount)
    await storedOnly(world)
  }
  await world.burntRedeem('30')
  await world.payDue()
  const unreadable: typeof fs.readFile = (async (name: string, ...more: []) => {
    if (String(name).endsWith('out/COIN-00000001.xml')) throw new Error('the disk is broken there')
    return await fs.readFile(name, ...more)
  }) as never
  const broken = { ...world.filingDeps(), fs: { ...fs, readFile: unreadable } }
  await assert.rejects(fileWaiting(broken), /the disk is broken there/)
  assert.deepEqual((await fs.readdir(world.folders.out)).filter((name) => name.endsWith('.xml')).sort(), [
    ...['COIN-00000002.xml', 'COIN-00000003.xml'],
  ])
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
})

/** A file that was stored and kept, and not put out. */
async function storedOnly(world: BankWorld): Promise<void> {
  await world.payDue()
  const link: typeof fs.link = async (from, to) => {
    if (path.dirname(String(to)) === world.folders.out) throw new Error('the disk is full')
    await fs.link(from, to)
  }
  await assert.rejects(fileWaiting({ ...world.filingDeps(), fs: { ...fs, link } }), /the disk is full/)
}

const setPayout = (world: BankWorld, payoutId: string, set: string) =>
  withoutGuards(world.db, (tx) => tx.query(`update payouts set ${set} where payout_id = $1`, [payoutId]))

test('a file that waited goes out with no payout that was held or paid otherwise meanwhile; the others go into the next', async () => {
  const world = await newWorld()
  const due = await world.burntRedeem('10')
  const held = await world.burntRedeem('20')
  await storedOnly(world)
  await setPayout(world, held.payoutId, `status = 'held', hold_reason = 'by_operator'`)
  // Also when its content does not open: whom it pays does not matter then.
  await world.db.query(`update payment_files set content = 'sb1.altered'`)
  const { files, withdrawn } = await world.file()
  assert.deepEqual(withdrawn, [{ messageId: 'COIN-00000001', reason: `${held.endToEndId}: ${held.payoutId} is held` }])
  assert.deepEqual(files, ['COIN-00000002'])
  assert.deepEqual(await idsIn(world, 'COIN-00000002'), [due.endToEndId])
  await assert.rejects(world.outFile('COIN-00000001'), { code: 'ENOENT' })
  assert.equal((await readAlarms(world.db)).paymentsNotOpened, 0)
  // After a restore nobody takes it for sent.
  const kept = (await fs.readdir(world.folders.kept)).filter((name) => name.includes('00000001'))
  assert.deepEqual(kept, ['COIN-00000001.xml.withdrawn'])
  await assert.rejects(
    world.db.query(`update payment_files set withdrawn_at = null, withdrawn_for = null, put_out_at = now()`),
    (error) => ['payment_files_withdrawn', 'payment_files_put_out'].includes(violatedConstraint(error) ?? ''),
  )
  await setPayout(world, held.payoutId, `status = 'queued', hold_reason = null`)
  assert.deepEqual((await world.file()).files, ['COIN-00000003'])
  assert.deepEqual(await idsIn(world, 'COIN-00000003'), [held.endToEndId])
})

test('a file that the folder has is put out, whatever its payouts are now, and also when it does not open', async () => {
  const world = await newWorld()
  const { payoutId } = await world.burntRedeem('10')
  await storedOnly(world)
  const [stored] = await world.db.query<{ content: string; hash: string }>(
    'select content, content_hash as hash from payment_files',
  )
  // The process ended between the folder and the database.
  const bytes = TEST_SECRETS.open(stored?.content ?? '', 'COIN-00000001')
  await fs.writeFile(path.join(world.folder, 'out', 'COIN-00000001.xml'), bytes)
  await setPayout(world, payoutId, `status = 'held', hold_reason = 'by_operator'`)
  await world.db.query(`update payment_files set content = 'sb1.altered'`)
  assert.deepEqual(await world.file(), { files: ['COIN-00000001'], withdrawn: [], stopped: null })
})

test('what an operator has said was paid goes into no file, though its payout is sent like one that waits for a file', async () => {
  const world = await newWorld()
  const [said, due] = [await world.burntRedeem('10'), await world.burntRedeem('20')]
  await storedOnly(world)
  const withdraw = () => world.db.transaction((tx) => withdrawPayment(tx, said.endToEndId))
  assert.equal(await withdraw(), 'COIN-00000001', 'it may be on its way')
  await setPayout(world, said.payoutId, `status = 'held', hold_reason = 'by_operator'`)
  assert.deepEqual((await world.file()).files, ['COIN-00000002'])
  assert.equal(await withdraw(), undefined)
  await setPayout(world, said.payoutId, `status = 'sent', hold_reason = null`)
  assert.deepEqual((await world.file()).files, [])
  await assert.rejects(
    world.db.query(`update filed_payments set message_id = 'COIN-00000002' where end_to_end_id = $1`, [
      said.endToEndId,
    ]),
    (error) => violatedConstraint(error) === 'filed_payments_withdrawn',
  )
  assert.deepEqual(await idsIn(world, 'COIN-00000002'), [due.endToEndId])
})

test('the rail accepts no payment of a payout that was held or made otherwise while it was being asked', async () => {
  const world = await newWorld()
  const { payoutId, endToEndId } = await world.burntRedeem('12.34')
  await setPayout(world, payoutId, `status = 'held', hold_reason = 'by_operator'`)
  const payee = { bankId: 'bnk_1', bic: 'CIBBMYKL', account: '8001234567', name: 'Aminah' }
  const rail = createBankFilesRail(world.filingDeps())
  const answer = await rail.initiate({ payoutId, endToEndId, amountSen: 1_234n, ...payee, reference: 'X' })
  assert.equal(answer.result, 'unknown')
  assert.deepEqual(await rail.status?.({ payoutId, endToEndId }), { result: 'none' })
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
  assert.deepEqual(files, [{ messageId: 'COIN-00000001', payments: 1 }])
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

test('a report that is about no file of ours, or does not fit it, is set aside and moves nothing', async () => {
  const world = await newWorld()
  const bank = someBank({ fateOf: () => 'rejected' })
  const { payoutId } = await world.burntRedeem('10')
  await world.payDue()
  await world.file()
  bank.receive(await world.outFile('COIN-00000001'))
  const codeOf = async (xml: string) => {
    const { taken } = await world.importXml(xml)
    return taken.result === 'refused' ? taken.refusal.code : taken.result
  }
  assert.equal(await codeOf(bank.foreignReport()), 'foreign')
  const report = bank.report('COIN-00000001')
  assert.equal(await codeOf(report.replace(/>10\.00</g, '>11.00<')), 'inconsistent_sums')
  assert.equal(await world.payoutStatus(payoutId), 'sent')
  assert.equal(await codeOf(report.replace('AC0', 'AM05').replace(/<Cd>AM05\d/, '<Cd>AM05')), 'applied')
  assert.equal(await world.payoutStatus(payoutId), 'sent', 'a bank that takes it for a duplicate may have paid it')
})
