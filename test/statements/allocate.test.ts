// engine: postgres
/** One line that is several payments, and several that are one: each payment gets a line of its own, to the sen, and all of it can be taken back. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { violatedConstraint } from '../../src/db/database.ts'
import { checkStatements } from '../../src/operator/reconcile/statements.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { planAllocation } from '../../src/statements/allocation.ts'
import { assignLine } from '../../src/statements/assign.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { findPaymentOf } from '../../src/statements/facts.sql.ts'
import { replaceLine } from '../../src/statements/replace.ts'
import { findPaymentShown } from '../../src/statements/shown.sql.ts'
import { whyMaybePaid } from '../../src/statements/unshown.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { checkPast } from './books-of-lines.ts'
import { createSentOut, why } from './sent-out.ts'

const sentOut = createSentOut()
const { sent } = sentOut
afterEach(() => sentOut.close())

test('one debit under no name of ours is several payouts: each is paid, and nothing is left of it', async () => {
  const s = await sent('100', '200', '300')
  const [debit = 0n] = await s.said({ amountSen: 60_000n, text: 'bulk' })
  assert.deepEqual(await s.statuses(), ['sent', 'sent', 'sent'])
  const made = await s.allocate([debit], [0, 1, 2])
  assert.equal(made.length, 3)
  assert.deepEqual(await s.statuses(), ['paid', 'paid', 'paid'])
  assert.deepEqual(await s.unallocated(), [])
  assert.equal(await s.world.balanceSen('payout_clearing:bank_files'), 0n)
  await s.check()
  // One of them comes back, and its own return is known as ever.
  await s.said({ amountSen: 20_000n, credit: true, endToEndId: s.payouts[1]?.endToEndId ?? '', returnReason: 'AC04' })
  assert.deepEqual(await s.statuses(), ['paid', 'returned', 'paid'])
  await s.check()
  await checkPast(s.db)
})

test('several debits are one payout, with its name or without, on one day or on two, and beside it the charges', async () => {
  const s = await sent('100', '50')
  const [named, other] = [
    { endToEndId: s.payouts[0]?.endToEndId ?? '' },
    { endToEndId: s.payouts[1]?.endToEndId ?? '' },
  ]
  const [first = 0n] = await s.said({ amountSen: 6_000n, ...named })
  const [second = 0n, third = 0n, fourth = 0n] = await s.said(
    { amountSen: 4_000n, ...named },
    { amountSen: 3_000n },
    { amountSen: 2_050n, ...other },
  )
  assert.match(String(await s.allocate([first, second], [1])), /names another payment/)
  assert.equal((await s.allocate([first, second], [0])).length, 1)
  assert.deepEqual(await s.statuses(), ['paid', 'sent'])
  await s.check()
  assert.equal(
    await s.allocate([third, fourth], [1]),
    'The lines come to RM 50.50 and the payouts to RM 50.00: the charges of the bank would be RM 0.50.',
  )
  assert.equal((await s.allocate([third, fourth], [1], { chargesSen: 50n })).length, 2)
  assert.deepEqual(await s.statuses(), ['paid', 'paid'])
  assert.equal(await s.world.balanceSen('own_funds:main'), 50n)
  await s.check()
})

test('several payouts that come back in one sum, or one in parts, are owed again', async () => {
  const s = await sent('100', '200', '300')
  const [debit = 0n] = await s.said({ amountSen: 60_000n })
  await s.allocate([debit], [0, 1, 2])
  const back = { credit: true }
  const [both = 0n, part = 0n, rest = 0n] = await s.said(
    { amountSen: 29_970n, ...back },
    { amountSen: 10_000n, ...back },
    { amountSen: 20_000n, ...back },
  )
  assert.match(String(await s.allocate([both], [0, 1])), /the charges of the bank would be RM 0\.30\.$/)
  assert.equal((await s.allocate([both], [0, 1], { chargesSen: 30n })).length, 3)
  assert.equal((await s.allocate([part, rest], [2])).length, 1)
  assert.deepEqual(await s.statuses(), ['returned', 'returned', 'returned'])
  await s.check()
})

test('what was allocated is taken back line by line, and once nothing explains any of it the debit stands again', async () => {
  const s = await sent('100', '200', '300')
  const [debit = 0n] = await s.said({ amountSen: 30_000n })
  const made = await s.allocate([debit], [0, 1])
  assert.ok(Array.isArray(made))
  const [one = 0n, two = 0n] = made
  const refused = await s.takeBack(debit)
  assert.match(
    refused.result === 'refused' ? refused.sentence : '',
    new RegExp(`lines ${one}, ${two}, which were made`),
  )
  assert.equal((await s.takeBack(one)).result, 'taken_back')
  assert.deepEqual(await s.statuses(), ['sent', 'paid', 'sent'])
  assert.deepEqual(
    (await s.unallocated()).map(({ lineNo, madeOf }) => [lineNo, madeOf]),
    [[one, String(debit)]],
  )
  await s.check()
  assert.equal((await s.takeBack(two)).result, 'taken_back')
  assert.deepEqual(await s.statuses(), ['sent', 'sent', 'sent'])
  assert.deepEqual(
    (await s.unallocated()).map(({ lineNo, madeOf }) => [lineNo, madeOf]),
    [[debit, null]],
  )
  await s.check()
  // What was taken for them and freed keeps each of them from being called unpaid.
  for (const index of [0, 1]) {
    const payoutId = s.payouts[index]?.payoutId ?? ''
    assert.match((await s.db.transaction((tx) => whyMaybePaid(tx, payoutId))) ?? '', /may be its debit: RM 300\.00 /)
  }
  // It is allocated anew, to what it is; or is one payout's alone.
  assert.equal(
    await s.allocate([debit], [2]),
    'One line of one payout is assigned: "coin bank unallocated assign ID --reason …".',
  )
  assert.equal((await s.allocate([debit], [0, 1])).length, 2)
  await s.check()
})

test('a line that was made is replaced by the one that is it, and then it is something else', async () => {
  const s = await sent('100', '200')
  const [debit = 0n, own = 0n] = await s.said({ amountSen: 30_000n }, { amountSen: 10_000n })
  const [one = 0n, two = 0n] = (await s.allocate([debit], [0, 1])) as bigint[]
  const replaced = await s.db.transaction((tx) =>
    replaceLine({ tx, secrets: TEST_SECRETS }, one, { replacement: { lineNo: own }, ...why }),
  )
  assert.equal(replaced.result, 'taken_back')
  assert.deepEqual(await s.statuses(), ['paid', 'paid'])
  assert.deepEqual(
    (await s.unallocated()).map(({ lineNo }) => lineNo),
    [one],
  )
  await s.check()
  const given = { explanation: { kind: 'own_funds' } as const, ...why }
  assert.equal(
    (await s.db.transaction((tx) => assignLine({ tx, secrets: TEST_SECRETS }, one, given))).result,
    'assigned',
  )
  await s.check()
  assert.equal((await s.takeBack(one)).result, 'taken_back')
  assert.equal((await s.takeBack(two)).result, 'taken_back')
  assert.deepEqual(
    (await s.unallocated()).map(({ lineNo }) => lineNo),
    [debit],
  )
  await s.check()
})

test('what was paid by hand in two parts is that payment, and is replaced by the one debit that it was', async () => {
  const s = await sent('100')
  const { payoutId = '' } = s.payouts[0] ?? {}
  await s.db.transaction((tx) => payoutAdmin.markUnpaid(tx, payoutId, 'lost'))
  await s.db.transaction((tx) => payoutAdmin.markPaid(tx, payoutId, 'BY HAND'))
  const [first = 0n, second = 0n, whole = 0n] = await s.said(
    { amountSen: 6_000n },
    { amountSen: 4_000n },
    { amountSen: 10_000n },
  )
  const [made = 0n] = (await s.allocate([first, second], [0])) as bigint[]
  assert.equal(await s.world.balanceSen('payout_clearing:by_hand'), 0n)
  await s.check()
  const replaced = await s.db.transaction((tx) =>
    replaceLine({ tx, secrets: TEST_SECRETS }, made, { replacement: { lineNo: whole }, ...why }),
  )
  assert.equal(replaced.result, 'taken_back')
  assert.deepEqual(
    (await s.unallocated()).map(({ lineNo }) => lineNo),
    [first, second],
  )
  await s.check()
})

test('what does not come to the payouts to the sen, is taken already, or was paid before is refused whole', async () => {
  const s = await sent('100', '200', '300')
  const [debit = 0n, credit = 0n, single = 0n] = await s.said(
    { amountSen: 30_000n },
    { amountSen: 5_000n, credit: true },
    { amountSen: 10_000n },
  )
  assert.equal(await s.allocate([debit], [0, 1, 2]), 'The lines come to RM 300.00 and the payouts to RM 600.00.')
  assert.match(String(await s.allocate([debit], [0, 1], { chargesSen: 1n })), /nothing of that is the issuer's own\.$/)
  assert.match(String(await s.allocate([debit, credit], [0])), /debits and some credits/)
  const payment = {
    ...(await findPaymentOf(s.db, s.payouts[0]?.payoutId ?? '')),
    payoutId: s.payouts[0]?.payoutId ?? '',
  }
  const given = { explanation: { kind: 'payout' as const, attempt: 1, amountSen: 10_000n, ...payment }, ...why }
  await s.db.transaction((tx) => assignLine({ tx, secrets: TEST_SECRETS }, single, given))
  assert.match(String(await s.allocate([debit], [0, 1])), /was paid before, by another line/)
  assert.equal(await s.allocate([debit, single], [1, 2]), `not unallocated: ${single}`)
  assert.deepEqual(await s.statuses(), ['paid', 'sent', 'sent'])
  assert.deepEqual(
    (await s.unallocated()).map(({ lineNo }) => lineNo),
    [debit, credit],
  )
  await s.check()
})

test('nobody says of a payout in a sum that it was not paid, and no allocation is changed unseen', async () => {
  const s = await sent('100', '200')
  const [debit = 0n] = await s.said({ amountSen: 30_000n })
  const [one = 0n] = (await s.allocate([debit], [0, 1])) as bigint[]
  const payoutId = s.payouts[0]?.payoutId ?? ''
  const unpaid = s.db.transaction((tx) => payoutAdmin.markUnpaid(tx, payoutId, 'lost'))
  assert.equal(violatedConstraint(await unpaid.catch((error: unknown) => error)), 'payout_attempts_shown')
  const change = (text: string) => s.db.query(text).then(() => undefined, violatedConstraint)
  assert.equal(
    await change(`update bank_lines set state = 'unallocated' where line_no = ${debit}`),
    'bank_lines_allocated_whole',
  )
  assert.equal(await change(`update bank_lines set allocation = 9 where line_no = ${one}`), 'bank_lines_move_exists')
  assert.equal(
    await change(
      `update bank_lines set state = 'dissolved', matched_kind = null, matched_to = null where line_no = ${one}`,
    ),
    'bank_lines_move_exists',
  )
  await withoutGuards(s.db, (tx) =>
    tx.query('update bank_lines set amount_micro = amount_micro + 10000 where line_no = $1', [one]),
  )
  const troubles = await findStatementTroubles(s.db, TEST_SECRETS)
  assert.deepEqual(troubles, [
    {
      kind: 'statement_line',
      subject: 'main/S20/1.1',
      message: `The lines that were allocated (${debit}) come to RM -300.00, but the lines made of them to RM -299.99.`,
    },
  ])
  // Its statement is compared again, however many come after it.
  await checkStatements(s.db, TEST_SECRETS)
  assert.deepEqual(await s.db.query('select what, subject from reconcile_suspects'), [
    { what: 'statement', subject: 'main/S20' },
  ])
})

test('a debit in parts that name a payout does not contradict it once it is allocated', async () => {
  const s = await sent('100')
  const { payoutId = '', endToEndId = '' } = s.payouts[0] ?? {}
  const lines = await s.said({ amountSen: 6_000n, endToEndId }, { amountSen: 4_000n, endToEndId })
  assert.match((await s.db.transaction((tx) => findPaymentShown(tx, payoutId))) ?? '', /^main\/S20/)
  await s.allocate(lines, [0])
  assert.equal(await s.db.transaction((tx) => findPaymentShown(tx, payoutId)), undefined)
  await s.check()
})

test('lines of two accounts are not one payment, and no payout stands twice', () => {
  const line = { lineNo: 1n, bankAccount: 'main', amountMicro: -500_000n, endToEndId: null, names: [] }
  const payment = { payoutId: 'po_1', attempt: 1, amountSen: 100n }
  assert.equal(
    planAllocation([line, { ...line, bankAccount: 'other' }], { payments: [payment] }),
    'The lines are of several bank accounts.',
  )
  assert.equal(planAllocation([], { payments: [payment] }), 'Name a line and a payout.')
})

test('a line that was made is made into others itself: all of it is taken back down to what the bank has said', async () => {
  const s = await sent('100', '200', '60', '40')
  const [debit = 0n] = await s.said({ amountSen: 30_000n })
  const [one = 0n, two = 0n] = (await s.allocate([debit], [0, 1])) as bigint[]
  await s.takeBack(one)
  const [first = 0n, second = 0n] = (await s.allocate([one], [2, 3])) as bigint[]
  assert.deepEqual(await s.statuses(), ['sent', 'paid', 'paid', 'paid'])
  await s.check()
  await s.takeBack(two)
  const refused = await s.takeBack(debit)
  assert.match(refused.result === 'refused' ? refused.sentence : '', new RegExp(`line ${one}, which was made`))
  await s.takeBack(first)
  await s.check()
  await s.takeBack(second)
  assert.deepEqual(
    (await s.unallocated()).map(({ lineNo }) => lineNo),
    [debit],
  )
  await s.check()
  for (const { payoutId } of s.payouts) {
    assert.match((await s.db.transaction((tx) => whyMaybePaid(tx, payoutId))) ?? '', /may be its debit: RM 300\.00 /)
  }
})
