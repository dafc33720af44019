// engine: postgres
/** The bank's files, statements and unexplained money through the operator API and the command line. */
// Runbook: A statement is missing
// Runbook: A statement was wrong
// Runbook: A bank file was set aside
// Runbook: Money that nothing explains
import assert from 'node:assert/strict'
import { truncateSync, writeFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { findUnknown, readBack } from '../../src/payment-files/read-back.ts'
import { importFile, readFolder } from '../../src/statements/import.ts'
import { keepBank } from '../support/bank-details.ts'
import { SILENT } from '../support/bank-setup.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { bankNotifies } from '../support/reserve.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

let world: BankWorld
let api: OperatorFixture
const bank = someBank({ fateOf: () => 'paid' })
/** What time it is in the database, where it is another one. */
let databaseNow: Date | undefined
/** Those of the bank profile, where it has others than before. */
let rails: readonly [] | undefined

before(async () => {
  world = await createBankWorld()
  const deps = { ...world.filingDeps(), databaseNow: async () => databaseNow ?? world.clock.now }
  api = await startOperator({
    db: world.db,
    bank: (file) => importFile(world.importDeps, file),
    paymentFiles: {
      place: deps,
      write: () => fileWaiting(rails === undefined ? deps : { ...deps, setup: { ...deps.setup, rails } }),
      findUnknown: (tx) => findUnknown(tx, deps),
      readBack: (also, first) => readBack(deps, also, first),
    },
  })
})
after(async () => {
  await api.close()
  await world.close()
})

/** A file as an operator has it. */
function fileOf(name: string, content: string): string {
  const file = path.join(world.folder, name)
  writeFileSync(file, content)
  return file
}

test('a partner pays from a registered account, and a statement is imported by hand', async () => {
  const { integrationId } = world
  await world.settledMint('100')
  const added = await api.runWith('70001234567', 'integration', 'add-remitter', integrationId, '--account', '-')
  assert.deepEqual(added, { integrationId, remitters: ['…4567'] })
  const { stderr } = await api.cli(
    ['integration', 'add-remitter', world.neighbours.stranger.integrationId, '--account', '-'],
    {},
    '70001234567',
  )
  assert.match(stderr, new RegExp(`registered for ${integrationId}`))
  assert.equal((await api.run('bank', 'awaited')).integrations[0].mints[0].amountMyr, '100')

  bank.deposit(6_000n, { name: 'Partner', account: '70001234567' }, 'monday')
  bank.deposit(55n, { name: 'Somebody', account: '8001234567' }, 'a gift')
  const file = fileOf('statement.xml', bank.closeDay())
  const imported = await api.run('bank', 'import', file)
  const nothing = { repeated: 0, setAside: 0, waiting: 0, reason: null }
  assert.deepEqual(imported, { accepted: 1, matched: 1, unallocated: 2, ...nothing })
  assert.deepEqual(await api.run('bank', 'import', file), { ...imported, accepted: 0, repeated: 1 })
  assert.equal((await api.run('bank', 'awaited')).integrations[0].receivable, '40')
  const [entry] = (await api.run('audit', 'list')).entries
  assert.equal(entry.action, 'bank.import')
})

test('a file that is refused says why, and stays listed', async () => {
  const { code, stdout } = await api.cli(['bank', 'import', fileOf('foreign.xml', bank.foreignStatement()), '--json'])
  const result = JSON.parse(stdout)
  assert.deepEqual([code, result.setAside], [1, 1])
  assert.equal(result.reason.code, 'foreign')
  const { files } = await api.run('bank', 'files', '--set-aside')
  assert.deepEqual(
    files.map((file: { name: string; state: string; code: string }) => [file.name, file.state, file.code]),
    [['foreign.xml', 'set_aside', 'foreign']],
  )
  const all = (await api.run('bank', 'files')).files
  assert.equal(all.length, 2)
  const first = await api.run('bank', 'files', '--limit', '1')
  const second = await api.run('bank', 'files', '--limit', '1', '--after', first.next)
  assert.deepEqual([...first.files, ...second.files], all)
  assert.deepEqual(await api.run('bank', 'files', '--limit', '1', '--after', second.next), { files: [], next: null })
  const { status, body } = await api.call('POST', '/bank/import', { name: 'x', content: 'not base64!' })
  assert.deepEqual([status, body.error.code], [400, 'BAD_REQUEST'])
  const empty = await api.call('POST', '/bank/import', { name: 'x', content: '' })
  assert.deepEqual([empty.status, empty.body.error.message], [400, 'The file is empty: fetch it from the bank again.'])
})

test('money that nothing explains is listed and assigned once, with a reason, and is in the audit log', async () => {
  const { lines } = await api.run('bank', 'unallocated', 'list')
  assert.deepEqual(
    lines.map((line: { amountMyr: string; counterpartyAccount: string | null }) => [
      line.amountMyr,
      line.counterpartyAccount,
    ]),
    [
      ['0.55', '…4567'],
      ['1000000', null],
    ],
  )
  const [gift, opening] = lines
  const assign = (lineId: string, ...options: string[]) =>
    api.cli(['bank', 'unallocated', 'assign', lineId, '--reason', 'letter of Monday', ...options, '--json'])
  assert.match((await assign(gift.lineId)).stderr, /Give exactly one of these.*"ownFunds" \(--own-funds\)\./)
  assert.match((await assign(gift.lineId, '--integration', 'int_nobody')).stderr, /There is no integration/)
  assert.match((await assign(gift.lineId, '--own-funds', '--charges', '1')).stderr, /Give exactly one of these/)
  const done = await assign(gift.lineId, '--own-funds')
  assert.equal(done.code, 0, done.stderr)
  assert.equal(JSON.parse(done.stdout).as, 'own_funds')
  assert.match((await assign(gift.lineId, '--own-funds')).stderr, /No unallocated line has the number/)
  assert.equal((await assign(opening.lineId, '--integration', world.integrationId, '--fees')).code, 0)
  assert.deepEqual((await api.run('bank', 'unallocated', 'list')).lines, [])
  const [look, entry] = (await api.run('audit', 'list')).entries
  assert.deepEqual([look.action, entry.action], ['bank.unallocated.list', 'bank.unallocated.assign'])
  assert.deepEqual([entry.before.state, entry.after.state], ['unallocated', 'assigned'])
  assert.equal(entry.details.reason, 'letter of Monday')
})

test('what a line belongs to is listed and taken back, with a reason, and is in the audit log', async () => {
  const { lines } = await api.run('bank', 'lines', 'list', '--of', 'main')
  const [gift] = lines
  assert.deepEqual([gift.amountMyr, gift.as, gift.belongsTo, gift.state], ['0.55', 'own_funds', 'main', 'assigned'])
  const takeBack = () => api.cli(['bank', 'lines', 'take-back', gift.lineId, '--reason', 'it was a fee', '--json'])
  const done = await takeBack()
  assert.equal(done.code, 0, done.stderr)
  assert.match((await takeBack()).stderr, /There is no line \d+ that belongs to anything/)
  const [entry] = (await api.run('audit', 'list')).entries
  assert.deepEqual([entry.action, entry.details.reason], ['bank.lines.take-back', 'it was a fee'])
  assert.deepEqual([entry.before.state, entry.after.state], ['assigned', 'unallocated'])
  const [again] = (await api.run('bank', 'unallocated', 'list')).lines
  assert.deepEqual([again.lineId, again.reason], [gift.lineId, 'Taken back: it was a fee'])
  // Somebody else reads late that it was no fee of this partner: it may be what it is by now.
  await api.run('bank', 'unallocated', 'assign', gift.lineId, '--own-funds', '--reason', 'it was not')
  const late = async (...from: string[]) =>
    (await api.cli(['bank', 'lines', 'take-back', gift.lineId, ...from, '--reason', 'it is no fee'])).stderr
  assert.match(await late(), /was taken back before, .* say what it is to be taken back from, with --from/)
  assert.match(await late('--from', world.integrationId), /belongs to main now, not to int_\w+\. Nothing was done\./)
  assert.equal(await late('--from', 'main'), '')
  await api.run('bank', 'unallocated', 'assign', gift.lineId, '--own-funds', '--reason', 'it was not')
})

test('lines of what there is not are refused, and of what has none there are none', async () => {
  const listed = (name: string) => api.cli(['bank', 'lines', 'list', '--of', name, '--json'])
  for (const name of ['typo', 'int_nobody', 'po_nobody/1', 'main/typo', 'main/']) {
    const { code, stdout } = await listed(name)
    assert.deepEqual([code, JSON.parse(stdout).error.code], [1, 'NOT_FOUND'], name)
  }
  for (const name of [world.neighbours.stranger.integrationId, 'main/main']) {
    const { code, stdout } = await listed(name)
    assert.deepEqual([code, JSON.parse(stdout)], [0, { lines: [], next: null }], name)
  }
})

test('statements say what the reserve is, and which one is missing', async () => {
  bank.deposit(100n, { name: 'P', account: '8001234567' }, 'x')
  const lost = bank.closeDay()
  bank.deposit(100n, { name: 'P', account: '8001234567' }, 'y')
  const result = await api.run('bank', 'import', fileOf('later.xml', bank.closeDay()))
  assert.deepEqual([result.accepted, result.waiting], [1, 1])
  const before = await api.run('bank', 'statements')
  assert.equal(before.accounts[0].closing, '1000060.55')
  assert.match(before.waiting[0].missing, /closed on 2026-11-20 with RM 1,000,060.55\), before 2026-11-22/)
  const { stdout } = await api.cli(['bank', 'statements'])
  assert.match(stdout, /Waiting for a statement that is missing/)
  await api.run('bank', 'import', fileOf('lost.xml', lost))
  assert.deepEqual((await api.run('bank', 'statements')).waiting, [])
  assert.equal((await api.run('bank', 'statements')).accounts[0].closing, '1000062.55')
})

