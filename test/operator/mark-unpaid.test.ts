// engine: postgres
/** What counts as sent, or as paid by hand, and was never paid: two people say so, and then it can be paid or refunded. */
// Runbook: A payout was sent and never paid
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { addDays } from '../../src/bank-files/day.ts'
import type { Queryable } from '../../src/db/database.ts'
import { checkBooks } from '../../src/operator/reconcile/turns.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { markPaid } from '../../src/payouts/record-news.ts'
import { importFile } from '../../src/statements/import.ts'
import { SILENT } from '../support/bank-setup.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import type { BankStatus } from '../support/fake-bank/messages.ts'
import { someBank } from '../support/statements.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

const PAYEE = { name: 'Payee', account: '8001234567' }

let world: BankWorld
let api: OperatorFixture
/** The bank says nothing of its own accord, and carries nothing out until it is told to. */
const bank = someBank({ openingSen: 0n, fateOf: () => 'pending' })

const logged: string[] = []
const logger = {
  ...SILENT,
  error: (fields: object, message: string) => void logged.push(`${Object.values(fields).join(' ')} ${message}`),
}

before(async () => {
  world = await createBankWorld()
  const deps = world.filingDeps()
  api = await startOperator({
    db: world.db,
    bank: (file) => importFile({ ...world.importDeps, logger }, file),
    paymentFiles: {
      place: deps,
      write: () => fileWaiting(deps),
      findUnknown: async () => ({ files: [], problems: [] }),
      readBack: async () => ({ files: [], problems: [] }),
    },
  })
})
after(async () => {
  await api.close()
  await world.close()
})

/** A payout in a file that the bank has taken. */
async function filed(amount: string) {
  const redeem = await world.burntRedeem(amount)
  await world.payDue()
  const { files } = await api.run('bank', 'export')
  bank.receive(await world.outFile(files[0]))
  return { ...redeem, file: String(files[0]) }
}

const unpaid = (payoutId: string, payment?: string) => {
  const named = payment === undefined ? [] : ['--payment', payment]
  return api.cli(['payout', 'mark-unpaid', payoutId, ...named, '--reason', 'letter of the bank', '--json'])
}
const statusOf = (payoutId: string) => world.payoutStatus(payoutId)
async function books(): Promise<void> {
  assert.deepEqual(
    (await checkBooks(world.db)).filter(({ what }) => what === 'payable' || what === 'sent'),
    [],
  )
  assert.equal(await world.balanceSen('reserve:main'), bank.balanceSen())
}

test('what the bank has lost is owed again, is in the audit log, and is paid by another payment', async () => {
  const { payoutId } = await filed('10')
  assert.equal(await statusOf(payoutId), 'sent')
  assert.match((await api.cli(['payout', 'retry', payoutId])).stderr, /nothing to retry/)
  const done = await unpaid(payoutId)
  assert.equal(JSON.parse(done.stdout).payout.status, 'rejected', done.stderr)
  assert.match((await unpaid(payoutId)).stderr, /is \w+, and only one that is/)
  assert.equal(await world.balanceSen('payout_clearing:bank_files'), 0n)
  const [entry] = (await api.run('audit', 'list')).entries
  assert.deepEqual([entry.action, entry.details.reason], ['payout.mark-unpaid', 'letter of the bank'])
  assert.deepEqual([entry.before.status, entry.after.status], ['sent', 'rejected'])
  await api.run('payout', 'retry', payoutId)
  await world.payDue()
  assert.equal(await statusOf(payoutId), 'sent')
  await books()
})

