// engine: postgres
/** A refund, a retry and a late payment at the same time: one of them settles the payout. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import { markPaid, markRejected } from '../../src/payouts/record-news.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { CUSTOMERS, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'

const { refund, retry, markPaid: payByHand } = payoutAdmin
const ROUNDS = 12

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  await seedTwoOfEverything(db)
})
after(() => db.close())

let count = 0
async function refused(): Promise<string> {
  count += 1
  const reference = `redeem-race-${count}`
  const orderId = await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference, state: 'payoutPending' })
  await db.transaction((tx) => queuePayouts(tx, [{ orderId, customerId: CUSTOMERS.a1, amountMicro: 1_000_000n }]))
  const [row] = await db.query<{ payout_id: string }>('select payout_id from payouts where order_id = $1', [orderId])
  const payoutId = row?.payout_id ?? ''
  await claimPayouts(db, { rail: 'http', limit: 99, claimMs: 60_000 })
  await db.transaction((tx) =>
    markRejected(tx, { payoutId, attempt: 1 }, { reason: 'closed', effectiveAt: new Date() }),
  )
  return payoutId
}
const refundsOf = async (payoutId: string) =>
  (await db.query(`select from orders where integration_id = 'refunds' and reference_id like $1 || '%'`, [payoutId]))
    .length

test('of two refunds one begins', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const payoutId = await refused()
    const begun = await Promise.all([1, 2, 3].map(() => db.transaction((tx) => refund(tx, payoutId))))
    assert.equal(begun.filter((payout) => payout !== undefined).length, 1)
    assert.equal(await refundsOf(payoutId), 1)
  }
})

test('of a refund, a retry and a payment by hand one wins', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const payoutId = await refused()
    const done = await Promise.all([
      db.transaction((tx) => refund(tx, payoutId)),
      db.transaction((tx) => retry(tx, payoutId)),
      db.transaction((tx) => payByHand(tx, payoutId, 'R')),
    ])
    const winners = done.flatMap((payout, index) => (payout === undefined ? [] : [index]))
    assert.equal(winners.length, 1, `${winners}`)
    assert.equal(await refundsOf(payoutId), winners[0] === 0 ? 1 : 0)
  }
})

test('of a refund and a late payment one settles it; the other is refused, or known as extra', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const payoutId = await refused()
    const [refunded, paid] = await Promise.all([
      db.transaction((tx) => refund(tx, payoutId)),
      db.transaction((tx) =>
        markPaid(tx, { payoutId, attempt: 1 }, { bankAccount: '512', reference: 'S', effectiveAt: new Date() }),
      ),
    ])
    const status = (await findPayout(db, payoutId))?.status
    if (refunded === undefined) assert.deepEqual([paid?.outcome, status], ['recorded', 'paid'])
    else assert.deepEqual([paid?.outcome, status], ['extra', 'rejected'])
    assert.equal(await refundsOf(payoutId), refunded === undefined ? 0 : 1)
  }
})
