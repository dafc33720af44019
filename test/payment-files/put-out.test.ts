// engine: postgres; both in test:long
/** A stored payment file is put out once, under its number, as long as what it pays is due. */
// Runbook: Payments are not put out
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { localTime } from '../../src/bank-files/day.ts'
import { violatedConstraint } from '../../src/db/database.ts'
import { readAlarms } from '../../src/operator/overview.sql.ts'
import { findFile, openFile } from '../../src/payment-files/files.sql.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { readFilingSeconds } from '../../src/payment-files/late.sql.ts'
import { withdrawPayment } from '../../src/payment-files/undue.sql.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { accepted, PROFILE } from '../support/bank-files.ts'
import { PAYMENTS } from '../support/bank-setup.ts'
import { type BankWorld, createBankWorlds } from '../support/bank-world.ts'
import { testEngine } from '../support/database.ts'
import { readPaymentFile } from '../support/read-payment-file.ts'
import { temporaryFolder } from '../support/temp.ts'
import { idsIn, onFullDisk, setPayout, storedOnly } from './filing.ts'

const worlds = createBankWorlds()
after(() => worlds.close())
const newWorld = () => worlds.open()

const minutesBefore = (world: BankWorld, minutes: number) => world.clock.now.getTime() / 1000 - minutes * 60

/** What is stored of a payment file. */
async function contentOf(world: BankWorld, messageId: string): Promise<string> {
  const file = await findFile(world.db, messageId)
  assert.ok(file)
  return openFile(TEST_SECRETS, file)
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

test('no file is written while the clocks of process and database differ: it would name a day that is over, or far away', async () => {
  const world = await newWorld()
  await world.burntRedeem('12.34')
  await world.payDue()
  const right = world.clock.now
  const deps = { ...world.filingDeps(), databaseNow: async () => right }
  for (const [hours, said] of [
    [96, '5760 minutes ahead of'],
    [-96, '5760 minutes behind'],
  ] as const) {
    world.clock.now = new Date(right.getTime() + hours * 3_600_000)
    await assert.rejects(fileWaiting(deps), (error: Error) => error.message.includes(`${said} the database's`))
    assert.equal(await findFile(world.db, 'COIN-00000001'), undefined)
  }
  world.clock.now = new Date(right.getTime() + 3_600_000)
  assert.deepEqual((await fileWaiting(deps)).files, ['COIN-00000001'])
})

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
  const withdrawn = world.db.transaction(async (tx) => {
    await tx.query(`update payment_files set withdrawn_at = now(), withdrawn_for = 'it is in the other one'`)
    assert.equal(await readFilingSeconds(tx), 0)
    throw new Error('undone')
  })
  await assert.rejects(withdrawn, /undone/)
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
  assert.deepEqual(await told(), [0, 0])
})

test('what is to go out in no file any more is not told for ever as waiting for one, nor as not opened', async () => {
  const world = await newWorld()
  const [unpaid, held, opened] = [
    await world.burntRedeem('10'),
    await world.burntRedeem('20'),
    await world.burntRedeem('30'),
  ]
  await world.payDue()
  await world.db.query(
    `update filed_payments set accepted_at = accepted_at - interval '9 minutes', not_opened_since = now()`,
  )
  const told = async () => {
    const { paymentsNotOpened, paymentsNotPutOut } = await readAlarms(world.db)
    return [Math.round((await readFilingSeconds(world.db)) / 60), paymentsNotPutOut, paymentsNotOpened]
  }
  assert.deepEqual(await told(), [9, 3, 3])
  await world.db.transaction((tx) => payoutAdmin.markUnpaid(tx, unpaid.payoutId, 'fraud'))
  await setPayout(world, held.payoutId, `status = 'held', hold_reason = 'by_operator'`)
  assert.deepEqual(await told(), [9, 1, 1])
  await world.db.transaction((tx) => withdrawPayment(tx, opened))
  assert.deepEqual(await told(), [0, 0, 0])
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
  const unreadable: typeof fs.open = async (name, ...how) => {
    if (String(name).endsWith('out/COIN-00000001.xml')) throw new Error('the disk is broken there')
    return await fs.open(name, ...how)
  }
  const broken = { ...world.filingDeps(), fs: { ...fs, open: unreadable } }
  await assert.rejects(fileWaiting(broken), /the disk is broken there/)
  assert.deepEqual((await fs.readdir(world.folders.out)).filter((name) => name.endsWith('.xml')).sort(), [
    'COIN-00000002.xml',
    'COIN-00000003.xml',
  ])
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
})

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

