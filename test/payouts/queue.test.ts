// engine: postgres; both in test:long
/** Payouts are queued once, under names that follow from their orders, and shown as they are. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { findPayout, listPayouts } from '../../src/payouts/payouts.sql.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import { accountOf, CUSTOMERS, integrationOf, type Party, placeOrder } from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { createThreePayouts, idOf, type ThreePayouts } from './three-payouts.ts'

let s: ThreePayouts
before(async () => {
  s = await createThreePayouts()
})
beforeEach(() => s.renew())
after(() => s.db.close())

describe('queueing', () => {
  it('gives each redeem a payout of its own, and a second one never', async () => {
    assert.equal(new Set([s.first, s.second, s.third].map(idOf)).size, 3)
    for (const { payoutId } of [s.first, s.second, s.third]) {
      assert.match(payoutId, /^po_[0-9a-f]{40}$/)
    }
    const redeems = [s.first, s.third].map(({ orderId, party }) => ({
      orderId,
      customerId: CUSTOMERS[party],
      amountMicro: 77_777n,
    }))
    const fresh = await placeOrder(s.db, { direction: 'REDEEM', party: 'a1', reference: `redeem-${s.round()}-fresh` })
    const both = [...redeems, { orderId: fresh, customerId: CUSTOMERS.a1, amountMicro: 10_000n }]
    const line = `payout a/redeem-${s.round()}-fresh`
    const changed = await s.changes(async () => {
      const paid = await s.db.transaction((tx) => queuePayouts(tx, both))
      assert.deepEqual([...paid.keys()].sort(), [s.first.orderId, s.third.orderId, fresh].sort())
      assert.equal(paid.get(fresh), 1n)
    })
    assert.deepEqual(changed, { [line]: 'queued 1 a1 asked 0' })
    assert.deepEqual(await s.changes(() => s.db.transaction((tx) => queuePayouts(tx, both))), {})
    assert.deepEqual(await s.changes(() => s.db.transaction((tx) => queuePayouts(tx, []))), {})
  })

  it('names payout and payment by integration and reference alone, so that a restored database makes the same names', async () => {
    const facts: [Party, string, string][] = [
      ['a1', `same-${s.round()}-reference`, '2026-10-31T23:59:59.999Z'],
      ['a1', `same-${s.round()}-reference`, '2026-10-31T23:59:59.998Z'],
      ['a1', `same-${s.round()}-another`, '2026-10-31T23:59:59.999Z'],
      ['b1', `same-${s.round()}-reference`, '2026-10-31T23:59:59.999Z'],
    ]
    const ids: string[] = []
    for (const [party, reference, createdAt] of facts) {
      const orderId = await placeOrder(s.db, { direction: 'REDEEM', party, reference, createdAt })
      await s.db.transaction((tx) =>
        queuePayouts(tx, [{ orderId, customerId: CUSTOMERS[party], amountMicro: 10_000n }]),
      )
      const [row] = await s.db.query<{ ids: string }>(
        `select payout_id || ' ' || end_to_end_id as ids from payouts where order_id = $1`,
        [orderId],
      )
      ids.push(row?.ids ?? '')
      await s.db.query('delete from payouts where order_id = $1', [orderId])
      await s.db.query('delete from orders where order_id = $1', [orderId])
    }
    assert.equal(ids[0], ids[1])
    assert.equal(new Set(ids).size, 3)
    assert.equal(new Set(ids.flatMap((both) => both.split(' '))).size, 6)
  })
})

describe('the list', () => {
  it('shows the oldest first, page by page, of one status when asked', async () => {
    await withoutGuards(s.db, (tx) =>
      tx.query(
        `update payouts set created_at = now() - case payout_id when $1 then interval '3 hours' else interval '2 hours' end`,
        [s.third.payoutId],
      ),
    )
    const together = [s.first, s.second].map(idOf).sort()
    const all = { status: undefined, after: undefined, limit: 10 }
    const listed = async (page: Partial<Parameters<typeof listPayouts>[1]>) =>
      (await listPayouts(s.db, { ...all, ...page })).map(({ payoutId }) => payoutId)
    assert.deepEqual(await listed({}), [s.third.payoutId, ...together])
    assert.deepEqual(await listed({ limit: 2 }), [s.third.payoutId, together[0]])
    assert.deepEqual(await listed({ after: s.third.payoutId }), together)
    assert.deepEqual(await listed({ after: together[0] }), together.slice(1))
    await s.db.query(`update payouts set status = 'rejected', rail = 'http' where payout_id = $1`, [s.first.payoutId])
    assert.deepEqual(await listed({ status: 'rejected' }), [s.first.payoutId])
    assert.deepEqual(await listed({ status: 'sent' }), [])
    assert.deepEqual(await listed({ status: 'queued', after: s.third.payoutId }), [s.second.payoutId])
  })

  it('and a single look show a payout whole', async () => {
    await s.reject(await s.claimOne(s.first), 'closed')
    const found = await findPayout(s.db, s.first.payoutId)
    assert.ok(found)
    const { bankId, createdAt, updatedAt, nextAttemptAt, statusSince, endToEndId, burn, ...rest } = found
    assert.match(bankId ?? '', /^bnk_/)
    assert.ok(statusSince >= createdAt && /^[0-9A-Z]{12}$/.test(endToEndId))
    assert.ok(createdAt instanceof Date && updatedAt >= createdAt && nextAttemptAt instanceof Date)
    assert.deepEqual(rest, {
      payoutId: s.first.payoutId,
      orderId: s.first.orderId,
      integrationId: integrationOf('a1'),
      referenceId: `redeem-${s.round()}-first`,
      customerId: CUSTOMERS.a1,
      amountSen: 1_205n,
      rail: 'http',
      status: 'rejected',
      holdReason: null,
      owner: null,
      attempt: 1,
      timesAsked: 1,
      bankBic: accountOf('a1').bic,
      accountEnding: accountOf('a1').account.slice(-4),
      railReference: null,
      lastError: 'closed',
      refundOrder: null,
      isBeingRefunded: false,
    })
    assert.equal(await findPayout(s.db, 'po_none'), undefined)
  })
})
