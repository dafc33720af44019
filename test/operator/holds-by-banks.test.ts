// engine: postgres; both in test:long
/** What people hold a payout for is not forgotten because of what a bank says of its payments meanwhile. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rejectUnsettleable } from '../../src/orders/life/hold.sql.ts'
import type { News } from '../../src/payouts/news.sql.ts'
import { recordNews } from '../../src/payouts/record-news.ts'
import { failRefund } from '../../src/payouts/refund.sql.ts'
import { addPayoutOf, type Pairs, startPairs } from './approval-pairs.ts'
import { addParty } from './world.ts'

let pairs: Pairs
before(async () => {
  pairs = await startPairs()
})
after(() => pairs.close())

/** A payout that its rail was asked for, and that somebody holds at the word of the police. */
async function heldWhileAsked() {
  const { db } = pairs
  const payoutId = await addPayoutOf(pairs, await addParty(db), 'queued')
  const ask = () =>
    db.query(
      `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail)
       select payout_id, attempt, end_to_end_id, rail from payouts where payout_id = $1`,
      [payoutId],
    )
  const news = (attempt: number, said: object) =>
    db.transaction((tx) => recordNews(tx, { payoutId, attempt }, { effectiveAt: new Date(), ...said } as News))
  const [one, two] = pairs.pairOf('treasury')
  const byTwo = async (verb: string, body: object) => {
    const target = `/payouts/${payoutId}/${verb}`
    const asked = (await one.call('POST', target, body)).body
    if (asked.error !== undefined) return asked
    await two.call('POST', `/approvals/${asked.approvalId}/approve`, {})
    return (await one.call('POST', target, body, { 'x-approval': asked.approvalId })).body
  }
  const hold = async () => {
    const held = await one.call('POST', `/payouts/${payoutId}/hold`, { reason: 'asked by the police' })
    assert.equal(held.status, 200, JSON.stringify(held.body))
  }
  const show = async () => (await one.call('GET', `/payouts/${payoutId}`)).body.payout
  await ask()
  return { payoutId, ask, news, byTwo, hold, show, one }
}

test('an earlier payment of one that people hold was made after all: it is held for both', async () => {
  const { ask, news, byTwo, hold, show } = await heldWhileAsked()
  await news(1, { kind: 'rejected', reason: 'no such account' })
  const retried = await byTwo('retry', {})
  assert.equal(retried.payout?.status, 'queued', JSON.stringify(retried))
  await pairs.db.query(`update payouts set rail = 'simulated' where status = 'queued'`)
  await ask()
  await hold()
  await news(1, { kind: 'sent', railReference: 'R1' })
  const held = await show()
  assert.match(held.holdReason, /^an earlier attempt was carried out after all/)
  assert.deepEqual(
    held.holds.map(({ reason }: { reason: string }) => reason),
    ['other_attempt', 'asked by the police'],
  )
  await news(1, { kind: 'rejected', reason: 'it came to nothing' })
  const reason = 'the first was not paid'
  const late = await byTwo('release', { reason, held: ['other_attempt'] })
  assert.match(late.error?.message ?? late.payout.status, /You have not named all/)
  const done = await byTwo('release', { reason, held: ['other_attempt', 'the police'] })
  assert.equal(done.payout?.status, 'queued', JSON.stringify(done))
})

test('a bank refuses what people have said to be paid while they held it: whoever would pay it again reads that', async () => {
  const { payoutId, news, byTwo, hold, show, one } = await heldWhileAsked()
  await hold()
  const paid = await byTwo('mark-paid', { reference: 'our own transfer 17' })
  assert.equal(paid.payout?.status, 'sent', JSON.stringify(paid))
  await news(1, { kind: 'rejected', reason: 'no such account' })
  const refused = await show()
  assert.equal(refused.status, 'rejected')
  assert.match(refused.beware, /while it was held, that it was paid as “our own transfer 17”/)
  const asked = await one.call('POST', `/payouts/${payoutId}/retry`, {})
  const { body } = await one.call('GET', `/approvals/${asked.body.approvalId}`)
  assert.match(JSON.stringify(body), /our own transfer 17/, 'whoever approves it reads that, too')
  const again = await byTwo('mark-paid', { reference: 'our own transfer 17, as before' })
  assert.equal(again.payout?.status, 'paid_by_hand', JSON.stringify(again))
})

