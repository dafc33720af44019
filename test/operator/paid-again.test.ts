// engine: postgres
/**
 * A bank that carries a payment out twice and gives it back once: while nothing explains the other debit, nobody pays that payout again. And one that
 * shows a return of what it never showed to have left.
 */
// Runbook: A payout was returned
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { importFile } from '../../src/statements/import.ts'
import { DEBTOR } from '../support/bank-files.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { type BankLine, writeStatement } from '../support/fake-bank/messages.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

let world: BankWorld
let api: OperatorFixture
before(async () => {
  world = await createBankWorld()
  api = await startOperator({ db: world.db, bank: (file) => importFile(world.importDeps, file) })
})
after(async () => {
  await api.close()
  await world.close()
})

let closingSen = 100_000n
/** A statement of a day of November. */
async function shows(date: number, lines: Omit<BankLine, 'reference' | 'day'>[]): Promise<void> {
  const day = `2026-11-${date}`
  const openingSen = closingSen
  for (const { credit, amountSen } of lines) closingSen += credit ? amountSen : -amountSen
  const xml = writeStatement({
    messageId: `M${date}`,
    statementId: `S${date}`,
    createdAt: `${day}T18:00:00+08:00`,
    account: DEBTOR.account,
    openedOn: day,
    openingSen,
    closedOn: day,
    closingSen,
    lines: lines.map((line, index) => ({ ...line, day, reference: `R${date}-${index}` })),
  })
  assert.equal((await world.importXml(xml)).taken.result, 'applied')
}

/** Returned, and beside its debit there is another one that names it. */
async function paidTwiceReturnedOnce(date: number) {
  const redeem = await world.burntRedeem('10')
  const { payoutId, endToEndId } = redeem
  await world.payDue()
  const debit = { credit: false, amountSen: 1_000n, endToEndId }
  await shows(date, [debit, debit])
  assert.equal(await world.payoutStatus(payoutId), 'paid')
  await shows(date + 1, [{ credit: true, amountSen: 1_000n, endToEndId, returnReason: 'AC04' }])
  assert.equal(await world.payoutStatus(payoutId), 'returned')
  const { lines } = await api.run('bank', 'unallocated', 'list')
  const { lineId } = lines.find(({ statement }: { statement: string }) => statement === `S${date}/2.1`)
  return { payoutId, lineId }
}

test('it is neither retried nor refunded until somebody says what that debit is', async () => {
  const { payoutId, lineId } = await paidTwiceReturnedOnce(21)
  for (const status of ['rejected', 'returned']) {
    await withoutGuards(world.db, (tx) =>
      tx.query('update payouts set status = $2 where payout_id = $1', [payoutId, status]),
    )
    for (const verb of ['retry', 'refund']) {
      const { code, stderr } = await api.cli(['payout', verb, payoutId])
      assert.deepEqual([status, verb, code], [status, verb, 1])
      assert.match(
        stderr,
        /main\/S21\/2\.1 of 2026-11-21 is a debit that names a payment of po_\w+, and nothing explains it/,
      )
    }
  }
  assert.equal(await world.payoutStatus(payoutId), 'returned')
  await api.run('bank', 'unallocated', 'assign', lineId, '--own-funds', '--reason', 'the bank gives it back')
  assert.equal((await api.run('payout', 'retry', payoutId)).payout.status, 'queued')
})

test('where the payee keeps it, it was paid by that debit', async () => {
  const { payoutId, lineId } = await paidTwiceReturnedOnce(23)
  await api.run('payout', 'mark-paid', payoutId, '--reference', 'the second debit')
  await api.run('bank', 'unallocated', 'assign', lineId, '--payout', payoutId, '--reason', 'letter of the bank')
  assert.equal(await world.payoutStatus(payoutId), 'paid_by_hand')
  assert.equal(await world.balanceSen('payout_clearing:by_hand'), 0n)
})

test('who pays it again is told where no statement shows that it left, unless the bank itself calls that a return', async () => {
  const bewareOf = async (payoutId: string) => (await api.run('payout', 'show', payoutId)).payout.beware
  const credit = { credit: true, amountSen: 1_000n }
  const sent = []
  for (const line of [credit, { ...credit, returnReason: 'AC04' }, { ...credit, isReversal: true }]) {
    const { payoutId, endToEndId } = await world.burntRedeem('10')
    await world.payDue()
    sent.push({ payoutId, endToEndId, line: { ...line, endToEndId } })
  }
  await shows(
    25,
    sent.map(({ line }) => line),
  )
  const [silent, ...said] = sent
  assert.ok(silent)
  for (const { payoutId } of sent) assert.equal(await world.payoutStatus(payoutId), 'returned')
  assert.match(
    await bewareOf(silent.payoutId),
    /main\/S25\/1\.1 of 2026-11-25 .* no statement shows that the payment left/,
  )
  for (const { payoutId } of said) assert.equal(await bewareOf(payoutId), undefined)
  for (const verb of ['retry', 'refund'])
    assert.match(await shownToApprovers(verb, silent.payoutId), /no statement shows/)
  const { payoutId: byHand, endToEndId } = await world.burntRedeem('10')
  await world.payDue()
  await shows(27, [{ ...credit, endToEndId }])
  const done = await api.run('payout', 'mark-paid', byHand, '--reference', 'a cheque')
  assert.match(done.payout.beware, /no statement shows that the payment left/)
  assert.equal(await bewareOf(byHand), undefined, 'there is nothing to pay')
  await shows(28, [{ credit: false, amountSen: 1_000n, endToEndId: silent.endToEndId }])
  assert.equal(await bewareOf(silent.payoutId), undefined)
})

/** What whoever decides about a command on a payout is to beware of. */
async function shownToApprovers(verb: string, payoutId: string): Promise<string> {
  const { token } = await api.person('treasury')
  const fourEyes = await startOperator({ db: world.db, fourEyes: true })
  const headers = { authorization: `Bearer ${token}` }
  const { approvalId } = (await fourEyes.call('POST', `/payouts/${payoutId}/${verb}`, {}, headers)).body
  const { body } = await fourEyes.call('GET', `/approvals/${approvalId}`, undefined, headers)
  await fourEyes.close()
  return body.approval.about.beware
}
