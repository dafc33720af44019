// engine: postgres
/** Coin that a history which a restore has lost has minted back for a payout, under another name, or of another amount, than is asked for now. */
// Runbook: Backup and restore
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { acquireLease } from '../../src/leases/leases.sql.ts'
import { findFromBefore } from '../../src/payouts/from-before.sql.ts'
import { findLostRefund } from '../../src/payouts/lost-refunds.sql.ts'
import type { Rail } from '../../src/payouts/rail.ts'
import { markPaid, markRefused, markReturned } from '../../src/payouts/record-news.ts'
import { claimCameBack, idsOfRetries } from '../../src/payouts/unretried.sql.ts'
import { insertGivenUp } from '../../src/settlement/tables/explanations.sql.ts'
import { barUntilFenced } from '../../src/settlement/tables/fences.sql.ts'
import { forgetAfterGap } from '../../src/settlement/tables/holds.sql.ts'
import { refundTag } from '../../src/values/order-tag.ts'
import { createCopying } from '../chain-model/copies.ts'
import { A_BANK, giveBank, TEST_SECRETS } from '../support/bank-details.ts'
import { claimPayouts, roomFor } from '../support/claim-payouts.ts'
import { asRole, type TestDatabase } from '../support/database.ts'
import { payDue } from '../support/pay-due.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { booked, differences, link, requireBalances, settleNext } from './executing-again.ts'
import { silent } from './fixture.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { lose } from './losing.ts'
import { AMOUNT, beginChain, lookAtBurns, payoutOf, REDEEM, redeemed, refund, settle } from './lost-burn.ts'
import { ALONE, CHAIN, mint } from './repairing.ts'
import { mintOf, settleAfter } from './replacing.ts'
import { NEVER, type Stepped } from './stepped.ts'

const chain = beginChain()

const cameBack = (s: Stepped) =>
  withoutGuards(s.db, (tx) => tx.query(`update payouts set status = 'rejected', times_asked = 1, rail = 'http'`))

/** Its payout has come back, unless less is said of it, when the database is copied, and its coin is minted back since. */
async function restoreBefore(
  s: Stepped,
  mintBack: (payoutId: string) => Promise<void>,
  { then = async () => {}, until }: { then?: (payoutId: string) => Promise<void>; until?: 'seen' | 'burnt' } = {},
) {
  const { copy, putBack } = await createCopying(s.db)
  const { redeem, payoutId } = await redeemed(s, until && { until })
  const before = await copy()
  await lookAtBurns(s)
  await cameBack(s)
  await mintBack(payoutId)
  await settleNext(s)
  await putBack(before)
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  await s.forget()
  await then(payoutId)
  await lookAsSettler(s, 4)
  return { redeem, payoutId }
}

test('the second refund of a lost history is found where its first had never been signed: the coin was minted back twice', async (t: TestContext) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await restoreBefore(s, async (id) => {
    await refund(s, id)
    await (await startEyes(s, t)).reject(`/orders/refunds/${id}`)
    await refund(s, id)
  })
  const eyes = await startEyes(s, t)
  await assert.rejects(eyes.retry(payoutId), /minted back/)
  await eyes.refund(payoutId)
  await lookAsSettler(s, 3)
  await requireBalances(s, { 1: AMOUNT })
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.deepEqual(await differences(s), [])
})

test('one that was pending in the backup takes what the next one has minted back there, after it had been rejected: its coin was minted twice', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { copy, putBack } = await createCopying(s.db)
  const { redeem, payoutId } = await redeemed(s)
  await refund(s, payoutId)
  const before = await copy()
  await (await startEyes(s, t)).reject(`/orders/refunds/${payoutId}`)
  await leave(s, 2n)
  await refund(s, payoutId)
  await settleNext(s)
  await putBack(before)
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  await s.forget()
  await lookAsSettler(s, 8)
  await requireBalances(s, { 1: AMOUNT - PART + 2n })
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal(await booked(s, 'coins'), -(AMOUNT - PART + 2n))
  assert.deepEqual(await differences(s), [])
})

