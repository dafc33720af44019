// engine: postgres
/** A payment that the bank has made twice is claimed back, seen until it comes, and closed by what gives it back: the payout stays paid. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { listLinesOf } from '../../src/statements/lines-of.sql.ts'
import { findCalledOtherwise } from '../../src/statements/may-be.sql.ts'
import { findPayeesDebit } from '../../src/statements/shown.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { type BankLine, writeStatement } from '../support/fake-bank/messages.ts'
import { SETUP } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { checkPast } from './books-of-lines.ts'
import { createSentOut } from './sent-out.ts'

const sentOut = createSentOut()
const { sent } = sentOut
afterEach(() => sentOut.close())

/** A payout that was paid, and of which a second debit is on the statements. @param names whether that names the payment */
async function paidTwice({ names, chargesSen = 0n }: { names: boolean; chargesSen?: bigint }) {
  const s = await sent('100')
  const { payoutId = '', endToEndId = '' } = s.payouts[0] ?? {}
  await s.said({ amountSen: 10_000n, endToEndId })
  assert.deepEqual(await s.statuses(), ['paid'])
  const [second = 0n] = await s.said({ amountSen: 10_000n + chargesSen, ...(names ? { endToEndId } : {}) })
  const claim = { kind: 'claim' as const, ...(await s.paymentOf(payoutId)) }
  return { ...s, payoutId, endToEndId, second, claim }
}

for (const names of [true, false]) {
  test(`a second debit ${names ? 'of the same id' : 'without an id'} is claimed back, and its return closes the claim`, async () => {
    const s = await paidTwice({ names })
    const toPayout = await s.assign(s.second, { ...s.claim, kind: 'payout' })
    assert.match(
      toPayout ?? '',
      /was paid before, by another line\. If the bank has paid it twice, claim that back: "--claim po_/,
    )
    assert.equal(await s.assign(s.second, s.claim), undefined)
    assert.equal(await s.world.balanceSen('claims:main'), 10_000n)
    assert.equal(await s.world.balanceSen('unallocated:main'), -100_000_000n)
    await s.check([`payout_twice ${s.payoutId}/1/claim/1`])
    const lines = await listLinesOf(s.db, s.payoutId, { before: undefined, limit: 10 })
    assert.deepEqual(
      lines.map(({ kind, to }) => [kind, to]),
      [
        ['claim', `${s.payoutId}/1/claim/1`],
        ['payout', `${s.payoutId}/1`],
      ],
    )
    // What comes back under its id is what was paid too much.
    await s.said({ amountSen: 10_000n, credit: true, endToEndId: s.endToEndId, returnReason: 'AC04' })
    assert.deepEqual(await s.statuses(), ['paid'])
    assert.equal(await s.world.balanceSen('claims:main'), 0n)
    await s.check()
    // And what comes after that is the payment.
    await s.said({ amountSen: 10_000n, credit: true, endToEndId: s.endToEndId, returnReason: 'AC04' })
    assert.deepEqual(await s.statuses(), ['returned'])
    await s.check()
    await checkPast(s.db)
  })
}

test('what comes back without a name is said to close the claim, less what the bank has kept', async () => {
  const s = await paidTwice({ names: false, chargesSen: 50n })
  assert.match((await s.assign(s.second, s.claim)) ?? '', /the charges of the bank would be RM 0\.50\.$/)
  assert.equal(await s.assign(s.second, { ...s.claim, chargesSen: 50n }), undefined)
  const [back = 0n] = await s.said({ amountSen: 9_970n, credit: true })
  assert.match(
    (await s.assign(back, { ...s.claim, kind: 'payout', chargesSen: 30n })) ?? '',
    /paid it once more and is claimed back/,
  )
  assert.equal(await s.assign(back, { ...s.claim, chargesSen: 30n }), undefined)
  assert.deepEqual(await s.statuses(), ['paid'])
  assert.equal(await s.world.balanceSen('claims:main'), 0n)
  assert.equal(await s.world.balanceSen('own_funds:main'), 80n)
  await s.check()
  const again = await s.said({ amountSen: 10_000n, credit: true })
  assert.match((await s.assign(again[0] ?? 0n, s.claim)) ?? '', /^Nothing of po_\S+ is claimed back/)
})

test('a claim is taken back: its return first, and then it is written off', async () => {
  const s = await paidTwice({ names: false })
  await s.assign(s.second, s.claim)
  const [back = 0n] = await s.said({ amountSen: 10_000n, credit: true })
  await s.assign(back, s.claim)
  const early = await s.takeBack(s.second)
  assert.match(
    early.result === 'refused' ? early.sentence : '',
    /has given po_\S+\/1\/claim\/1 back: take that line back first/,
  )
  assert.equal((await s.takeBack(back)).result, 'taken_back')
  assert.equal(await s.world.balanceSen('claims:main'), 10_000n)
  assert.equal((await s.takeBack(s.second)).result, 'taken_back')
  assert.equal(await s.world.balanceSen('claims:main'), 0n)
  for (const line of [s.second, back]) assert.equal(await s.assign(line, { kind: 'own_funds' }), undefined)
  await s.check()
})

