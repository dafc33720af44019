// engine: postgres; both in test:long
/** The rail of bank files: it accepts each payment once, for a numbered file. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { violatedConstraint } from '../../src/db/database.ts'
import { readAlarms } from '../../src/operator/overview.sql.ts'
import { lockWaiting } from '../../src/payment-files/payments.sql.ts'
import { createBankFilesRail } from '../../src/payment-files/rail.ts'
import { withdrawPayment } from '../../src/payment-files/undue.sql.ts'
import { refuseTwins } from '../../src/payouts/twins.sql.ts'
import { startOperator } from '../operator/fixture.ts'
import { giveBank, TEST_SECRETS } from '../support/bank-details.ts'
import { accepted, PROFILE } from '../support/bank-files.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { readPaymentFile } from '../support/read-payment-file.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { idsIn, setPayout, storedOnly } from './filing.ts'

const worlds = createBankWorlds()
after(() => worlds.close())
const newWorld = () => worlds.open()

test('a payment is accepted once under its end-to-end id, and another one under it is not', async () => {
  const world = await newWorld()
  const { payoutId, endToEndId } = await world.burntRedeem('12.34')
  const rail = createBankFilesRail(world.filingDeps())
  const instruction = {
    payoutId,
    endToEndId,
    amountSen: 1_234n,
    bankId: 'bnk_1',
    bic: 'CIBBMYKL',
    account: '8001234567',
    name: 'Aminah',
    reference: 'X',
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
  const waiting = await world.db.transaction((tx) => lockWaiting(tx, TEST_SECRETS, 10, { unfenced: [] }))
  assert.deepEqual(waiting, { waiting: [], unopened: [], last: undefined, areBehind: false })
})

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

test('what waits for a file goes out also where another payout with its end-to-end id was paid by hand: its payee got nothing', async (t) => {
  const world = await newWorld()
  const older = await world.burntRedeem('10')
  await world.payDue()
  const younger = await world.burntRedeem('20')
  await withoutGuards(world.db, (tx) =>
    tx.query('update payouts set end_to_end_id = $2 where payout_id = $1', [younger.payoutId, older.endToEndId]),
  )
  const api = await startOperator({ db: world.db, secrets: TEST_SECRETS })
  t.after(() => api.close())
  await setPayout(world, younger.payoutId, `status = 'held', hold_reason = 'by_operator'`)
  const early = await api.cli(['payout', 'mark-paid', younger.payoutId, '--reference', 'BY HAND'])
  assert.match(
    early.stderr,
    /has the end-to-end id of another payout's payment: run "coin payout release po_\w+ --held … --reason …" first/,
  )
  await api.run('payout', 'release', younger.payoutId, '--reason', 'to be paid by hand')
  assert.deepEqual(await refuseTwins(world.db, { rail: 'bank_files', mayAsk: true, fromBefore: [] }), [
    younger.payoutId,
  ])
  const statuses = async () => [await world.payoutStatus(older.payoutId), await world.payoutStatus(younger.payoutId)]
  assert.deepEqual(await statuses(), ['sent', 'rejected'])
  await api.run('payout', 'mark-paid', younger.payoutId, '--reference', 'BY HAND')
  assert.deepEqual(await statuses(), ['sent', 'paid_by_hand'])
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
  assert.deepEqual(await idsIn(world, 'COIN-00000001'), [older.endToEndId])
  const bank = someBank()
  bank.receive(await world.outFile('COIN-00000001'))
  await world.importXml(bank.closeDay())
  // Nor does the debit of the one say that the other was paid.
  await api.run('payout', 'mark-unpaid', younger.payoutId, '--payment', 'BY HAND', '--reason', 'nobody has paid it')
  assert.deepEqual(await statuses(), ['paid', 'returned'])
  await api.run('payout', 'retry', younger.payoutId)
  await world.payDue()
  assert.deepEqual(await statuses(), ['paid', 'sent'])
})

test('what an operator has said was paid goes into no file, though its payout is sent like one that waits for a file', async () => {
  const world = await newWorld()
  const [said, due] = [await world.burntRedeem('10'), await world.burntRedeem('20')]
  await storedOnly(world)
  const withdraw = () => world.db.transaction((tx) => withdrawPayment(tx, said))
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
