// engine: postgres; both in test:long
/** Before a rail is told to pay what a lost history may have had paid, it says whether it has a later payment of that. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { pino } from 'pino'
import { endToEndIdOf } from '../../src/bank-files/end-to-end-id.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { tendPayouts } from '../../src/payouts/claims.sql.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import type { Rail, RailStatus } from '../../src/payouts/rail.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { payDue } from '../support/pay-due.ts'
import { integrationOf } from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { createThreePayouts, type ThreePayouts } from './three-payouts.ts'

let s: ThreePayouts
before(async () => {
  s = await createThreePayouts()
  await withoutGuards(s.db, (tx) => tx.query('update chains set fenced_on = database_timeline()'))
})
beforeEach(() => s.renew())
after(() => s.db.close())

const NONE: RailStatus = { result: 'none' }
const THERE: RailStatus = { result: 'accepted', railReference: 'R' }
const UNKNOWN: RailStatus = { result: 'unknown', reason: 'busy' }

const firstId = (attempt: number) =>
  endToEndIdOf({ integrationId: integrationOf(s.first.party), referenceId: `redeem-${s.round()}-first`, attempt })

/** Asks about all three. `says`: of the payments of the first, by their attempts. @returns of which of these the rail was asked, and whether it was told to pay */
async function pay(says: Record<number, RailStatus>, canSay = true) {
  const attempts = new Map([1, 2, 3, 4, 5, 6, 7].map((attempt) => [firstId(attempt), attempt]))
  const asked: (number | undefined)[] = []
  const told: string[] = []
  const rail: Rail = {
    name: 'http',
    async initiate({ payoutId }) {
      told.push(payoutId)
      return { result: 'accepted', railReference: 'TOLD' }
    },
    ...(canSay && {
      async status({ endToEndId }: { endToEndId: string }) {
        const attempt = attempts.get(endToEndId)
        asked.push(attempt)
        return says[attempt ?? 0] ?? NONE
      },
    }),
  }
  await payDue({ db: s.db, rail, secrets: TEST_SECRETS, logger: pino({ level: 'silent' }) })
  assert.equal(told.filter((payoutId) => payoutId !== s.first.payoutId).length, 2, 'others are paid')
  const payout = await findPayout(s.db, s.first.payoutId)
  return { asked: asked.toSorted(), isTold: told.includes(s.first.payoutId), payout }
}

const fromBefore = (more = '') =>
  withoutGuards(s.db, (tx) =>
    tx.query(`update payouts set made_on = 'before'${more} where payout_id = $1`, [s.first.payoutId]),
  )

for (const [what, says, expected] of [
  ['has no other', {}, { isTold: true, status: 'sent' }],
  ['has that of the first retry', { 2: THERE }, { isTold: false, status: 'rejected' }],
  ['has refused one', { 4: { result: 'refused', reason: 'x' } }, { isTold: false, status: 'rejected' }],
  ['does not say of all', { 6: UNKNOWN }, { isTold: false, status: 'queued' }],
  ['does not say of its own', { 1: UNKNOWN, 2: THERE }, { isTold: false, status: 'queued' }],
  ['knows the payment itself', { 1: THERE, 2: THERE }, { isTold: true, status: 'sent' }],
] as [string, Record<number, RailStatus>, { isTold: boolean; status: string }][])
  test(`which ${what}`, async () => {
    await fromBefore()
    const { asked, isTold, payout } = await pay(says)
    assert.deepEqual(asked, [1, 2, 3, 4, 5, 6])
    assert.deepEqual({ isTold, status: payout?.status }, expected)
    if (payout?.status === 'rejected')
      assert.match(payout.lastError ?? '', /^\S+ is a payment of \S+ .* Run "coin payout retry"/)
  })

test('which was asked for the payment itself already is not asked again for it', async () => {
  await fromBefore(', ask_first = true')
  const { asked, isTold } = await pay({})
  assert.deepEqual([asked, isTold], [[1, 2, 3, 4, 5, 6], true])
})

test('that of the same timeline, of a rail that has said so already, or of one that cannot be asked, is paid at once', async () => {
  const now = async () => (await pay({ 2: THERE })).asked
  assert.deepEqual(await now(), [])
  await s.renew()
  await fromBefore(', unretried_on = database_timeline()')
  assert.deepEqual(await now(), [])
  await s.renew()
  await fromBefore()
  assert.equal((await pay({}, false)).isTold, true)
})