test('nobody changes a payout of a file from when it is looked at until the file is out', async () => {
  const world = await newWorld()
  const { payoutId } = await world.burntRedeem('12.34')
  await storedOnly(world)
  const change = () =>
    world.db.transaction((tx) =>
      tx.query('select from payouts where payout_id = $1 for no key update nowait', [payoutId]),
    )
  let tries = 0
  const link: typeof fs.link = async (from, to) => {
    tries += 1
    // PGlite begins with the other transaction when this one has ended.
    if (testEngine === 'postgres') await assert.rejects(change(), /could not obtain lock/)
    await fs.link(from, to)
  }
  assert.deepEqual((await fileWaiting({ ...world.filingDeps(), fs: { ...fs, link } })).files, ['COIN-00000001'])
  assert.ok(tries > 0)
  await change()
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

test('nothing is put out into a folder that is not the one of before, as where its disk is not mounted', async () => {
  const world = await newWorld()
  await world.burntRedeem('1')
  await world.payDue()
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
  const aside = `${world.folder}-aside`
  await fs.rename(world.folder, aside)
  await assert.rejects(world.file(), /does not hold COIN-00000001/)
  const { endToEndId } = await world.burntRedeem('2')
  await world.payDue()
  await assert.rejects(world.file(), /does not hold COIN-00000001/)
  assert.equal(await findFile(world.db, 'COIN-00000002'), undefined)
  await fs.rm(world.folder, { recursive: true })
  await fs.rename(aside, world.folder)
  assert.deepEqual((await world.file()).files, ['COIN-00000002'])
  assert.deepEqual(await idsIn(world, 'COIN-00000002'), [endToEndId])
})

test('nor the first file of another prefix, whose folder is looked at for the newest of the one before', async () => {
  const world = await newWorld()
  await world.burntRedeem('1')
  await world.payDue()
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
  await world.burntRedeem('2')
  await world.payDue()
  const renamed = { ...world.filingDeps(), setup: { ...PAYMENTS, prefix: 'OTHER' } }
  const elsewhere = { ...renamed, folder: temporaryFolder('bank') }
  await assert.rejects(fileWaiting(elsewhere), /does not hold COIN-00000001/)
  assert.deepEqual((await fileWaiting(renamed)).files, ['OTHER-00000001'])
  await fs.rm(path.join(world.folders.out, 'COIN-00000001.xml'))
  await fs.rm(path.join(world.folders.kept, 'COIN-00000001.xml'))
  await world.burntRedeem('3')
  await world.payDue()
  assert.deepEqual(
    (await fileWaiting(renamed)).files,
    ['OTHER-00000002'],
    'of the prefix of before nothing need be there then',
  )
})

test('a folder that is lost for good is taken once somebody says so with the name of the newest file', async () => {
  const world = await newWorld()
  await world.burntRedeem('1')
  await world.payDue()
  await world.file()
  await fs.rm(world.folder, { recursive: true })
  await assert.rejects(world.file(), /kept\/COIN-00000001\.xml/)
  await fs.writeFile(path.join(world.folders.kept, 'COIN-00000001.xml'), '')
  await world.burntRedeem('2')
  await world.payDue()
  assert.deepEqual((await world.file()).files, ['COIN-00000002'])
})