test('what is said of one payment is not taken for the next, where somebody else has had it paid again meanwhile', async () => {
  const { payoutId } = await filed('10')
  const seen = async () => {
    const { asSeen } = await api.run('payout', 'show', payoutId)
    return { 'x-seen': encodeURIComponent(asSeen) }
  }
  const target = `/payouts/${payoutId}/mark-unpaid`
  const say = (headers: Record<string, string>, payment?: string) =>
    api.call('POST', target, { reason: 'letter of the bank', payment }, headers)
  const [one, another] = [await seen(), await seen()]
  assert.equal((await say(one)).status, 200)
  await api.run('payout', 'retry', payoutId)
  await world.payDue()
  assert.equal(await statusOf(payoutId), 'sent')
  const { endToEndId } = (await api.run('payout', 'show', payoutId)).payout
  const late = await say(another, endToEndId)
  assert.deepEqual([late.status, late.body.error?.code], [409, 'CONFLICT'])
  assert.match(late.body.error.message, new RegExp(`^${payoutId} is no longer what you have seen. Nothing was done`))
  assert.equal(await statusOf(payoutId), 'sent')
  assert.equal((await say(await seen(), endToEndId)).status, 200)
  await books()
})

test('a letter about one payment is not taken for the next: who types late from it names that payment', async () => {
  const { payoutId, endToEndId: first } = await filed('21')
  assert.match(
    (await unpaid(payoutId, 'COINNOTTHERE')).stderr,
    /COINNOTTHERE is not the payment of po_\w+ that counts now/,
  )
  assert.equal(JSON.parse((await unpaid(payoutId, first.toLowerCase())).stdout).status, 'rejected')
  await api.run('payout', 'retry', payoutId)
  await world.payDue()
  assert.equal(await statusOf(payoutId), 'sent')
  const { endToEndId: second } = (await api.run('payout', 'show', payoutId)).payout
  const late = await unpaid(payoutId, first)
  assert.match(
    late.stderr,
    new RegExp(`${first} is payment 1 of ${payoutId}, which is rejected; .* is payment 2, ${second}.`),
  )
  assert.match((await unpaid(payoutId)).stderr, /Say which was never made, .* --payment … --reason …"/)
  assert.equal(await statusOf(payoutId), 'sent')
  assert.equal(JSON.parse((await unpaid(payoutId, second)).stdout).status, 'rejected')
  const [entry] = (await api.run('audit', 'list', '--target', payoutId)).entries
  assert.equal(entry.details.payment, second)
  await books()
})

test('a letter about a payment of the rail is not taken for the one that was made by hand instead, nor that for the next by hand', async () => {
  const { payoutId, endToEndId } = await filed('22')
  const byHand = (reference: string) => api.run('payout', 'mark-paid', payoutId, '--reference', reference)
  await unpaid(payoutId, endToEndId)
  await byHand('CHEQUE 8')
  for (const named of [undefined, endToEndId])
    assert.match(
      (await unpaid(payoutId, named)).stderr,
      /never made|is payment 1 .* by hand that is recorded under CHEQUE 8/,
    )
  assert.equal(await statusOf(payoutId), 'paid_by_hand')
  assert.equal(JSON.parse((await unpaid(payoutId, 'CHEQUE 8')).stdout).status, 'returned')
  const again = await api.cli(['payout', 'mark-paid', payoutId, '--reference', 'CHEQUE 8'])
  assert.match(again.stderr, /has recorded CHEQUE 8 as the payment of po_\w+ at \S+, and that has come back since/)
  await byHand('CHEQUE 9')
  assert.match((await unpaid(payoutId, 'CHEQUE 8')).stderr, /CHEQUE 8 is not the payment of po_\w+ that counts now/)
  assert.equal(JSON.parse((await unpaid(payoutId, 'CHEQUE 9')).stdout).status, 'returned')
  await books()
})

/** A transaction that has done its work and waits with its commit. */
async function open(work: (tx: Queryable) => Promise<unknown>): Promise<() => Promise<void>> {
  const [worked, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ended = world.db.transaction(async (tx) => {
    await work(tx)
    worked.resolve()
    await committing.promise
  })
  await Promise.race([worked.promise, ended])
  return async () => {
    committing.resolve()
    await ended
  }
}

async function untilSomebodyWaits(): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await waitFor('a transaction to wait', async () => (await world.db.query(waiting)).length > 0)
}

test('what its rail calls paid while somebody calls it unpaid is told from what it has not', async () => {
  const { payoutId } = await filed('25')
  const said = { bankAccount: 'http', reference: 'H', effectiveAt: new Date() }
  const commit = await open((tx) => markPaid(tx, { payoutId, attempt: 1 }, said))
  const calling = unpaid(payoutId)
  await untilSomebodyWaits()
  await commit()
  assert.match((await calling).stderr, /No statement of the account that it left was taken in/)
  assert.equal(await statusOf(payoutId), 'paid')
})

test('a hold that comes in between is not released by who has seen the one before', async () => {
  const { payoutId } = await world.burntRedeem('26')
  await api.run('payout', 'hold', payoutId, '--reason', 'a look')
  const { asSeen } = await api.run('payout', 'show', payoutId)
  const commit = await open(async (tx) => {
    await payoutAdmin.release(tx, payoutId)
    await payoutAdmin.hold(tx, payoutId)
  })
  const headers = { 'x-seen': encodeURIComponent(asSeen) }
  const releasing = api.call('POST', `/payouts/${payoutId}/release`, { reason: 'fine' }, headers)
  await untilSomebodyWaits()
  await commit()
  assert.equal((await releasing).status, 409)
  assert.equal(await statusOf(payoutId), 'held')
})

test('what the bank says after all that it has is not paid again', async () => {
  const { payoutId, file } = await filed('11')
  const says = async (status: BankStatus, at: string) => {
    const xml = bank.report(file, status).replaceAll('T18:00:00', `T${at}`)
    await api.run('bank', 'import', fileNamed(xml))
  }
  await says({ code: 'ACSP' }, '17:00:00')
  await unpaid(payoutId)
  assert.equal(await statusOf(payoutId), 'rejected')
  await says({ code: 'ACSC' }, '17:30:00')
  assert.equal(await statusOf(payoutId), 'sent')
  await unpaid(payoutId)
  bank.settlePending()
  await api.run('bank', 'import', fileNamed(bank.closeDay()))
  assert.equal(await statusOf(payoutId), 'paid')
  assert.match((await unpaid(payoutId)).stderr, /A statement shows that po_\w+ was paid: main\//)
  await books()
})

test('what counts as paid by hand and was not is owed again, unless its debit is assigned', async () => {
  const { payoutId } = await world.burntRedeem('13')
  const paid = async (reference: string) =>
    (await api.run('payout', 'mark-paid', payoutId, '--reference', reference)).payout.status
  await api.run('payout', 'hold', payoutId, '--reason', 'a look')
  const references = async () => {
    const { payout } = await api.run('payout', 'show', payoutId)
    return [payout.railReference, payout.payments[0].railReference]
  }
  assert.equal(await paid('A'), 'sent')
  assert.deepEqual(await references(), ['A', null], 'no rail has said so')
  assert.equal(JSON.parse((await unpaid(payoutId)).stdout).payout.status, 'rejected')
  assert.deepEqual(await references(), [null, null])
  assert.equal(await paid('B'), 'paid_by_hand')
  assert.equal(JSON.parse((await unpaid(payoutId, 'B')).stdout).payout.status, 'returned')
  assert.deepEqual(await references(), [null, null])
  await books()
  assert.equal(await paid('C'), 'paid_by_hand')
  // It was there on the bank's day, which is before today.
  await withoutGuards(world.db, (tx) =>
    tx.query(`update payouts set created_at = '2026-11-20' where payout_id = $1`, [payoutId]),
  )
  bank.withdraw(1_300n, PAYEE, 'BY HAND')
  await api.run('bank', 'import', fileNamed(bank.closeDay()))
  const { lines } = await api.run('bank', 'unallocated', 'list')
  const [line] = lines.filter(({ amountMyr }: { amountMyr: string }) => amountMyr === '-13')
  await api.run('bank', 'unallocated', 'assign', line.lineId, '--payout', payoutId, '--reason', 'C')
  assert.match((await unpaid(payoutId)).stderr, /A statement shows that po_\w+ was paid/)
  assert.equal(await statusOf(payoutId), 'paid_by_hand')
  assert.equal(await world.balanceSen('payout_clearing:by_hand'), 0n)
  await books()
  const takeBack = async (belongedTo: string) =>
    (
      await api.call(...(['POST', `/bank/lines/${line.lineId}/take-back`, { reason: 'C' }] as const), {
        'x-seen': encodeURIComponent(belongedTo),
      })
    ).status
  assert.equal(await takeBack('int_that_it_was_before'), 409)
  assert.equal(await world.balanceSen('payout_clearing:by_hand'), 0n)
  const [shown] = (await api.run('bank', 'lines', 'list', '--of', payoutId)).lines
  assert.equal(await takeBack(shown.belongsTo), 200)
})

test('a payment by hand that was never made leaves no reference of it: the payout has that of its rail again', async () => {
  const { payoutId, endToEndId } = await filed('18')
  await unpaid(payoutId)
  const marked = await api.run('payout', 'mark-paid', payoutId, '--reference', 'CHEQUE 7')
  assert.equal(marked.payout.railReference, 'CHEQUE 7')
  assert.equal(JSON.parse((await unpaid(payoutId, 'CHEQUE 7')).stdout).payout.railReference, endToEndId)
  const [entry] = (await api.run('audit', 'list', '--target', payoutId)).entries
  assert.deepEqual([entry.before.railReference, entry.after.railReference], ['CHEQUE 7', endToEndId])
})

test('it is refused while a statement that waits shows the payment', async () => {
  const { payoutId } = await filed('12')
  bank.deposit(5n, PAYEE, 'interest')
  const missing = bank.closeDay()
  bank.settlePending()
  assert.equal((await api.run('bank', 'import', fileNamed(bank.closeDay()))).waiting > 0, true)
  assert.match((await unpaid(payoutId)).stderr, /A statement shows that po_\w+ was paid: main\//)
  assert.equal(await statusOf(payoutId), 'sent')
  await api.run('bank', 'import', fileNamed(missing))
  assert.equal(await statusOf(payoutId), 'paid')
  await books()
})

test('it is refused while nothing explains a debit of its amount, of what a rail has as of what was paid by hand', async () => {
  const explain = async (amountMyr: string) => {
    const { lines } = await api.run('bank', 'unallocated', 'list')
    const line = lines.find((each: Record<string, string>) => each.amountMyr === amountMyr)
    await api.run('bank', 'unallocated', 'assign', line.lineId, '--own-funds', '--reason', 'rent')
  }
  const maybe = (amount: string) =>
    new RegExp(`may be its debit: RM ${amount}\\.00 that nothing explains. Say what that line`)
  const { payoutId } = await filed('15')
  const byHand = await world.burntRedeem('16')
  await api.run('payout', 'hold', byHand.payoutId, '--reason', 'a look')
  await api.run('payout', 'mark-paid', byHand.payoutId, '--reference', 'A')
  await withoutGuards(world.db, async (tx) => {
    const before = `${bank.day()}T03:00:00Z`
    await tx.query('update payouts set created_at = $2 where payout_id = any ($1::text[])', [
      [payoutId, byHand.payoutId],
      before,
    ])
  })
  for (const sen of [1_500n, 1_600n]) bank.withdraw(sen, PAYEE, 'without our id')
  await api.run('bank', 'import', fileNamed(bank.closeDay()))
  for (const [id, amount] of [
    [payoutId, '15'],
    [byHand.payoutId, '16'],
  ] as const) {
    assert.match((await unpaid(id)).stderr, maybe(amount))
    await explain(`-${amount}`)
    assert.equal(JSON.parse((await unpaid(id)).stdout).status, 'rejected')
  }
  await api.run('payout', 'mark-paid', byHand.payoutId, '--reference', 'B')
  assert.equal(await statusOf(byHand.payoutId), 'paid_by_hand')
  bank.withdraw(1_600n, PAYEE, 'by hand')
  await api.run('bank', 'import', fileNamed(bank.closeDay()))
  assert.match((await unpaid(byHand.payoutId)).stderr, maybe('16'))
  await explain('-16')
  assert.equal(JSON.parse((await unpaid(byHand.payoutId, 'B')).stdout).status, 'returned')
  await books()
})

test('what a rail called paid is owed again only once a week of statements shows no debit of it; a later one is told as paid twice', async () => {
  const { payoutId } = await filed('14')
  const said = { bankAccount: 'http', reference: 'H', effectiveAt: new Date() }
  const isCalledPaid = async () => {
    await world.db.transaction((tx) => markPaid(tx, { payoutId, attempt: 1 }, said))
    const since = `${bank.day()}T03:00:00Z`
    await withoutGuards(world.db, async (tx) => {
      // No debit of a day before it was queued may be its own, and the bank's days are not the machine's.
      await tx.query('update payouts set status_since = $2, created_at = $2 where payout_id = $1', [payoutId, since])
      await tx.query('update payout_attempts set asked_at = $2 where payout_id = $1', [payoutId, since])
    })
  }
  await isCalledPaid()
  const last = addDays(bank.day(), 7)
  const closeDays = async (until: string) => {
    while (bank.day() <= until) await world.importXml(bank.closeDay())
  }
  assert.match((await unpaid(payoutId)).stderr, new RegExp(`shown by statements up to ${last}, and those of main end`))
  bank.withdraw(1_400n, PAYEE, 'of the same amount')
  await closeDays(addDays(last, -1))
  assert.match(
    (await unpaid(payoutId)).stderr,
    /may be its debit: RM 14\.00 that nothing explains. Say what that line is first/,
  )
  const { lines } = await api.run('bank', 'unallocated', 'list')
  const [line] = lines.filter(({ amountMyr }: { amountMyr: string }) => amountMyr === '-14')
  await api.run('bank', 'unallocated', 'assign', line.lineId, '--own-funds', '--reason', 'rent')
  assert.match((await unpaid(payoutId)).stderr, /shown by statements up to/)
  await closeDays(last)
  assert.equal(JSON.parse((await unpaid(payoutId)).stdout).status, 'rejected')
  assert.equal(await world.balanceSen('reserve:http'), 0n)
  await books()
  // Said once more: the same again.
  await isCalledPaid()
  assert.equal(await statusOf(payoutId), 'paid')
  await closeDays(addDays(bank.day(), 7))
  await unpaid(payoutId)
  await api.run('payout', 'retry', payoutId)
  await world.payDue()
  const { files } = await api.run('bank', 'export')
  assert.equal(files.length, 1)
  bank.settlePending()
  await api.run('bank', 'import', fileNamed(bank.closeDay()))
  const { differences } = (await api.call('GET', '/reconcile')).body
  const twice = differences.filter(
    (each: Record<string, string>) => each.kind === 'payout_twice' && each.subject === payoutId,
  )
  assert.deepEqual(twice.length, 1)
  assert.match(logged.join(''), new RegExp(`${payoutId}/1 .*made once too often`))
  await books()
  // What is on a statement is not called unpaid, nor past the service.
  const past = `update payout_attempts set status = 'rejected', is_extra = false where payout_id = $1 and attempt = 1`
  await assert.rejects(world.db.query(past, [payoutId]), /is on a statement/)
})

test('what a wrong line had closed is paid once the line is taken back and explained; what the bank makes of it after that is told', async () => {
  const { payoutId } = await filed('17')
  bank.withdraw(1_700n, PAYEE, 'rent')
  await api.run('bank', 'import', fileNamed(bank.closeDay()))
  const line = (await api.run('bank', 'unallocated', 'list')).lines.find(
    ({ amountMyr }: { amountMyr: string }) => amountMyr === '-17',
  )
  const isIt = ['--payout', payoutId, '--reason', 'of its amount']
  await api.run('bank', 'unallocated', 'assign', line.lineId, ...isIt)
  assert.equal(await statusOf(payoutId), 'paid')
  assert.match((await unpaid(payoutId)).stderr, /A statement shows that po_\w+ was paid: main\//)
  const refunded = await api.cli(['payout', 'refund', payoutId])
  assert.match(refunded.stderr, /is \w+, and only one that is/)
  await api.run('bank', 'lines', 'take-back', line.lineId, '--reason', 'it is the rent')
  assert.equal(await statusOf(payoutId), 'sent')
  assert.match((await unpaid(payoutId)).stderr, /may be its debit: RM 17\.00 that nothing explains/)
  assert.match((await api.cli(['payout', 'retry', payoutId])).stderr, /nothing to retry/)
  await api.run('bank', 'unallocated', 'assign', line.lineId, '--own-funds', '--reason', 'rent')
  assert.equal(JSON.parse((await unpaid(payoutId)).stdout).status, 'rejected')
  await api.run('payout', 'retry', payoutId)
  await world.payDue()
  assert.equal((await api.run('bank', 'export')).files.length, 1)
  await books()
  bank.settlePending()
  await api.run('bank', 'import', fileNamed(bank.closeDay()))
  assert.match(logged.join(''), new RegExp(`${payoutId}/1 .*made once too often`))
  await books()
})

test('a payment by hand that is recorded under the id of one that was refused is called unpaid by its own name', async () => {
  const { payoutId, endToEndId } = await filed('23')
  await unpaid(payoutId)
  // The bank says that it has carried it out after all, and then that it has not.
  await api.run('payout', 'mark-paid', payoutId, '--reference', endToEndId)
  const unnamed = await unpaid(payoutId)
  assert.match(unnamed.stderr, /more than one payment may be meant\. Say which was never made/)
  const { stderr } = await unpaid(payoutId, endToEndId)
  const own = / recorded under \w+, (po_\w+\/by_hand)\. Nothing/.exec(stderr)?.[1] ?? assert.fail(stderr)
  assert.equal(JSON.parse((await unpaid(payoutId, own)).stdout).status, 'returned')
  await api.run('payout', 'mark-paid', payoutId, '--reference', 'CHEQUE 23')
  assert.match((await unpaid(payoutId, own)).stderr, /by_hand is not the payment of po_\w+ that counts now/)
  assert.equal(JSON.parse((await unpaid(payoutId, `${own}/2`)).stdout).status, 'returned')
  await books()
})

test('a line that was taken back from one payment of a payout is not taken back from its next by the name of both', async () => {
  const { payoutId } = await filed('24')
  bank.withdraw(2_400n, PAYEE, 'which is it')
  await api.run('bank', 'import', fileNamed(bank.closeDay()))
  const { lineId } = (await api.run('bank', 'unallocated', 'list')).lines.find(
    ({ amountMyr }: { amountMyr: string }) => amountMyr === '-24',
  )
  const assign = (...to: string[]) =>
    api.run('bank', 'unallocated', 'assign', lineId, ...to, '--reason', 'as the bank says')
  const takeBack = (...from: string[]) =>
    api.cli(['bank', 'lines', 'take-back', lineId, ...from, '--reason', 'as the bank says'])
  await assign('--payout', payoutId)
  assert.equal((await takeBack('--from', payoutId)).stderr, '')
  await assign('--own-funds')
  await unpaid(payoutId)
  await api.run('payout', 'mark-paid', payoutId, '--reference', 'CHEQUE 24')
  assert.equal((await takeBack('--from', 'main')).stderr, '')
  await assign('--payout', payoutId)
  const late = (await takeBack('--from', payoutId)).stderr
  assert.match(late, /was taken back from po_\w+\/1 before, and belongs to another payment of po_\w+ now: say with/)
  const [line] = (await api.run('bank', 'lines', 'list', '--of', payoutId)).lines
  assert.equal(line.belongsTo, `${payoutId}/by_hand`)
  assert.equal((await takeBack('--from', line.belongsTo)).stderr, '')
})

let count = 0
/** A file as an operator has it. */
function fileNamed(content: string): string {
  count += 1
  const file = path.join(world.folder, `${count}.xml`)
  writeFileSync(file, content)
  return file
}

test('what a payment of a backup waits for is seen where people look, and is gone once the fence is final', async () => {
  const { payoutId } = await world.burntRedeem('77')
  await world.payDue()
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update payout_attempts set asked_on = 'before' where payout_id = $1`, [payoutId])
    await tx.query('update chains set fenced_on = null')
  })
  const advice = async () => (await api.run('payout', 'show', payoutId)).payout.advice
  assert.match(await advice(), /wait until the fence of their chain is final/)
  assert.match((await api.run('bank', 'export')).waits.join(), /wait until the fence of their chain is final/)
  await world.db.query('update chains set fenced_on = database_timeline()')
  assert.equal(await advice(), null)
})
