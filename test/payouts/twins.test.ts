// engine: postgres; both in test:long
/** Payments of two payouts with one end-to-end id, as a partner finds references for: one is paid, the other waits for people, and neither holds others up. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { pino } from 'pino'
import { ROLES } from '../../src/config.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { findPayments } from '../../src/payouts/attempts.sql.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import type { Rail } from '../../src/payouts/rail.ts'
import { giveBank, TEST_SECRETS } from '../support/bank-details.ts'
import { asRole } from '../support/database.ts'
import { payDue } from '../support/pay-due.ts'
import { accountOf, CUSTOMERS } from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { createThreePayouts, idOf, type Queued, type ThreePayouts } from './three-payouts.ts'

let s: ThreePayouts
before(async () => {
  s = await createThreePayouts()
  await applyGrants(s.db, ROLES, false)
})
beforeEach(() => s.renew())
after(() => s.db.close())

/** Gives the second the id of the first. */
async function twin(): Promise<void> {
  await withoutGuards(s.db, (tx) =>
    tx.query(
      `update payouts set end_to_end_id = (select end_to_end_id from payouts where payout_id = $1) where payout_id = $2`,
      [s.first.payoutId, s.second.payoutId],
    ),
  )
}

const told: string[] = []

/** As the payer's user. @returns what the rail was told to pay */
async function pay(): Promise<string[]> {
  told.length = 0
  const paid: string[] = []
  const rail: Rail = {
    name: 'http',
    async initiate({ payoutId }) {
      paid.push(payoutId)
      return { result: 'accepted', railReference: 'R' }
    },
  }
  const db = await asRole(s.db, 'payer')
  const logger = pino({}, { write: (line: string) => void told.push(line) })
  try {
    await payDue({ db, rail, secrets: TEST_SECRETS, logger })
  } finally {
    await db.close()
  }
  return paid.toSorted()
}

const stateOf = async ({ payoutId }: Queued) => {
  const payout = await findPayout(s.db, payoutId)
  return { status: payout?.status, rail: payout?.rail, lastError: payout?.lastError }
}

const isSent = async (one: Queued) => (await stateOf(one)).status === 'sent'

/** One of the two was paid, and is whom a bank means that speaks of the id; the other is paid once it was retried. */
async function requireOneRefused(refused: Queued): Promise<void> {
  const id = (await findPayout(s.db, refused.payoutId))?.endToEndId ?? ''
  const sent = [s.first, s.second].filter((one) => one !== refused).map(idOf)
  assert.deepEqual((await findPayments(s.db, id)).map(idOf), sent)
  const { status, rail, lastError } = await stateOf(refused)
  assert.deepEqual([status, rail], ['rejected', null])
  assert.match(
    lastError ?? '',
    /^A payment of another payout has its end-to-end id, .* "coin payout retry" gives it another id\.$/,
  )
  assert.ok(told.some((line) => line.includes(refused.payoutId) && line.includes('an operator must act')))
  await s.db.transaction((tx) => payoutAdmin.retry(tx, refused.payoutId))
  assert.deepEqual(await pay(), [refused.payoutId])
  assert.ok(await isSent(refused))
}

test('of two that are due at the same time one is paid, with all others', async () => {
  await twin()
  const paid = await pay()
  assert.equal(paid.length, 2)
  assert.ok(paid.includes(s.third.payoutId))
  const [refused, ...more] = [s.first, s.second].filter(({ payoutId }) => !paid.includes(payoutId))
  assert.ok(refused !== undefined && more.length === 0)
  await requireOneRefused(refused)
})

test('one whose id a payment of another one had before is not paid under it', async () => {
  await s.makeDue(s.first)
  await s.db.query(`update payouts set next_attempt_at = now() + interval '1 hour' where payout_id <> $1`, [
    s.first.payoutId,
  ])
  assert.deepEqual(await pay(), [s.first.payoutId])
  await twin()
  await s.makeDue(s.second, s.third)
  assert.deepEqual(await pay(), [s.third.payoutId])
  await requireOneRefused(s.second)
})

test('one that was claimed while its customer had no account, and then lost its process, does not keep others from being paid', async () => {
  await s.db.query('update customers set bank_id = null where customer_id = $1', [CUSTOMERS[s.second.party]])
  assert.equal((await s.claimOne(s.second)).payment, undefined)
  await giveBank(s.db, accountOf(s.second.party), { customerId: CUSTOMERS[s.second.party] })
  await s.makeDue(s.first)
  assert.deepEqual(await pay(), [s.first.payoutId])
  await twin()
  await s.makeDue(s.second, s.third)
  assert.deepEqual(await pay(), [s.third.payoutId])
  assert.equal((await stateOf(s.second)).status, 'rejected')
})

test('of two that are due the older one goes on, as before a restore, when the other one was not queued yet: it was paid twice', async () => {
  await twin()
  const [younger, older] = [s.first, s.second].toSorted((a, b) => (a.payoutId < b.payoutId ? -1 : 1))
  assert.ok(younger !== undefined && older !== undefined)
  await withoutGuards(s.db, (tx) =>
    tx.query(`update payouts set created_at = created_at - interval '1 hour' where payout_id = $1`, [older.payoutId]),
  )
  assert.deepEqual(await pay(), [older, s.third].map(idOf).toSorted())
  await requireOneRefused(younger)
})