test('what closed a claim by itself is taken back as well', async () => {
  const s = await paidTwice({ names: true })
  await s.assign(s.second, s.claim)
  const before = await s.unallocated()
  await s.said({ amountSen: 10_000n, credit: true, endToEndId: s.endToEndId, returnReason: 'AC04' })
  const [closing] = await listLinesOf(s.db, s.payoutId, { before: undefined, limit: 1 })
  const named = async (tx: Queryable) => {
    await tx.query(
      `update ledger_entries set amounts_micro = array[1, -1]::bigint[] where reference = 'statement/main/S22/1.1'`,
    )
    const troubles = await findStatementTroubles(tx, TEST_SECRETS)
    assert.deepEqual(
      troubles.map(({ kind, subject }) => `${kind} ${subject}`),
      ['statement_line main/S22/1.1', 'reserve main'],
    )
    throw new Error('undone')
  }
  await assert.rejects(withoutGuards(s.db, named), /undone/)
  assert.equal((await s.takeBack(closing?.lineNo ?? 0n)).result, 'taken_back')
  assert.equal((await s.unallocated()).length, before.length + 1)
  await s.check([`payout_twice ${s.payoutId}/1/claim/1`])
})

test('nothing is claimed back that no other line has paid; of a payout that came back it is', async () => {
  const s = await sent('100', '100')
  const [{ payoutId = '', endToEndId = '' } = {}, other] = s.payouts
  const [unnamed = 0n] = await s.said({ amountSen: 10_000n })
  const claim = { kind: 'claim' as const, ...(await s.paymentOf(payoutId)) }
  assert.match(
    (await s.assign(unnamed, claim)) ?? '',
    /^No other line is the debit of po_\S+\/1: assign this one with "--payout"\.$/,
  )
  await s.said({ amountSen: 10_000n, endToEndId })
  await s.said({ amountSen: 10_000n, endToEndId, credit: true, returnReason: 'AC04' })
  assert.deepEqual(await s.statuses(), ['returned', 'sent'])
  // Of one that came back the second debit is claimed likewise, and nothing pays it anew before that has come.
  assert.equal(await s.assign(unnamed, claim), undefined)
  assert.match((await findPayeesDebit(s.db, payoutId)) ?? '', /is claimed back and has not come/)
  await s.check([`payout_twice ${payoutId}/1/claim/1`])
  const [less = 0n] = await s.said({ amountSen: 9_980n, endToEndId, credit: true, returnReason: 'AC04' })
  assert.equal(await s.assign(less, { ...claim, chargesSen: 20n }), undefined)
  assert.equal(await findPayeesDebit(s.db, payoutId), undefined)
  const [named = 0n] = await s.said(
    { amountSen: 10_000n, endToEndId: other?.endToEndId ?? '' },
    { amountSen: 10_000n, endToEndId: other?.endToEndId ?? '' },
  )
  assert.ok(named > 0n)
  const twice = (await s.unallocated()).at(-1)?.lineNo ?? 0n
  assert.match((await s.assign(twice, claim)) ?? '', /^The line names another payment/)
})

test('while a claim is open the payout is not made payable again', async () => {
  const s = await paidTwice({ names: true })
  await s.assign(s.second, s.claim)
  const why = () => s.db.transaction((tx) => findPayeesDebit(tx, s.payoutId))
  assert.match(
    (await why()) ?? '',
    /paid po_\S+ once more, and that is claimed back and has not come: the payee has that ringgit/,
  )
  await s.said({ amountSen: 10_000n, credit: true, endToEndId: s.endToEndId, returnReason: 'AC04' })
  assert.equal(await why(), undefined)
})

test('what was paid by hand and then once more is claimed back likewise', async () => {
  const s = await sent('100')
  const { payoutId = '' } = s.payouts[0] ?? {}
  await s.db.transaction((tx) => payoutAdmin.markUnpaid(tx, payoutId, 'lost'))
  await s.db.transaction((tx) => payoutAdmin.markPaid(tx, payoutId, 'BY HAND'))
  const [first = 0n, second = 0n] = await s.said({ amountSen: 10_000n }, { amountSen: 10_000n })
  const payment = await s.paymentOf(payoutId)
  assert.match(
    (await s.assign(first, { kind: 'claim', ...payment })) ?? '',
    /^No other line is the debit of po_\S+\/by_hand/,
  )
  assert.equal(await s.assign(first, { kind: 'payout', ...payment }), undefined)
  assert.equal(await s.assign(second, { kind: 'claim', ...payment }), undefined)
  await s.check([`payout_twice ${payoutId}/by_hand/claim/1`])
  const [back = 0n] = await s.said({ amountSen: 10_000n, credit: true })
  assert.equal(await s.assign(back, { kind: 'claim', ...payment }), undefined)
  assert.deepEqual(await s.statuses(), ['paid_by_hand'])
  await s.check()
})

