// engine: postgres
/**
 * A payout that is named by its id is not looked for among all of its status, whatever the planner knows about the table. Connections to
 * PostgreSQL plan without reading whole tables (src/db/postgres-client.ts); PGlite's reads an empty one.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import type { LockedPayout } from '../../src/payouts/attempts.sql.ts'
import { payByHand, returnByHand } from '../../src/payouts/by-hand.sql.ts'
import { type ClaimedPayout, isNewestClaim, markWithoutAccount } from '../../src/payouts/claims.sql.ts'
import { holdPayout, queueAttempt, releasePayout } from '../../src/payouts/payouts.sql.ts'
import { endRefund } from '../../src/payouts/refund.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { indexConditionsIn, rivalsIn } from '../support/rival-plans.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

/** Whatever is asked for is there. */
const ROW = {
  attempt: 1,
  by_hand: 1,
  integration_id: 'i',
  reference_id: 'r',
  payout_id: 'p',
  status: 'returned',
  refunds: 0,
  order_id: null,
  chain_id: 1n,
  amount_sen: 1n,
  customer_id: 'c',
  amount_micro: 10_000n,
}

test('every move of a payout finds it by its id', async () => {
  const texts = new Set<string>()
  const tx = {
    async query(text: string) {
      texts.add(text)
      return [ROW]
    },
  } as unknown as Queryable
  const locked = { payoutId: 'p', status: 'returned', isRefunding: false, orderId: null } as unknown as LockedPayout
  const claim = { payoutId: 'p', attempt: 1, timesAsked: 1 } as ClaimedPayout
  const refund = { referenceId: 'p', chainId: 1, customerId: 'c', amountMicro: 10_000n }
  // What is to be booked is not there.
  for (const move of [
    () => isNewestClaim(tx, claim),
    () => markWithoutAccount(tx, claim, 'x'),
    () => holdPayout(tx, 'p'),
    () => releasePayout(tx, 'p'),
    () => queueAttempt(tx, 'p'),
    () => payByHand(tx, locked, 'r'),
    () => returnByHand(tx, 'p', 'x', new Date()),
    () => endRefund(tx, refund, new Date()),
  ])
    await move().catch(() => {})
  const moves = [...texts].filter((text) => /\bpayouts\b.*\bstatus \|\| ''/s.test(text))
  assert.equal(moves.length, 9)
  for (const counted of [false, true]) {
    if (counted) await db.query('analyze payouts')
    for (const text of moves) {
      assert.deepEqual(await rivalsIn(db, text), [], text)
      assert.deepEqual(await indexConditionsIn(db, text, 'payouts'), ['(payout_id = $1)'], text)
    }
  }
})
