// engine: postgres
/** A debit that names nothing is not that of a payment which its rail was asked for later: that one may still be made. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { listLinesOf } from '../../src/statements/lines-of.sql.ts'
import { replaceLine } from '../../src/statements/replace.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { refuse } from './refuse.ts'
import { createSentOut, why } from './sent-out.ts'

const sentOut = createSentOut()
const { sent } = sentOut
afterEach(() => sentOut.close())

/** The first minute of the 23rd in Kuala Lumpur, when it is still the 22nd in UTC. */
const LATER = new Date('2026-11-22T16:00:00Z')

/** A payout that was asked for on the 20th, and another one of the same amount of the 23rd. */
async function oneAndLater() {
  const s = await sent('100')
  const [first = ''] = s.payouts.map(({ payoutId }) => payoutId)
  s.world.clock.now = LATER
  const { payoutId: later } = await s.world.burntRedeem('100')
  const unasked = { kind: 'payout', ...(await s.paymentOf(later)) } as const
  return { ...s, first, later, unasked }
}

test('a debit is not of a payout that was asked for later, however that is said; a day is left to a bank whose own day ends after midnight', async () => {
  const s = await oneAndLater()
  const { later, unasked } = s
  const [ofThe20th = 0n] = await s.said({ amountSen: 10_000n })
  assert.match((await s.assign(ofThe20th, unasked)) ?? 'assigned', /^po_\S+\/1 was not asked for yet, and the debit is/)
  await s.world.payDue()
  const refused = new RegExp(
    `${later}/1 was asked for on 2026-11-23, and the debit is of 2026-11-20: it is not that of`,
  )
  assert.match((await s.assign(ofThe20th, unasked)) ?? 'assigned', refused)
  const ofFirst = { kind: 'payout', ...(await s.paymentOf(s.first)) } as const
  assert.equal(await s.assign(ofThe20th, ofFirst), undefined)
  // Nor in parts.
  const parts = await s.said({ amountSen: 4_000n }, { amountSen: 6_000n })
  const payments = [await s.paymentOf(later)]
  assert.match(
    String(await s.allocatePayments(parts, payments)),
    /was asked for on 2026-11-23, and the debit is of 2026-11-21/,
  )
  // Nor in the place of another line.
  const [ofThe22nd = 0n] = await s.said({ amountSen: 10_000n })
  assert.equal(await s.assign(ofThe22nd, unasked), undefined)
  assert.equal((await s.takeBack(ofThe20th)).result, 'taken_back')
  const replacement = { lineNo: ofThe20th }
  const replaced = await s.db.transaction((tx) =>
    replaceLine({ tx, secrets: TEST_SECRETS }, ofThe22nd, { replacement, ...why }),
  )
  assert.match(replaced.result === 'refused' ? replaced.sentence : replaced.result, refused)
})

test('of a payout that was paid anew it is that of the payment before, unless that has its debit: then it is claimed back', async () => {
  const s = await sent('100')
  const [payoutId = ''] = s.payouts.map((each) => each.payoutId)
  const refusal = { kind: 'rejected', reason: 'AC04', effectiveAt: LATER } as const
  await s.db.transaction((tx) => refuse(tx, { payoutId, attempt: 1 }, refusal))
  await s.db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
  s.world.clock.now = LATER
  await s.world.payDue()
  const payment = await s.paymentOf(payoutId)
  assert.equal(payment.attempt, 2)
  await s.said()
  await s.said()
  const [one = 0n, other = 0n] = await s.said({ amountSen: 10_000n }, { amountSen: 10_000n })
  assert.equal(await s.assign(one, { kind: 'payout', ...payment }), undefined)
  const belongs = async () => (await listLinesOf(s.db, payoutId, { before: undefined, limit: 10 })).map(({ to }) => to)
  assert.deepEqual(await belongs(), [`${payoutId}/1`])
  assert.deepEqual(await s.statuses(), ['sent'])
  assert.match(
    (await s.assign(other, { kind: 'payout', ...payment })) ?? 'assigned',
    new RegExp(`${payoutId}/2 was asked for on 2026-11-23, .* If the bank has paid ${payoutId} twice, claim that back`),
  )
  assert.equal(await s.assign(other, { kind: 'claim', ...payment }), undefined)
  await s.check([`payout_twice ${payoutId}/1/claim/1`])
})

test('of a payout that was paid anew twice it is claimed back as a second debit of the payment that has one, though the one before that has none', async () => {
  const s = await sent('100')
  const [payoutId = ''] = s.payouts.map((each) => each.payoutId)
  const again = async (day: number) => {
    await s.db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
    s.world.clock.now = new Date(`2026-11-${day}T02:00:00Z`)
    await s.world.payDue()
    return await s.paymentOf(payoutId)
  }
  const refusal = { kind: 'rejected', reason: 'AC04', effectiveAt: LATER } as const
  await s.db.transaction((tx) => refuse(tx, { payoutId, attempt: 1 }, refusal))
  await again(21)
  const [{ endToEndId = '' } = {}] = await s.db.query<{ endToEndId: string }>(
    'select end_to_end_id as "endToEndId" from payouts where payout_id = $1',
    [payoutId],
  )
  await s.said()
  // It is debited twice, once without our id, and given back.
  const [other = 0n] = await s.said(
    { amountSen: 10_000n, endToEndId },
    { amountSen: 10_000n, endToEndId, credit: true, returnReason: 'AC04' },
    { amountSen: 10_000n },
  )
  assert.deepEqual(await s.statuses(), ['returned'])
  const payment = await again(25)
  const claim = { kind: 'claim', ...payment } as const
  assert.equal(payment.attempt, 3)
  const [unallocated] = (await s.unallocated()).filter(({ lineNo }) => lineNo >= other)
  assert.equal(await s.assign(unallocated?.lineNo ?? 0n, claim), undefined)
  await s.check([`payout_twice ${payoutId}/2/claim/1`])
  // What gives it back names the payment, and closes the claim by itself.
  await s.said({ amountSen: 10_000n, endToEndId, credit: true })
  assert.deepEqual(await s.unallocated(), [])
  await s.check()
})

