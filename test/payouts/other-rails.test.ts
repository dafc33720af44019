// engine: postgres; both in test:long
/** Payouts for which another rail was asked: held until it is configured again. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { createPayer } from '../../src/payouts/payer.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import { createSimulatedRail } from '../../src/payouts/rails/simulated.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { waitFor } from '../support/wait-for.ts'
import { startFakeBank } from './fake-bank.ts'
import { createPaying, railOf, SHORT_TIMEOUT_MS } from './paying.ts'

const s = createPaying()
before(() => s.begin())
after(() => s.end())
const { burntRedeem, httpRail, logger, payUntil, statusOf } = s

describe('the payer with payouts of other rails', () => {
  it('holds what another rail was asked for, says so, and goes on when that rail is configured again', async () => {
    const { orderId, payoutId } = await burntRedeem()
    s.bank.script.push('lose by hanging')
    await payUntil(httpRail(SHORT_TIMEOUT_MS), payoutId, 'asked')
    await s.orders.db.query('update payouts set next_attempt_at = now() where payout_id = $1', [payoutId])
    const fresh = await burntRedeem('1')
    await payUntil(createSimulatedRail(s.orders.db), fresh.payoutId, 'sent')
    assert.equal((await findPayout(s.orders.db, payoutId))?.status, 'held')
    const words = `payouts are held: the rail that was asked to pay it is not configured now, and no other may be asked: set PAYOUT_RAIL and PAYOUT_URL to that one again, and the payout goes on by itself`
    assert.ok(s.logged().includes(`"payouts":1,"msg":"${words};`), 'what is done about it')
    assert.equal(await statusOf(orderId), 'processing')
    await payUntil(httpRail(), payoutId, 'sent')
    assert.equal(await statusOf(orderId), 'completed')
    assert.match(s.logged(), /"payouts":1,"msg":"payouts of this rail are no longer held"/)
    assert.deepEqual(s.bank.conflicts, [])
  })

  it('sends nothing that an operator holds while it is held for another reason, which would go on by itself', async () => {
    const { payoutId } = await burntRedeem()
    s.bank.script.push('lose by hanging')
    await payUntil(httpRail(SHORT_TIMEOUT_MS), payoutId, 'asked')
    await s.orders.db.query('update payouts set next_attempt_at = now() where payout_id = $1', [payoutId])
    const fresh = await burntRedeem('1')
    await payUntil(createSimulatedRail(s.orders.db), fresh.payoutId, 'sent')
    const hold = () => s.orders.db.transaction((tx) => payoutAdmin.hold(tx, payoutId))
    assert.equal((await hold())?.holdReason, 'by_operator')
    assert.equal((await hold())?.holdReason, 'by_operator', 'whoever stops it once more has stopped it, too')
    const later = await burntRedeem('1')
    await payUntil(httpRail(), later.payoutId, 'sent')
    assert.equal((await findPayout(s.orders.db, payoutId))?.holdReason, 'by_operator')
    await s.orders.db.transaction((tx) => payoutAdmin.release(tx, payoutId))
    await payUntil(httpRail(), payoutId, 'sent')
    assert.deepEqual(s.bank.conflicts, [])
  })

  it('asks no other connector about what one was asked for: it knows nothing of it, and would pay it once more', async () => {
    const { orderId, payoutId } = await burntRedeem()
    s.bank.script.push('lose by hanging')
    await payUntil(httpRail(SHORT_TIMEOUT_MS), payoutId, 'asked')
    await s.orders.db.query('update payouts set next_attempt_at = now() where payout_id = $1', [payoutId])
    const other = await startFakeBank()
    const otherRail = railOf({ PAYOUT_URL: other.url })
    try {
      const fresh = await burntRedeem('1')
      await payUntil(otherRail, fresh.payoutId, 'sent')
      assert.deepEqual(other.paymentsOf(payoutId), [])
      assert.equal((await findPayout(s.orders.db, payoutId))?.status, 'held')
    } finally {
      await other.close()
    }
    await payUntil(httpRail(), payoutId, 'sent')
    assert.equal(await statusOf(orderId), 'completed')
    assert.equal(s.bank.paymentsOf(payoutId).length, 1)
  })

  it('looks for payouts of other rails again and again', async () => {
    const { payoutId } = await burntRedeem()
    await s.orders.db.query(
      `update payouts set rail = 'http', times_asked = 1, next_attempt_at = now() + interval '5 minutes' where payout_id = $1`,
      [payoutId],
    )
    const other = await burntRedeem('1')
    const payer = createPayer({
      db: s.orders.db,
      rail: createSimulatedRail(s.orders.db),
      secrets: TEST_SECRETS,
      logger,
      pollMs: 20,
      tendMs: 40,
    })
    const reach = (id: string, status: string) =>
      waitFor(`${id} to be ${status}`, async () => (await findPayout(s.orders.db, id))?.status === status)
    payer.start()
    await reach(other.payoutId, 'sent')
    await s.orders.db.query('update payouts set next_attempt_at = now() where payout_id = $1', [payoutId])
    await reach(payoutId, 'held')
    await payer.stop()
  })
})
