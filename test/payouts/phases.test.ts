// engine: postgres; both in test:long
/** What partners see of a payout, whatever becomes of it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findOrder } from '../../src/orders/read/orders.sql.ts'
import { viewOrder } from '../../src/orders/view.ts'
import { PAYOUT_STATUSES, type PayoutStatus } from '../../src/payouts/payout.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { CUSTOMERS, INTEGRATIONS, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  await seedTwoOfEverything(db)
})
after(() => db.close())

const PHASES: Record<PayoutStatus, string> = {
  queued: 'PAYOUT_PENDING',
  held: 'PAYOUT_HELD',
  sent: 'COMPLETED',
  paid: 'COMPLETED',
  rejected: 'PAYOUT_REJECTED',
  returned: 'PAYOUT_RETURNED',
  paid_by_hand: 'COMPLETED',
  refunded: 'REFUNDED',
}

test('the phase follows the payout, before the redeem is completed and after it, and so does the time of its last change', async () => {
  const since = new Date(Date.now() + 60_000)
  for (const state of ['payoutPending', 'completed'] as const) {
    for (const status of PAYOUT_STATUSES) {
      const reference = `phase-${state}-${status}`
      const orderId = await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference, state })
      await db.transaction((tx) => queuePayouts(tx, [{ orderId, customerId: CUSTOMERS.a1, amountMicro: 10_000n }]))
      await withoutGuards(db, (tx) =>
        tx.query(
          `update payouts set status = $2, rail = 'http', rail_reference = 'R',
             hold_reason = case $2 when 'held' then 'by_operator' end, status_since = $3 where order_id = $1`,
          [orderId, status, since],
        ),
      )
      const order = await findOrder(db, INTEGRATIONS.a, reference)
      assert.ok(order)
      assert.equal(viewOrder(order).phase, PHASES[status], `${state} ${status}`)
      assert.equal(viewOrder(order).timestamps.updatedAt, since.toISOString(), `${state} ${status}`)
      assert.equal(order.status, state === 'completed' ? 'completed' : 'processing')
    }
  }
})