test('one that was pending in the backup is signed only where its payout was not paid again in the lost history: its holder got coin and ringgit', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await redeemed(s)
  await refund(s, payoutId)
  // As a restore leaves it.
  await withoutGuards(s.db, async (tx) => {
    await tx.query(`update payouts set made_on = 'before'`)
    await tx.query('update database_timelines set after_order_id = (select max(order_id) from orders)')
  })
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  await s.forget()
  await lookAsSettler(s, 8)
  await requireBalances(s, { 1: 0n })
  const reasons = () =>
    s.db.query('select reason from order_holds h join orders o using (order_id) where reference_id = $1', [payoutId])
  assert.deepEqual(await reasons(), [{ reason: 'refund_from_before' }])
  const eyes = await startEyes(s, t)
  await assert.rejects(eyes.releaseOrder(`/orders/refunds/${payoutId}`), /"coin order reject/)
  // Its rail has no later payment.
  await s.db.query('update payouts set unretried_on = database_timeline()')
  await eyes.releaseOrder(`/orders/refunds/${payoutId}`)
  await lookAsSettler(s, 4)
  await requireBalances(s, { 1: AMOUNT })
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
})

test('also where another database took over, and nothing was accepted there yet: it was signed at once', async () => {
  const s = await chain.begin({ config: ALONE })
  const { payoutId } = await redeemed(s)
  await refund(s, payoutId)
  await withoutGuards(s.db, async (tx) => {
    await tx.query(`update payouts set made_on = 'before'`)
    await tx.query(`update database_timelines set timeline = 'before'`)
  })
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  await lookAsSettler(s, 8)
  await requireBalances(s, { 1: 0n })
})

test('a payout that came back before a take-over is asked about although nobody has ordered since: its refund waited for the first order', async () => {
  const s = await chain.begin({ config: ALONE })
  const { payoutId } = await redeemed(s)
  await cameBack(s)
  await withoutGuards(s.db, async (tx) => {
    await tx.query(`update payouts set made_on = 'before'`)
    await tx.query(`update database_timelines set timeline = 'before'`)
  })
  await lookAsSettler(s, 1)
  const noted = await s.db.query(
    'select after_order_id as after, (select max(order_id) from orders) as newest from database_timelines where timeline = database_timeline()',
  )
  assert.equal(noted.length, 1)
  assert.equal(noted[0]?.after, noted[0]?.newest)
  await withoutGuards(s.db, (tx) =>
    tx.query(`update database_timelines set created_at = now() - interval '11 minutes'`),
  )
  assert.deepEqual(
    (await claimCameBack(s.db, 'http', 10)).map((each) => each.payoutId),
    [payoutId],
  )
})