test('a wrong statement that waits is withdrawn, and then the one that replaces it is taken', async () => {
  bank.deposit(100n, { name: 'P', account: '8001234567' }, 'z')
  const right = bank.closeDay()
  const sums = (xml: string, ...sen: [string, string][]) =>
    sen.reduce((text, [is, was]) => text.replaceAll(is, was), xml)
  const wrong = sums(right, ['1000062.55', '1000062.56'], ['1000063.55', '1000063.56'])
    .replace(/<MsgId>.*?</, '<MsgId>WRONG<')
    .replace(/<Stmt>\s*<Id>.*?</, '<Stmt><Id>WRONG<')
  assert.equal((await api.run('bank', 'import', fileOf('wrong.xml', wrong))).waiting, 1)
  const [waiting] = (await api.run('bank', 'statements')).waiting
  assert.equal(waiting.statementId, 'WRONG')
  const named = async () => {
    const { differences } = (await api.call('GET', '/reconcile')).body
    const all: string[] = differences.map(({ kind, subject }: Record<string, string>) => `${kind} ${subject}`)
    return all.filter((name) => name.includes('WRONG'))
  }
  assert.deepEqual(await named(), ['statement_missing main/WRONG'])
  const withdraw = (no: string, ...options: string[]) => api.cli(['bank', 'statements', 'withdraw', no, ...options])
  assert.match((await withdraw(waiting.statementNo)).stderr, /--reason/)
  const why = ['--reason', 'mail of the bank of Monday', '--json']
  assert.match((await withdraw('99', ...why)).stderr, /There is no statement 99. List them with "coin bank statements"/)
  assert.match((await withdraw('x', ...why)).stderr, /statementNo/)
  const [applied] = await world.db.query<{ n: bigint }>(
    'select max(statement_no) as n from bank_statements where position > 0',
  )
  const refused = await withdraw(String(applied?.n), ...why)
  assert.deepEqual(
    [refused.code, /its lines are booked: only a statement that waits can be withdrawn/.test(refused.stderr)],
    [1, true],
  )

  const done = JSON.parse((await withdraw(waiting.statementNo, ...why)).stdout)
  const { statementNo } = waiting
  assert.deepEqual(done, {
    statementNo,
    bankAccount: 'main',
    statementId: 'WRONG',
    state: 'withdrawn',
    reason: 'mail of the bank of Monday',
    withdrawnBefore: null,
  })
  const again = JSON.parse((await withdraw(statementNo, '--reason', 'twice', '--json')).stdout)
  assert.deepEqual([again.reason, again.withdrawnBefore !== null], ['mail of the bank of Monday', true])
  const [second, first] = (await api.run('audit', 'list', '--target', statementNo)).entries
  assert.deepEqual(
    [first.action, first.details.reason, first.details.statement],
    ['bank.statements.withdraw', 'mail of the bank of Monday', 'main/WRONG'],
  )
  assert.deepEqual([first.before.state, first.after.state, second.before.state], ['waiting', 'withdrawn', 'withdrawn'])
  const { files } = await api.run('bank', 'files', '--limit', '1')
  assert.deepEqual([files[0].name, files[0].state, files[0].code], ['wrong.xml', 'withdrawn', 'withdrawn'])
  assert.match(files[0].reason, /nothing of it is booked: main\/WRONG \(mail of the bank of Monday\)\./)
  const told = await api.run('bank', 'import', fileOf('wrong.xml', wrong))
  assert.deepEqual([told.repeated, told.waiting, told.reason.code], [1, 0, 'withdrawn'])
  assert.match(
    told.reason.sentence,
    /^Withdrawn since, .*nothing of it is booked: main\/WRONG \(mail of the bank of Monday\)\./,
  )

  assert.deepEqual((await api.run('bank', 'statements')).waiting, [])
  assert.equal((await api.run('bank', 'import', fileOf('right.xml', right))).accepted, 1)
  assert.equal((await api.run('bank', 'statements')).accounts[0].closing, '1000063.55')
  assert.deepEqual(await named(), [])
})