/** What this database knows of the past: on another timeline payouts were asked for at this rail. */
const askedBeforeAt = (rail: string) =>
  withoutGuards(s.db, async (tx) => {
    await tx.query(`delete from database_timelines where timeline = 'before'`)
    await tx.query(`delete from payout_attempts where payout_id = 'po_before'`)
    await tx.query(
      `insert into database_timelines (timeline, after_order_id, newest_order_id, created_at) values ('before', 0, 0, now() - interval '1 year')`,
    )
    await tx.query(
      `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, asked_on) values ('po_before', 1, 'before', $1, 'before')`,
      [rail],
    )
  })

test('where another rail was asked before, what a lost history may have had is held until people have looked at both', async () => {
  for (const set of ['', ', ask_first = true']) {
    await s.renew()
    await askedBeforeAt('http-old')
    await fromBefore(set)
    const { asked, isTold, payout } = await pay({})
    assert.deepEqual([asked, isTold, payout?.status, payout?.holdReason], [[], false, 'held', 'maybe_paid_before'])
    assert.match(payout?.lastError ?? '', /asked for at http-old .* look at both/)
    const tend = (rail: string) => s.db.transaction((tx) => tendPayouts(tx, rail, true))
    assert.equal((await tend('http')).released, 0, 'this rail cannot say what the other has paid')
    await s.db.transaction(async (tx) => {
      assert.ok(await payoutAdmin.release(tx, s.first.payoutId))
      await tx.query(
        `with said as (insert into audit_log (actor, origin, action, target, before)
           values ('Siti', 'cli', 'payout.release', $1, '{"holdReason":"maybe_paid_before"}') returning audit_id)
         insert into audit_unsealed (audit_id) select audit_id from said`,
        [s.first.payoutId],
      )
    })
    await s.makeDue(s.first)
    const rail: Rail = {
      name: 'http',
      initiate: async () => ({ result: 'accepted', railReference: 'TOLD' }),
      status: async () => NONE,
    }
    await payDue({ db: s.db, rail, secrets: TEST_SECRETS, logger: pino({ level: 'silent' }) })
    assert.equal((await findPayout(s.db, s.first.payoutId))?.status, 'sent', 'once they have said so')
  }
})

test('where the same rail was asked before, it is asked first, as ever', async () => {
  await askedBeforeAt('http')
  await fromBefore(', ask_first = true')
  assert.equal((await pay({})).isTold, true)
})

test('where it was restored once more, or another took over, since: the rail of then is not forgotten for those of then, and asks nobody else to wait', async () => {
  const between = (rail: string) =>
    withoutGuards(s.db, async (tx) => {
      await tx.query(`delete from database_timelines where timeline = 'between'`)
      await tx.query(`delete from payout_attempts where payout_id = 'po_between'`)
      await tx.query(
        `insert into database_timelines (timeline, after_order_id, newest_order_id, created_at) values ('between', 1, 1, now() - interval '1 month')`,
      )
      await tx.query(
        `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, asked_on, asked_at) values ('po_between', 1, 'between', $1, 'between', now() + interval '1 second')`,
        [rail],
      )
    })
  const renew = async (madeOn: string) => {
    await s.renew()
    await askedBeforeAt('http-old')
    await between('http')
    await withoutGuards(s.db, (tx) =>
      tx.query('update payouts set made_on = $2 where payout_id = $1', [s.first.payoutId, madeOn]),
    )
  }
  const tend = () => s.db.transaction((tx) => tendPayouts(tx, 'http', true))
  await askedBeforeAt('http-old')
  await fromBefore()
  assert.equal((await pay({})).payout?.holdReason, 'maybe_paid_before')
  await between('http')
  assert.equal((await tend()).released, 0, 'what is held because of the rail of then stays so')
  await renew('before')
  const { isTold, payout } = await pay({})
  assert.deepEqual([isTold, payout?.status, payout?.holdReason], [false, 'held', 'maybe_paid_before'])
  assert.match(payout?.lastError ?? '', /asked for at http-old /)

  await renew('between')
  assert.equal((await pay({})).isTold, true, 'the history that had the other rail never had this one')
})