for (const why of ['no settler had worked when it was begun', 'final batches were given up'] as const)
  test(`also where what tells older orders from newer ones says less, because ${why}: it was signed, and released without the word of its rail`, async (t) => {
    const s = await chain.begin({ config: ALONE })
    const { payoutId } = await redeemed(s)
    await withoutGuards(s.db, (tx) =>
      tx.query(`update leases set expires_at = now() - interval '1 hour' where name = 'settlement:${CHAIN}'`),
    )
    await refund(s, payoutId)
    await withoutGuards(s.db, async (tx) => {
      await tx.query(`update payouts set made_on = 'before'`)
      await tx.query(`update database_timelines set timeline = 'before'`)
    })
    if (why === 'final batches were given up') await s.db.transaction((tx) => barUntilFenced(tx, CHAIN))
    else await forgetAfterGap(s.db, CHAIN)
    // The clock of the database that has taken over is behind.
    await s.db.query(`update database_timelines set created_at = now() - interval '1 hour' where timeline <> 'before'`)
    const lease = await acquireLease(s.db, `settlement:${CHAIN}`, 'another', NEVER.leaseMs)
    assert.ok(lease)
    s.work.lease = lease
    await s.forget()
    await lookAsSettler(s, 8)
    await requireBalances(s, { 1: 0n })
    const eyes = await startEyes(s, t)
    await assert.rejects(eyes.releaseOrder(`/orders/refunds/${payoutId}`), /"coin order reject/)
    await eyes.reject(`/orders/refunds/${payoutId}`)
    // One that is begun here has heard what speaks against it.
    await refund(s, payoutId)
    await lookAsSettler(s, 4)
    await requireBalances(s, { 1: AMOUNT })
  })

test('one that is held is not rejected where another part of a sen was minted under its name: the next one minted its coin once more', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const mintBack = async (id: string) => {
    await leave(s, 1n)
    await refund(s, id)
  }
  const then = async (id: string) => {
    await refund(s, id)
    const held = await (await startEyes(s, t)).run(`/orders/refunds/${id}/hold`, { reason: 'it is looked at' })
    assert.equal(held.status, 200)
  }
  const { redeem, payoutId } = await restoreBefore(s, mintBack, { then })
  await lookAsSettler(s, 3)
  const eyes = await startEyes(s, t)
  await assert.rejects(eyes.reject(`/orders/refunds/${payoutId}`), /carried out|settled/)
  await withoutGuards(s.db, async (tx) => {
    await tx.query('delete from order_holds h using orders o where o.order_id = h.order_id and o.reference_id = $1', [
      payoutId,
    ])
    await tx.query('update orders set is_held = false where reference_id = $1', [payoutId])
  })
  await lookAsSettler(s, 3)
  await requireBalances(s, { 1: AMOUNT - PART + 1n })
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.deepEqual(await differences(s), [])
})

test('what a thief has minted under the name of a refund that had failed here keeps its payout from being paid no more: no word ended that', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await redeemed(s)
  await refund(s, payoutId)
  const eyes = await startEyes(s, t)
  await eyes.reject(`/orders/refunds/${payoutId}`)
  await settleAfter(s, 2n, [[mintOf(20, refundTag(payoutId))]])
  await s.mine(2)
  await lookAsSettler(s, 3)
  const [seen] = await s.db.query('select amount_micro::text as amount from foreign_instructions where tag = $1', [
    refundTag(payoutId),
  ])
  assert.deepEqual(seen, { amount: '5' })
  await eyes.retry(payoutId)
  assert.equal((await payoutOf(s, redeem))?.status, 'queued')
})

test('nor, once that is explained, where its chain is gone for good: no refund can be begun there, so that no word ended that', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await redeemed(s)
  await settleAfter(s, 2n, [[mintOf(20, refundTag(payoutId))]])
  await s.mine(2)
  await lookAsSettler(s, 3)
  const { one, alone } = await lose(s, t)
  const told = (await one(`/payouts/${payoutId}/retry`, {})).body.error.message
  assert.match(told, /"coin batch list --unexplained"/)
  assert.equal((await one(`/payouts/${payoutId}/refund`, {})).status, 409)
  await alone(`/batches/${CHAIN}/3/explain`, { reason: 'a thief has minted it' })
  await alone(`/payouts/${payoutId}/retry`, {})
  assert.equal((await payoutOf(s, redeem))?.status, 'queued')
})

test('its batch is not explained by being given up: what the chain has lost may be executed again', async () => {
  const s = await chain.begin({ config: ALONE })
  const { payoutId } = await redeemed(s)
  await settleAfter(s, 2n, [[mintOf(20, refundTag(payoutId))]])
  await s.mine(2)
  await lookAsSettler(s, 3)
  const lostRefund = () => findLostRefund(s.db, { payoutId, refunds: 0 })
  await insertGivenUp(s.db, CHAIN, 3n, 'the chain has lost it')
  assert.equal((await lostRefund())?.batchId, 3n)
  await s.db.query('update batch_explanations set gives_up = false')
  assert.equal(await lostRefund(), undefined)
})