test('the statements of an account that were applied are listed, with the days of which none is', async () => {
  const list = (...options: string[]) => api.run('bank', 'statements', 'list', '--of', 'main', ...options)
  const before = (await list()).statements
  assert.deepEqual(
    before.map(({ daysWithout }: { daysWithout: string | null }) => daysWithout),
    before.map(() => null),
  )
  // Nothing moves on the first day, and its statement never comes.
  bank.closeDay()
  bank.deposit(300n, { name: 'Late', account: '8001234567' }, 'after a quiet day')
  bank.deposit(5n, { name: 'Late', account: '8001234567' }, 'and more')
  await api.run('bank', 'import', fileOf('after.xml', bank.closeDay()))
  const { statements, next } = await list()
  const [newest, ...others] = statements
  assert.deepEqual([others, next], [before, null])
  const { openedOn, opening, closing, lines, daysWithout, file } = newest
  const [quiet] = await world.db.query<{ day: string }>('select ($1::date + 1)::text as day', [before[0].closedOn])
  assert.ok(openedOn > (quiet?.day ?? ''))
  assert.deepEqual([opening, closing, lines], [before[0].closing, '1000066.6', 2])
  assert.deepEqual([daysWithout, file], [quiet?.day, 'after.xml'])
  const first = await list('--limit', '1')
  const rest = await list('--after', first.next)
  assert.deepEqual([...first.statements, ...rest.statements], statements)
  assert.match((await api.cli(['bank', 'statements', 'list', '--of', 'main'])).stdout, /after\.xml/)
  assert.match((await api.cli(['bank', 'statements', 'list', '--of', 'none'])).stderr, /No bank account .* called none/)
})