test('a second debit of an earlier payment is a claim of that one: what gives it back closes it, and what gives back the later payment does not', async () => {
  const s = await sent('100')
  const { payoutId = '', endToEndId = '' } = s.payouts[0] ?? {}
  await s.said({ amountSen: 10_000n, endToEndId })
  await s.said({ amountSen: 10_000n, credit: true, endToEndId, returnReason: 'AC04' })
  await s.db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
  await s.world.payDue()
  await s.world.file()
  const [row] = await s.db.query<{ end_to_end_id: string }>('select end_to_end_id from payouts')
  const later = row?.end_to_end_id ?? ''
  await s.said({ amountSen: 10_000n, endToEndId: later })
  assert.deepEqual(await s.statuses(), ['paid'])
  const [again = 0n] = await s.said({ amountSen: 10_000n, endToEndId })
  const payment = await s.paymentOf(payoutId)
  assert.equal(await s.assign(again, { kind: 'claim', ...payment }), undefined)
  await s.check([`payout_twice ${payoutId}/1/claim/1`])
  // The later payment comes back: its payout is owed again, and waits for what is claimed.
  await s.said({ amountSen: 10_000n, credit: true, endToEndId: later, returnReason: 'AC04' })
  assert.deepEqual(await s.statuses(), ['returned'])
  assert.equal(await s.world.balanceSen('claims:main'), 10_000n)
  assert.match((await findPayeesDebit(s.db, payoutId)) ?? '', /is claimed back and has not come/)
  await s.said({ amountSen: 10_000n, credit: true, endToEndId, returnReason: 'AC04' })
  assert.equal(await s.world.balanceSen('claims:main'), 0n)
  assert.equal(await findPayeesDebit(s.db, payoutId), undefined)
  await s.check()
})

/** A payout that was paid and came back, and is with its rail once more, under another name. */
async function paidAnew() {
  const s = await sent('100')
  const { payoutId = '', endToEndId = '' } = s.payouts[0] ?? {}
  await s.said({ amountSen: 10_000n, endToEndId })
  await s.said({ amountSen: 10_000n, credit: true, endToEndId, returnReason: 'AC04' })
  await s.db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
  await s.world.payDue()
  await s.world.file()
  assert.deepEqual(await s.statuses(), ['sent'])
  return { ...s, payoutId, endToEndId, payment: await s.paymentOf(payoutId) }
}

test('a second debit without a name is a claim also where the payout was paid anew before anybody looked, and no debit of that is shown', async () => {
  const s = await paidAnew()
  const [again = 0n] = await s.said({ amountSen: 10_000n })
  await withoutGuards(s.db, (tx) => tx.query(`update payouts set created_at = '2026-11-20T00:00:00Z'`))
  assert.deepEqual(await findCalledOtherwise(s.db, s.payoutId), [])
  assert.equal(await s.assign(again, { kind: 'claim', ...s.payment }), undefined)
  assert.deepEqual(await s.statuses(), ['sent'])
  await s.check([`payout_twice ${s.payoutId}/1/claim/1`])
  // Whoever decides that the new one was never paid is told of it: it may be its debit after all.
  assert.deepEqual(
    (await findCalledOtherwise(s.db, s.payoutId)).map(({ kind, to }) => [kind, to]),
    [['claim', `${s.payoutId}/1/claim/1`]],
  )
  await s.said({ amountSen: 10_000n, credit: true, endToEndId: s.endToEndId, returnReason: 'AC04' })
  assert.deepEqual(await s.statuses(), ['sent'])
  assert.equal(await s.world.balanceSen('claims:main'), 0n)
  assert.deepEqual(await findCalledOtherwise(s.db, s.payoutId), [])
  await s.check()
})