for (const looks of [0, 1, 2])
  test(`nor is its coin minted twice where its batch is given up and a refund begun before it was taken back (after ${looks} looks)`, async (t) => {
    const s = await chain.begin({ config: { ...ALONE, bumpAfterBlocks: 2 }, times: { behindGraceMs: 0 } })
    const { redeem, payoutId } = await redeemed(s)
    await settleAfter(s, 2n, [[{ ...mintOf(1, refundTag(payoutId)), amount: AMOUNT }]])
    await s.mine(2)
    await lookAsSettler(s, 3)
    const [batch] = await s.db.query<{ mined: bigint }>(
      'select mined_block as mined from batches where chain_id = $1 and batch_id = 3',
      [CHAIN],
    )
    const { number } = await s.head()
    await s.rpc('anvil_rollback', Number(number - (batch?.mined ?? 0n)) + 1)
    await s.rpc('anvil_dropAllTransactions')
    await requireBalances(s, { 1: 0n })
    await s.mine(12)
    await lookAsSettler(s, 3)
    const eyes = await startEyes(s, t)
    await eyes.giveUp(3, { giveUp: true })
    await lookAsSettler(s, looks)
    await eyes.refund(payoutId)
    await lookAsSettler(s, 12)
    await requireBalances(s, { 1: AMOUNT })
    assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
    assert.deepEqual(await differences(s), [])
    assert.equal(s.held(), 'none')
    assert.deepEqual(await s.db.query('select from batch_explanations'), [])
  })

/** Of a part of a sen something has gone out with a later payout, as far as this database knows. */
const leave = (s: Stepped, micro: bigint) =>
  withoutGuards(s.db, (tx) => tx.query('update customer_residuals set owed_micro = $1', [micro]))
const PART = AMOUNT % 10_000n

test('what a lost history has minted back but for a part of a sen is taken, and not in conflict: rejected and begun anew, its coin was minted twice', async (t) => {
  for (const when of ['begun since', 'begun before it was read'] as const) {
    const s = await chain.begin({ config: ALONE })
    const mintBack = async (id: string) => {
      await leave(s, 1n)
      await refund(s, id)
    }
    const then = (id: string) => (when === 'begun since' ? Promise.resolve() : refund(s, id))
    const { redeem, payoutId } = await restoreBefore(s, mintBack, { then })
    if (when === 'begun since') await (await startEyes(s, t)).refund(payoutId)
    await lookAsSettler(s, 3)
    await requireBalances(s, { 1: AMOUNT - PART + 1n })
    assert.equal((await payoutOf(s, redeem))?.status, 'refunded', when)
    assert.deepEqual(await differences(s), [], when)
    assert.equal(await booked(s, 'coins'), -(AMOUNT - PART + 1n))
  }
})

test('likewise where that had minted more: its integration owes the part', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await restoreBefore(s, (id) => refund(s, id))
  await leave(s, 1n)
  const owed = await booked(s, 'mint_receivable')
  await (await startEyes(s, t)).refund(payoutId)
  await lookAsSettler(s, 3)
  await requireBalances(s, { 1: AMOUNT })
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal((await booked(s, 'mint_receivable')) - owed, PART - 1n)
  assert.equal(await booked(s, 'coins'), -AMOUNT)
})

test('one of which the restored database knows nothing but its burn is not paid: its refund takes what has minted it back', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await restoreBefore(s, (id) => refund(s, id), { until: 'burnt' })
  const payer = (await asRole(s.db, 'payer')) as TestDatabase
  await lookAtBurns({ ...s, db: payer })
  await payer.close()
  assert.deepEqual(await payoutOf(s, redeem), { status: 'rejected', reason: null, burn: `${CHAIN}/2/0` })
  const eyes = await startEyes(s, t)
  await assert.rejects(eyes.retry(payoutId), /minted back/)
  await eyes.refund(payoutId)
  await lookAsSettler(s, 3)
  await requireBalances(s, { 1: AMOUNT })
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.deepEqual(await differences(s), [])
})