test('what the bank has corrected is said to the sen, also when it is less, of a statement that waits', async () => {
  const bridge = (difference: string) =>
    api.cli(['bank', 'statements', 'bridge', '99', '--difference', difference, '--reason', 'a mail'])
  assert.match((await bridge('-1.50')).stderr, /No statement with the number 99 waits/)
  assert.match((await bridge('0')).stderr, /No statement with the number 99 waits/)
  const inParts = (parts: string) =>
    api.cli(['bank', 'statements', 'bridge', '99', '--difference', '1', '--parts', parts, '--reason', 'a mail'])
  assert.match((await inParts('-1,2')).stderr, /No statement with the number 99 waits/)
  assert.match((await inParts('1,0')).stderr, /"parts" must be at most 100 amounts other than 0/)
  assert.match((await inParts('1,')).stderr, /"parts" must be ringgit/)
  for (const none of ['-0', '1.505', '--1']) assert.match((await bridge(none)).stderr, /must be ringgit/)
})

test('payment files are written at once on demand, and read back after a restore', async () => {
  await world.burntRedeem('10')
  await world.payDue()
  assert.deepEqual(await api.run('bank', 'export'), { files: ['COIN-00000001'], withdrawn: [] })
  assert.deepEqual(await api.run('bank', 'export'), { files: [], withdrawn: [] })
  assert.deepEqual(await api.run('bank', 'read-back', '--reason', 'a drill'), { files: [] })
  const [entry] = (await api.run('audit', 'list')).entries
  assert.equal(entry.action, 'bank.read-back')
})

test('who puts payment files out is told why a payment is in none of them', async () => {
  const { endToEndId } = await world.burntRedeem('11')
  await world.payDue()
  rails = []
  const waits = [`No rail carries ${endToEndId} any more.`]
  assert.deepEqual(await api.run('bank', 'export'), { files: [], withdrawn: [], waits })
  rails = undefined
  assert.equal((await api.run('bank', 'export')).files.length, 1)
})

test('who puts payment files out is told why their folder cannot be used, and what waits goes out once it can', async () => {
  await world.burntRedeem('13')
  await world.payDue(false)
  const kept = path.join(world.folder, 'kept')
  await fs.rename(kept, `${kept}.aside`)
  await fs.writeFile(kept, '')
  for (const command of [['export'], ['read-back', '--reason', 'a drill']]) {
    const { code, stderr } = await api.cli(['bank', ...command])
    assert.equal(code, 1)
    assert.match(stderr, /\/kept.* cannot be used: (it is a file|a part of its path is a file)\. Put that right/)
  }
  await fs.rm(kept)
  await fs.rename(`${kept}.aside`, kept)
  assert.equal((await api.run('bank', 'export')).files.length, 1)
})