const LOST = {
  // As `queuePayouts` leaves it where the chain has settled its redeem in a history that the database has lost.
  'the chain has settled': 'update payouts set ask_first = true where payout_id = $1',
  // As `readBack` leaves it.
  'the folder holds':
    'update filed_payments set payout_id = null where end_to_end_id = (select end_to_end_id from payouts where payout_id = $1)',
}

/** As a restore leaves it: it may have been asked for, and retried, since its backup, and is again. */
const RESTORED = {
  'the payout': `update payouts set made_on = 'before' where payout_id = $1`,
  'its batch as signed': `update batches set signed_on = 'before' where $1 <> ''`,
}

for (const [what, sql] of Object.entries(RESTORED)) {
  test(`what a rail that cannot be read back is asked for after a restore whose backup had ${what} may have been asked for before; of payment files the folder says so`, async () => {
    const s = await oneAndLater()
    const [line = 0n] = await s.said({ amountSen: 10_000n })
    await s.world.payDue()
    const asked = /was asked for on 2026-11-23/
    await withoutGuards(s.db, (tx) => tx.query(sql, [s.later]))
    assert.match((await s.assign(line, s.unasked)) ?? 'assigned', asked)
    await withoutGuards(s.db, async (tx) => {
      for (const table of ['payouts', 'payout_attempts'])
        await tx.query(`update ${table} set rail = 'http' where payout_id = $1`, [s.later])
    })
    assert.equal(await s.assign(line, s.unasked), undefined)
    assert.equal(await s.world.payoutStatus(s.later), 'paid')
  })
}

for (const [what, sql] of Object.entries(LOST)) {
  test(`what ${what} in a history that was lost may have been asked for before its debit`, async () => {
    const s = await oneAndLater()
    const [line = 0n] = await s.said({ amountSen: 10_000n })
    await s.world.payDue()
    assert.match((await s.assign(line, s.unasked)) ?? 'assigned', /was asked for on/)
    await s.db.query(sql, [s.later])
    assert.equal(await s.assign(line, s.unasked), undefined)
    assert.equal(await s.world.payoutStatus(s.later), 'paid')
  })
}

/** Paid anew on the 23rd, which its rail has refused as well; an operator had paid it by hand before that, and says so now. */
async function paidByHandLate() {
  const s = await sent('100')
  const [payoutId = ''] = s.payouts.map((each) => each.payoutId)
  const refuses = (attempt: number) =>
    s.db.transaction((tx) =>
      refuse(tx, { payoutId, attempt }, { kind: 'rejected', reason: 'AC04', effectiveAt: LATER }),
    )
  await refuses(1)
  await s.db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
  s.world.clock.now = LATER
  await s.world.payDue()
  await refuses(2)
  assert.ok(await s.db.transaction((tx) => payoutAdmin.markPaid(tx, payoutId, 'AT THE COUNTER')))
  return { ...s, payoutId, payment: { kind: 'payout', ...(await s.paymentOf(payoutId)) } as const }
}

test('a debit of before a later payment is what was paid by hand, where that has none: an earlier payment that failed does not take it', async () => {
  const s = await paidByHandLate()
  const [ofThe20th = 0n] = await s.said({ amountSen: 10_000n })
  assert.equal(await s.assign(ofThe20th, s.payment), undefined)
  const [line] = await listLinesOf(s.db, s.payoutId, { before: undefined, limit: 10 })
  assert.equal(line?.to, `${s.payoutId}/by_hand`)
  assert.deepEqual(await s.statuses(), ['paid_by_hand'])
  await s.check([])
})

test('a debit of before there was a payout is not what was paid by hand, nor can it take that one’s place', async () => {
  const s = await paidByHandLate()
  const [ofThe20th = 0n, other = 0n] = await s.said({ amountSen: 10_000n }, { amountSen: 10_000n })
  const since = (day: string) =>
    withoutGuards(s.db, async (tx) => {
      await tx.query('update payouts set created_at = $1::timestamptz', [day])
      await tx.query('update payout_attempts set asked_at = $1::timestamptz', [day])
    })
  await since('2026-11-22T04:00:00Z')
  const refused = new RegExp(`${s.payoutId} has been there since 2026-11-22, and the debit is of 2026-11-20`)
  assert.match((await s.assign(ofThe20th, s.payment)) ?? 'assigned', refused)
  await since('2026-11-21T04:00:00Z')
  assert.equal(await s.assign(ofThe20th, s.payment), undefined)
  await since('2026-11-22T04:00:00Z')
  const replaced = await s.db.transaction((tx) =>
    replaceLine({ tx, secrets: TEST_SECRETS }, ofThe20th, { replacement: { lineNo: other }, ...why }),
  )
  assert.match(replaced.result === 'refused' ? replaced.sentence : replaced.result, refused)
  // Of a redeem whose batch a backup had as signed it was there in a history that is lost.
  await withoutGuards(s.db, (tx) => tx.query(RESTORED['its batch as signed'], [s.payoutId]))
  const older = await s.db.transaction((tx) =>
    replaceLine({ tx, secrets: TEST_SECRETS }, ofThe20th, { replacement: { lineNo: other }, ...why }),
  )
  assert.notEqual(older.result, 'refused')
})