test('one that was to be paid, and of which its bank says that it came back, is refunded by that: it was held for ever', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await restoreBefore(s, (id) => refund(s, id), { until: 'seen' })
  const line = { bankAccount: 'reserve', reference: 'R', effectiveAt: new Date(), reason: 'closed' }
  await claimPayouts(s.db, { rail: 'http', limit: 1, claimMs: 60_000 })
  await s.db.transaction((tx) => markReturned(tx, { payoutId, attempt: 1 }, line))
  assert.equal((await payoutOf(s, redeem))?.status, 'returned')
  await (await startEyes(s, t)).refund(payoutId)
  await lookAsSettler(s, 3)
  await requireBalances(s, { 1: AMOUNT })
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
})

test('on a chain that is gone for good it ends as minted back: refund and retry sent people to each other for ever', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await restoreBefore(s, async (id) => {
    await leave(s, 1n)
    await refund(s, id)
  })
  const { one, alone } = await lose(s, t)
  assert.match(
    (await one(`/payouts/${payoutId}/retry`, {})).body.error.message,
    /"coin payout refund po_\w+" takes that outcome/,
  )
  await alone(`/payouts/${payoutId}/refund`, {})
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  assert.equal(await booked(s, 'coins'), -(AMOUNT - PART + 1n))
})

test('also where its bank has carried out after all what it had refused: refund, retry and mark-paid sent people to each other for ever', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await restoreBefore(s, (id) => refund(s, id))
  const line = { bankAccount: 'reserve', reference: 'R', effectiveAt: new Date() }
  const said = await s.db.transaction((tx) => markPaid(tx, { payoutId, attempt: 1 }, line))
  assert.equal(said?.outcome, 'extra', 'the holder has the coin')
  const { one, alone } = await lose(s, t)
  for (const [verb, body] of [
    ['retry', {}],
    ['mark-paid', { reference: 'R' }],
  ] as const)
    assert.equal((await one(`/payouts/${payoutId}/${verb}`, body)).status, 409)
  await alone(`/payouts/${payoutId}/refund`, {})
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  assert.equal(await booked(s, 'coins'), -AMOUNT)
  assert.equal(await booked(s, 'unallocated'), AMOUNT - PART)
})

for (const clock of ['right', 'behind'] as const)
  test(`one whose batch the backup had as signed is not refunded before its rail was asked for later payments, where the clock of the database is ${clock}: its holder got coin and ringgit`, async (t) => {
    const s = await chain.begin({ config: ALONE })
    const { copy, putBack } = await createCopying(s.db)
    await link(s, 1)
    await settle(s, mint(1, AMOUNT))
    const [redeem = 0n] = await s.place(REDEEM)
    await s.round()
    const before = await copy()
    await s.mine(2)
    await lookAsSettler(s, 2)
    // There its bank refuses it, and makes the payment of a retry.
    assert.equal((await payoutOf(s, redeem))?.status, 'queued')
    await putBack(before)
    await s.db.query('delete from database_timelines')
    await s.db.query(`update batches set signed_on = 'before' where chain_id = $1`, [CHAIN])
    await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
    await s.forget()
    await lookAsSettler(s, 4)
    if (clock === 'behind') await s.db.query(`update database_timelines set created_at = now() - interval '1 hour'`)
    await lookAtBurns(s)
    assert.equal((await payoutOf(s, redeem))?.burn, `${CHAIN}/2/0`)
    await giveBank(s.db, A_BANK)
    const fromBefore = (await findFromBefore(s.db, { ...roomFor(1), rail: 'http', mayAsk: true })).map(
      (each) => each.payoutId,
    )
    const [claim] = await claimPayouts(s.db, { rail: 'http', limit: 1, claimMs: 60_000, fromBefore })
    await s.db.transaction((tx) => markRefused(tx, claim ?? assert.fail(), 'account closed'))
    const eyes = await startEyes(s, t)
    const payoutId = claim?.payoutId ?? ''
    await assert.rejects(eyes.refund(payoutId), /may have had it paid again/)
    await s.db.query('update payouts set unretried_on = database_timeline()')
    await eyes.refund(payoutId)
  })