test('where the clock of the operator process is wrong, putting payment files out says so', async () => {
  databaseNow = new Date(world.clock.now.getTime() + 2 * 3_600_000)
  const { code, stderr } = await api.cli(['bank', 'export'])
  databaseNow = undefined
  assert.equal(code, 1)
  assert.match(stderr, /the clock of this process is 120 minutes behind the database's/)
  assert.deepEqual(await api.run('bank', 'export'), { files: [], withdrawn: [] })
})

test('a payout in a file that may be on its way is not marked as paid; held, it is in no file, and can be', async () => {
  const { payoutId, endToEndId } = await world.burntRedeem('11')
  await world.payDue(false)
  const disk = { isFull: true }
  const link: typeof fs.link = async (from, to) => {
    if (disk.isFull) throw new Error('the disk is full')
    await fs.link(from, to)
  }
  await assert.rejects(fileWaiting(world.filingDeps({ ...fs, link })), /the disk is full/)
  assert.equal((await api.run('payout', 'hold', payoutId, '--reason', 'paid by cheque')).payout.status, 'held')
  const refused = await api.cli(['payout', 'mark-paid', payoutId, '--reference', 'CHEQUE 7'])
  assert.equal(refused.code, 1)
  const [, messageId] =
    /is in (COIN-\d+), which may be on its way to the bank: run "coin bank export" first/.exec(refused.stderr) ?? []
  const reason = `${endToEndId}: ${payoutId} is held`
  assert.deepEqual(await api.run('bank', 'export'), {
    files: [],
    withdrawn: [{ messageId, reason }],
  })
  assert.equal((await api.run('payout', 'mark-paid', payoutId, '--reference', 'CHEQUE 7')).payout.status, 'sent')
  assert.deepEqual(await api.run('bank', 'export'), { files: [], withdrawn: [] })
})

test('a payment is shown with the account that its payment file names, whatever its customer’s was when it was asked for again', async () => {
  const { customerId } = world
  const { payoutId } = await world.burntRedeem('14')
  await world.payDue()
  await api.run('bank', 'export')
  const shown = async () => (await api.run('payout', 'show', payoutId)).payout.payments[0]
  const { bankAccount, bankName } = await shown()
  // After a restore the payout is asked for with the account that operators have set since.
  const later = await keepBank(
    world.db,
    { bic: 'CIBBMYKL', account: '8009999999', name: 'Somebody Later' },
    { customerId },
  )
  await withoutGuards(world.db, async (tx) => {
    await tx.query('update payouts set bank_id = $2 where payout_id = $1', [payoutId, later])
    await tx.query('update payout_attempts set bank_id = $2 where payout_id = $1', [payoutId, later])
  })
  assert.deepEqual(await shown().then((now) => [now.bankAccount, now.bankName]), [bankAccount, bankName])
})

test('a payout is shown with the payment file that it is in, and what the bank reported although nothing follows from it', async () => {
  const { payoutId } = await world.burntRedeem('13')
  await world.payDue()
  const told = async () => {
    const [{ paymentFile, reported, reportedAt }] = (await api.run('payout', 'show', payoutId)).payout.payments
    return [paymentFile, reported, reportedAt === null]
  }
  assert.deepEqual(await told(), [null, null, true])
  const { files } = await api.run('bank', 'export')
  bank.receive(await world.outFile(files[0]))
  assert.deepEqual(await told(), [files[0], null, true])
  await api.run('bank', 'import', fileOf('cancelled.xml', bank.report(files[0], { code: 'CANC', reason: 'CUST' })))
  assert.deepEqual(await told(), [files[0], 'CANC CUST', false])
  assert.equal((await api.run('payout', 'show', payoutId)).payout.status, 'sent')
  await api.run('bank', 'import', fileOf('carried-out.xml', bank.closeDay()))
})

test('a payment that came back less charges is assigned with them, to the sen, and the audit log has them', async () => {
  const { payoutId } = await world.burntRedeem('12')
  await world.payDue()
  const { files } = await api.run('bank', 'export')
  bank.receive(await world.outFile(files[0]))
  await api.run('bank', 'import', fileOf('paid.xml', bank.closeDay()))
  bank.deposit(1_050n, { name: 'Bank', account: '8001234567' }, 'returned')
  await api.run('bank', 'import', fileOf('returned.xml', bank.closeDay()))
  const lines: { lineId: string; amountMyr: string }[] = (await api.run('bank', 'unallocated', 'list')).lines
  const line = lines.find(({ amountMyr }) => amountMyr === '10.5')?.lineId ?? ''
  const assign = (...options: string[]) =>
    api.cli(['bank', 'unallocated', 'assign', line, '--payout', payoutId, '--reason', 'mail', ...options, '--json'])
  assert.match((await assign()).stderr, /the charges of the bank would be RM 1\.50\./)
  assert.match((await assign('--charges', '1.505')).stderr, /at most two decimals/)
  assert.match((await assign('--charges', '1.51')).stderr, /the charges of the bank would be RM 1\.50\./)
  assert.equal(JSON.parse((await assign('--charges', '1.50')).stdout).as, 'payout')
  assert.equal((await api.run('payout', 'show', payoutId)).payout.status, 'returned')
  const [, entry] = (await api.run('audit', 'list')).entries
  assert.deepEqual([entry.details.chargesMyr, entry.details.amountMyr], ['1.50', '10.5'])
})

test('the line of a payment is replaced by another one, and the audit log names both', async () => {
  const { payoutId } = await world.burntRedeem('14')
  await world.payDue()
  const { files } = await api.run('bank', 'export')
  bank.receive(await world.outFile(files[0]))
  bank.withdraw(1_420n, { name: 'Bank', account: '8001234567' }, 'it was this one')
  await api.run('bank', 'import', fileOf('both.xml', bank.closeDay()))
  const [paying] = (await api.run('bank', 'lines', 'list', '--of', payoutId)).lines
  const unallocated: { lineId: string; amountMyr: string }[] = (await api.run('bank', 'unallocated', 'list')).lines
  const other = unallocated.find(({ amountMyr }) => amountMyr === '-14.2')?.lineId ?? ''
  const takeBack = (...options: string[]) =>
    api.cli(['bank', 'lines', 'take-back', paying.lineId, '--reason', 'mail', ...options, '--json'])
  assert.match((await takeBack()).stderr, /run this with --replaced-by and that line/)
  assert.match((await takeBack('--charges', '0.20')).stderr, /are said of the line in "replacedBy"/)
  const by = ['--replaced-by', other]
  assert.match(
    (await takeBack(...by, '--charges', '0.20', '--surplus', '1')).stderr,
    /Give either "charges" or "surplus"/,
  )
  assert.match((await takeBack(...by)).stderr, /the charges of the bank would be RM 0\.20\./)
  assert.match((await takeBack('--replaced-by', '999')).stderr, /No unallocated line has the number 999/)
  const done = JSON.parse((await takeBack(...by, '--charges', '0.20')).stdout)
  assert.deepEqual([done.belongedTo, done.replacedBy], [`${payoutId}/1`, other])
  const [entry] = (await api.run('audit', 'list')).entries
  const { replacedBy, charges, to } = entry.details
  assert.deepEqual([entry.action, replacedBy, charges, to], ['bank.lines.take-back', other, '0.20', `${payoutId}/1`])
  const [now] = (await api.run('bank', 'lines', 'list', '--of', payoutId)).lines
  assert.deepEqual([now.lineId, now.state, now.amountMyr], [other, 'assigned', '-14.2'])
  assert.equal((await api.run('payout', 'show', payoutId)).payout.status, 'paid')
  await api.run('bank', 'unallocated', 'assign', paying.lineId, '--own-funds', '--reason', 'it was ours')
})

test('a statement whose entry its transactions do not make is set aside, and taken as booked with a reason', async () => {
  bank.deposit(9_850n, { name: 'Abroad', account: '8001234567' }, 'less charges')
  const xml = bank.closeDay().replace(/(<TxDtls>[\s\S]*?<Amt Ccy="MYR">)98\.50/, '$1100.00')
  const file = fileOf('less.xml', xml)
  const { code, stdout } = await api.cli(['bank', 'import', file, '--json'])
  assert.deepEqual([code, JSON.parse(stdout).reason.code], [1, 'inconsistent_sums'])
  const taken = await api.run('bank', 'import', file, '--as-booked', 'mail of the bank')
  assert.deepEqual([taken.accepted, taken.unallocated], [1, 2])
  const lines: { amountMyr: string; remittance: string }[] = (await api.run('bank', 'unallocated', 'list')).lines
  assert.deepEqual(
    lines.slice(-2).map(({ amountMyr, remittance }) => [amountMyr, remittance]),
    [
      ['100', 'less charges'],
      ['-1.5', 'Charges, or what else the bank booked'],
    ],
  )
  assert.equal(await world.balanceSen('reserve:main'), bank.balanceSen())
  const entries = (await api.run('audit', 'list')).entries
  const entry = entries.find(({ action }: { action: string }) => action === 'bank.import')
  assert.deepEqual(entry.details, { name: 'less.xml', asBooked: 'mail of the bank' })
  assert.deepEqual((await api.run('bank', 'files', '--set-aside')).files.length, 1)
})

test('a file of the folder that is too large to be read is listed among those that were set aside, with the reason', async () => {
  const name = path.join(world.folders.in, 'endless.xml')
  writeFileSync(name, '')
  truncateSync(name, 16 * 2 ** 20 + 1)
  await readFolder({ ...world.importDeps, folder: world.folder, logger: SILENT, minAgeMs: Number.NEGATIVE_INFINITY })
  const [file] = (await api.run('bank', 'files', '--set-aside')).files
  assert.deepEqual([file.name, file.code, file.state], ['endless.xml', 'too_large', 'set_aside'])
})

test('a file that is larger than any that is taken in is refused by the command itself, whatever its size', async () => {
  const file = fileOf('huge.xml', '')
  for (const size of [16 * 2 ** 20 + 1, 3 * 2 ** 30]) {
    truncateSync(file, size)
    const { code, stderr } = await api.cli(['bank', 'import', file])
    assert.equal(code, 1)
    assert.match(
      stderr,
      new RegExp(`huge.xml has ${size} bytes, and 16777216 are the most: ask for it in several files`),
    )
  }
})

test('a statement that names a payment file of which only the folder knows is not imported, and can be once that is known', async () => {
  bank.withdraw(12_345n, { name: 'Somebody', account: '8001234567' }, 'BULK COIN-00000099 2 TXN')
  const file = fileOf('early.xml', bank.closeDay())
  const lost = path.join(world.folders.out, 'COIN-00000099.xml')
  writeFileSync(lost, 'sent in a history that the database has lost')
  const { code, stderr } = await api.cli(['bank', 'import', file])
  assert.equal(code, 1)
  assert.match(stderr, /COIN-00000099 lies in the folder.*bank read-back.*Then import it again/s)
  await api.cli(['bank', 'export'])
  assert.match(
    (await api.cli(['bank', 'statements'])).stdout,
    /^Payment files are stopped since .*Run "coin bank read-back --reason …"\.$/m,
  )
  await fs.rm(lost)
  await api.run('bank', 'read-back', '--reason', 'it was nobody’s')
  assert.equal((await api.run('bank', 'statements')).filesStopped, null)
  assert.deepEqual((await api.run('bank', 'import', file)).accepted, 1)
})

test('bank export says that the folder is not the one of before', async () => {
  await world.burntRedeem('1')
  await world.payDue()
  const { files } = await api.run('bank', 'export')
  assert.equal(files.length, 1)
  await fs.rename(world.folder, `${world.folder}-aside`)
  const { code, stderr } = await api.cli(['bank', 'export'])
  assert.equal(code, 1)
  assert.match(
    stderr,
    new RegExp(`does not hold ${files[0]}, which was put out, or of which a bank has reported: is its disk mounted`),
  )
  await fs.rm(world.folder, { recursive: true })
  await fs.rename(`${world.folder}-aside`, world.folder)
  assert.deepEqual((await api.run('bank', 'export')).files, [])
})

test('a debit that is two payouts is allocated by the command, listed by what it is made of, and taken back', async () => {
  const payoutIds = [(await world.burntRedeem('31')).payoutId, (await world.burntRedeem('42')).payoutId]
  await world.payDue()
  bank.withdraw(7_300n, { name: 'Bank', account: '8001234567' }, 'bulk')
  await api.run('bank', 'import', fileOf('bulk.xml', bank.closeDay()))
  const debitOf = async () =>
    (await api.run('bank', 'unallocated', 'list')).lines.find(
      ({ amountMyr }: Record<string, string>) => amountMyr === '-73',
    )
  const { lineId, madeOf } = await debitOf()
  assert.equal(madeOf, null)
  const because = ['--reason', 'the bank says so']
  const done = await api.run('bank', 'unallocated', 'allocate', lineId, '--payouts', payoutIds.join(','), ...because)
  assert.deepEqual([done.lines, done.amountMyr, done.made.length], [[lineId], '-73', 2])
  for (const payoutId of payoutIds) {
    const { lines } = await api.run('bank', 'lines', 'list', '--of', payoutId)
    assert.equal(lines[0].madeOf, lineId)
    await api.run('bank', 'lines', 'take-back', lines[0].lineId, ...because)
    assert.equal(await world.payoutStatus(payoutId), 'sent')
  }
  assert.equal((await debitOf()).lineId, lineId)
  // Booked once more it is what is claimed back, payout by payout.
  await api.run('bank', 'unallocated', 'allocate', lineId, '--payouts', payoutIds.join(','), ...because)
  bank.withdraw(7_300n, { name: 'Bank', account: '8001234567' }, 'bulk')
  await api.run('bank', 'import', fileOf('bulk-again.xml', bank.closeDay()))
  const again = await debitOf()
  const claims = ['--claims', payoutIds.join(',')]
  const claimed = await api.run('bank', 'unallocated', 'allocate', again.lineId, ...claims, ...because)
  assert.deepEqual(
    claimed.made.map(({ assignedTo }: Record<string, string>) => assignedTo),
    payoutIds.map((payoutId) => `${payoutId}/1/claim/1`),
  )
  const [first = ''] = payoutIds
  const shownOf = async () => (await api.run('payout', 'show', first)).payout.claims
  const [{ bookedOn, place, ...open }, ...more] = await shownOf()
  assert.deepEqual([open, more], [{ claim: `${first}/1/claim/1`, lineId: claimed.made[0].lineId, amountMyr: '31' }, []])
  assert.match(`${place} ${bookedOn}`, /^main\/\S+ 20\d\d-\d\d-\d\d$/)
  assert.match((await api.cli(['payout', 'show', first])).stdout, /^claims:\n {2}- claim=po_\w+\/1\/claim\/1 lineId=/m)
  await api.run('bank', 'lines', 'take-back', open.lineId, ...because)
  assert.deepEqual(await shownOf(), [])
})

test('what of a file was left out is said, and is in the audit log', async () => {
  const dollars = someBank({ seed: 'usd', account: '514077777777' }).closeDay().replaceAll('MYR', 'USD')
  const other = /<Stmt>[\s\S]*<\/Stmt>/.exec(dollars)?.[0] ?? ''
  const file = fileOf(
    'both.xml',
    someBank({ account: '514099999999' })
      .closeDay()
      .replace(/<MsgId>/, '<MsgId>BOTH')
      .replace('</Stmt>', () => `</Stmt>${other}`),
  )
  const { accepted, reason } = await api.run('bank', 'import', file)
  assert.deepEqual([accepted, reason.sentence], [1, 'Left out: …7777: It is not kept in MYR.'])
  const [entry] = (await api.run('audit', 'list')).entries
  assert.deepEqual(entry.details, { name: 'both.xml', leftOut: reason.sentence })
})

test('what the bank has notified and no statement has shown yet is listed where it is counted: nobody saw of what the sum is', async () => {
  const notified = async () => (await api.run('bank', 'statements')).notified
  assert.deepEqual(await notified(), [])
  const [newest] = (await api.run('bank', 'statements', 'list', '--of', 'main')).statements
  const closed = Date.parse(newest.closedOn)
  const day = (after: number) => new Date(closed + after * 86_400_000).toISOString().slice(0, 10)
  const notify = (amount: bigint, after: number, rest: Parameters<typeof bankNotifies>[2] = {}) =>
    bankNotifies(world.db, amount * 1_000_000n, {
      ...rest,
      inDays: Math.round((closed - Date.parse(new Date().toISOString().slice(0, 10))) / 86_400_000) + after,
    })
  await notify(7n, 1, { endToEndId: 'THEIRS' })
  await notify(-2n, 2, { servicerReference: 'B-1' })
  await notify(9n, 1, { bankAccount: 'never-stated' })
  // The day of a statement that has come is a difference of reconcile; what it shows is none.
  await notify(5n, -1)
  await notify(3n, 1, { endToEndId: 'SHOWN' })
  await withoutGuards(world.db, (tx) =>
    tx.query(`update bank_notified set is_shown = true where end_to_end_id = 'SHOWN'`),
  )
  const rows = (await notified()) as Record<string, string | null>[]
  const left = rows.map(({ importedAt, ...row }) => ({ ...row, isTimed: Date.parse(importedAt ?? '') > 0 }))
  const none = { endToEndId: null, reference: null, isTimed: true }
  assert.deepEqual(left, [
    { ...none, bankAccount: 'main', bookedOn: day(2), amount: '-2', reference: 'B-1' },
    { ...none, bankAccount: 'main', bookedOn: day(1), amount: '7', endToEndId: 'THEIRS' },
    { ...none, bankAccount: 'never-stated', bookedOn: day(1), amount: '9' },
  ])
  const { stdout } = await api.cli(['bank', 'statements'])
  assert.match(stdout, /\nNotified, and on no statement yet:\n.*\n.*-2.*\n.*THEIRS/)
})