test('a bank refuses what people hold: whoever would pay it again, or mint its coin back, reads that nobody has let it go', async () => {
  const { news, byTwo, hold, show, one, payoutId } = await heldWhileAsked()
  await hold()
  await news(1, { kind: 'rejected', reason: 'no such account' })
  const refused = await show()
  assert.equal(refused.status, 'rejected')
  assert.match(refused.beware ?? 'nothing', /held it at \S+ for “asked by the police”, and nobody has let it go: /)
  const { approvalId } = (await one.call('POST', `/payouts/${payoutId}/retry`, {})).body
  const { about } = (await one.call('GET', `/approvals/${approvalId}`)).body.approval
  assert.match(JSON.stringify(about), /nobody has let it go/)
  assert.equal((await byTwo('retry', {})).payout?.status, 'queued')
  await news(2, { kind: 'rejected', reason: 'no such account' })
  assert.equal((await show()).beware, undefined, 'two people have decided that since')
})

test('a bank takes what people hold, and somebody says that it never paid: nobody has let it go by that', async () => {
  const { news, byTwo, hold, show } = await heldWhileAsked()
  await hold()
  await news(1, { kind: 'sent', railReference: 'R1' })
  const done = await byTwo('mark-unpaid', { payment: 'R1', reason: 'the bank knows nothing of it' })
  assert.equal(done.payout?.status, 'rejected', JSON.stringify(done))
  assert.match((await show()).beware ?? 'nothing', /“asked by the police”, and nobody has let it go: /)
})

test('coin of what people held was to be minted back, and is not: nobody has let it go by that', async () => {
  const { news, byTwo, hold, show, payoutId } = await heldWhileAsked()
  const { db } = pairs
  await hold()
  await news(1, { kind: 'rejected', reason: 'no such account' })
  await db.query(
    'insert into customer_residuals (customer_id, owed_micro) select customer_id, 0 from payouts where payout_id = $1',
    [payoutId],
  )
  const begun = await byTwo('refund', {})
  assert.equal(begun.payout?.status, 'rejected', JSON.stringify(begun))
  const [refund] = await db.query<{ orderId: bigint }>(
    `select order_id as "orderId" from orders where integration_id = 'refunds' and reference_id = $1`,
    [payoutId],
  )
  await db.transaction(async (tx) => {
    const order = await rejectUnsettleable(tx, refund?.orderId ?? 0n)
    assert.ok(order)
    await failRefund(tx, order, 'an operator has rejected it')
  })
  assert.match((await show()).beware ?? 'nothing', /“asked by the police”, and nobody has let it go: /)
})

for (const rule of ['other_attempt', 'burn_not_seen'] as const)
  test(`what a rule holds until people let it go is held for what others ask, too: ${rule}`, async () => {
    const { db, pairOf } = pairs
    const payoutId = await addPayoutOf(pairs, await addParty(db), 'held', rule)
    const [one, two] = pairOf('treasury')
    const body = { reason: 'asked by the police' }
    const held = await one.call('POST', `/payouts/${payoutId}/hold`, body)
    assert.equal(held.status, 200, JSON.stringify(held.body))
    assert.equal((await one.call('POST', `/payouts/${payoutId}/hold`, { reason: 'and by the court' })).status, 200)
    const { holds } = (await one.call('GET', `/payouts/${payoutId}`)).body.payout
    assert.deepEqual(
      holds.map(({ reason }: { reason: string }) => reason),
      [rule, 'asked by the police', 'and by the court'],
    )
    const target = `/payouts/${payoutId}/release`
    const late = { reason: 'it may go on', held: [rule] }
    assert.match((await one.call('POST', target, late)).body.error?.message ?? 'nothing', /You have not named all/)
    const all = { ...late, held: [rule, 'police', 'court'] }
    const { approvalId } = (await one.call('POST', target, all)).body
    await two.call('POST', `/approvals/${approvalId}/approve`, {})
    const done = await one.call('POST', target, all, { 'x-approval': approvalId })
    assert.equal(done.body.payout?.status, 'queued', JSON.stringify(done.body))
  })

test('whoever holds one again and again, as a script does, does not have forgotten what others hold it for', async () => {
  const { byTwo, hold, payoutId } = await heldWhileAsked()
  await hold()
  await pairs.db.query(
    `with said as (insert into audit_log (actor, origin, action, target, details)
       select 'a script', 'cli', 'payout.hold', $1, '{"reason":"not sure yet"}' from generate_series(1, 300) returning audit_id)
     insert into audit_unsealed (audit_id) select audit_id from said`,
    [payoutId],
  )
  const late = await byTwo('release', { reason: 'we are sure now', held: ['not sure yet'] })
  assert.match(late.error?.message ?? late.payout?.status, /You have not named all .*asked by the police/)
  const done = await byTwo('release', { reason: 'we are sure now', held: ['not sure yet', 'the police'] })
  assert.equal(done.payout?.status, 'queued', JSON.stringify(done))
})