test('where that had had it paid again before, its coin is only to be recorded as minted back: refund and retry sent people to each other for ever', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId } = await restoreBefore(s, (id) => refund(s, id))
  await readBack(s, payoutId)
  await (await startEyes(s, t)).refund(payoutId)
  await lookAsSettler(s, 3)
  await requireBalances(s, { 1: AMOUNT })
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
})

/** A file of the lost history has the next payment of a payout, which came back, too. */
async function readBack(s: Stepped, payoutId: string) {
  const [payout] = await s.db.query<{ integrationId: string; referenceId: string; attempt: number }>(
    `select o.integration_id as "integrationId", o.reference_id as "referenceId", p.attempt from payouts p join orders o using (order_id) where p.payout_id = $1`,
    [payoutId],
  )
  assert.ok(payout)
  await withoutGuards(s.db, async (tx) => {
    await tx.query(
      `insert into payment_files (message_id, prefix, file_number, content, content_hash) values ('M-00000001', 'M', 1, 'sb1.x', repeat('0', 64))`,
    )
    await tx.query(
      `insert into filed_payments (end_to_end_id, amount_sen, bank_id, is_resident, remittance, message_id) values ($1, 2, 'b', true, 'r', 'M-00000001')`,
      [idsOfRetries(payout)[0] ?? ''],
    )
  })
}

/** A rail that knows nothing of any payment, and makes each. */
function forgetfulRail() {
  const paid: string[] = []
  const rail: Rail = {
    name: 'http',
    initiate: async ({ payoutId }) => {
      paid.push(payoutId)
      return { result: 'accepted', railReference: 'R' }
    },
    status: async () => ({ result: 'none' }),
  }
  return { rail, paid }
}

/** As a restore leaves a payout; the second one where the fence was final here, so that it was queued and its burn seen, and the chain has lost that fence. */
const BEFORE = {
  'one that was to be paid': `update payouts set made_on = 'before'`,
  'one that is to be paid since, of a batch that the backup had as signed': `update batches set signed_on = 'before' where chain_id = ${CHAIN}`,
}

for (const [what, sql] of Object.entries(BEFORE))
  for (const isMintedBack of [true, false])
    test(`${what}, and for which no rail was asked, is ${isMintedBack ? 'not paid where its coin is there: its holder got coin and ringgit' : 'paid once its chain is fenced, where its coin is not there'}`, async (t) => {
      const s = await chain.begin({ config: ALONE })
      const { rail, paid } = forgetfulRail()
      const payAsPayer = async () => {
        const db = (await asRole(s.db, 'payer')) as TestDatabase
        await s.db.query(`update payouts set next_attempt_at = now() - interval '1 second'`)
        await payDue({ db, rail, secrets: TEST_SECRETS, logger: silent })
        await db.close()
      }
      const then = async () => {
        await giveBank(s.db, A_BANK)
        await withoutGuards(s.db, (tx) => tx.query(sql))
        await payAsPayer()
        const [waits] = await s.db.query<{ why: string; status: string }>(
          'select last_error as why, status from payouts',
        )
        assert.match(waits?.why ?? '', /until the fence of its chain is final/)
        assert.equal(waits?.status, 'queued')
      }
      const mintBack = async (id: string) => (isMintedBack ? await refund(s, id) : undefined)
      const { redeem, payoutId } = await restoreBefore(s, mintBack, { then, until: 'seen' })
      await payAsPayer()
      assert.deepEqual(await s.db.query('select status from payout_attempts'), isMintedBack ? [] : [{ status: 'sent' }])
      assert.deepEqual(paid, isMintedBack ? [] : [payoutId])
      if (!isMintedBack) return
      assert.equal((await payoutOf(s, redeem))?.status, 'rejected')
      await (await startEyes(s, t)).refund(payoutId)
      await lookAsSettler(s, 3)
      await requireBalances(s, { 1: AMOUNT })
      assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
      assert.deepEqual(await differences(s), [])
    })