test('a line that names a payment of which all was said is not about the next one, which may still be made', async () => {
  const s = await paidAnew()
  const { endToEndId } = s
  const [debit = 0n, credit = 0n] = await s.said(
    { amountSen: 10_000n, endToEndId },
    { amountSen: 10_000n, endToEndId, credit: true },
  )
  const ofPayout = { kind: 'payout', ...s.payment } as const
  assert.match(
    (await s.assign(debit, ofPayout)) ?? 'the payment that was never shown',
    /^The line names po_\S+\/1, and another line is the debit of that payment: if the bank has paid it twice, claim that back/,
  )
  assert.match(
    (await s.assign(credit, ofPayout)) ?? 'paid anew once more, while the bank may carry it out',
    /^The line names po_\S+\/1, which another line has given back, .* Claim that debit back first/,
  )
  assert.equal(await s.assign(debit, { kind: 'claim', ...s.payment }), undefined)
  assert.equal(await s.assign(credit, { kind: 'claim', ...s.payment }), undefined)
  assert.deepEqual(await s.statuses(), ['sent'])
  await s.check()
})

test('what nothing says to have been paid is not given back by a credit without a name: it would be paid anew while the bank may carry it out', async () => {
  const s = await paidAnew()
  const [credit = 0n] = await s.said({ amountSen: 10_000n, credit: true })
  const ofPayout = { kind: 'payout', ...s.payment } as const
  assert.match(
    (await s.assign(credit, ofPayout)) ?? 'given back',
    /^Nothing says that po_\S+\/2 was paid: assign its debit/,
  )
  assert.deepEqual(await s.statuses(), ['sent'])
  const [its = 0n] = await s.said({ amountSen: 10_000n })
  assert.equal(await s.assign(its, ofPayout), undefined)
  assert.equal(await s.assign(credit, ofPayout), undefined)
  assert.deepEqual(await s.statuses(), ['returned'])
  await s.check()
})

test('a credit without a name gives back the payment that left, and not the next one, which is with its rail', async () => {
  const s = await sent('100')
  const { payoutId = '', endToEndId = '' } = s.payouts[0] ?? {}
  await s.db.transaction((tx) => payoutAdmin.markUnpaid(tx, payoutId, 'lost'))
  await s.db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
  await s.world.payDue()
  await s.world.file()
  await s.said({ amountSen: 10_000n, endToEndId })
  const [credit = 0n] = await s.said({ amountSen: 10_000n, credit: true })
  assert.equal(await s.assign(credit, { kind: 'payout', ...(await s.paymentOf(payoutId)) }), undefined)
  const lines = await listLinesOf(s.db, payoutId, { before: undefined, limit: 10 })
  assert.deepEqual(
    lines.map(({ to, amountMicro }) => [to, amountMicro > 0n]),
    [
      [`${payoutId}/1`, true],
      [`${payoutId}/1`, false],
    ],
  )
  assert.deepEqual(await s.statuses(), ['sent'])
  await s.check()
})

test('of two claims of one payment on two accounts the bank gives back the one that left where it comes to, with a name and without', async () => {
  const s = await paidTwice({ names: false })
  await s.assign(s.second, s.claim)
  let balanceSen = 5_000_000n
  let day = 19
  const saidOfSecond = async (...lines: readonly Partial<BankLine>[]) => {
    day += 1
    const on = `2026-11-${day}`
    const [openingSen, account] = [balanceSen, SETUP.accounts.find(({ key }) => key === 'second')?.account ?? '']
    const all = lines.map((line, index) => ({
      reference: `second.${day}.${index}`,
      credit: false,
      amountSen: 10_000n,
      day: on,
      ...line,
    }))
    for (const { credit, amountSen } of all) balanceSen += credit ? amountSen : -amountSen
    const statement = { openedOn: on, openingSen, closedOn: on, closingSen: balanceSen, account, lines: all }
    const named = { messageId: `MS${day}`, statementId: `SS${day}`, createdAt: `${on}T23:00:00+08:00` }
    await s.world.importXml(writeStatement({ ...named, ...statement }))
    return (await s.unallocated()).at(-1)?.lineNo ?? 0n
  }
  const claims = () => Promise.all(['claims:main', 'claims:second'].map((account) => s.world.balanceSen(account)))
  const onSecond = await saidOfSecond({})
  assert.equal(await s.assign(onSecond, s.claim), undefined)
  assert.deepEqual(await claims(), [10_000n, 10_000n])
  await saidOfSecond({ credit: true, endToEndId: s.endToEndId, returnReason: 'DUPL' })
  assert.deepEqual(await claims(), [10_000n, 0n])
  // What the other account gets closes the one that is left, wherever it left.
  const again = await saidOfSecond({})
  assert.equal(await s.assign(again, s.claim), undefined)
  const back = await saidOfSecond({ credit: true })
  assert.equal(await s.assign(back, s.claim), undefined)
  assert.deepEqual(await claims(), [10_000n, 0n])
  await saidOfSecond({ credit: true, endToEndId: s.endToEndId, returnReason: 'DUPL' })
  assert.deepEqual(await claims(), [0n, 0n])
  await s.check()
})
