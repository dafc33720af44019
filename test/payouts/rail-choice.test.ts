// engine: postgres; both in test:long
/** Which rail is asked about a payout, and when it is asked again. */
// Runbook: Payouts are held
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { claimSentPayments, postponePayout, tendPayouts } from '../../src/payouts/claims.sql.ts'
import { hurryPayouts } from '../../src/payouts/hurry.sql.ts'
import { findPayout, holdPayout } from '../../src/payouts/payouts.sql.ts'
import { giveBank } from '../support/bank-details.ts'
import { testEngine } from '../support/database.ts'
import { accountOf, readState } from '../support/two-of-everything.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { createThreePayouts, idsOf, opened, type Queued, send, sentAs, type ThreePayouts } from './three-payouts.ts'

let s: ThreePayouts
before(async () => {
  s = await createThreePayouts()
})
beforeEach(() => s.renew())
after(() => s.db.close())

const { retry } = payoutAdmin

describe('the rail', () => {
  const SIMULATED = 'simulated'
  const tend = (rail: string) => s.db.transaction((tx) => tendPayouts(tx, rail, true))
  const lineOf = async ({ line }: Queued) => (await readState(s.db))[line]

  it('is chosen at the first claim, whichever was configured when the payout was queued', async () => {
    const claimed = await s.claimOne(s.first, SIMULATED)
    assert.equal(await lineOf(s.first), 'queued 1205 a1 simulated asked 1 10a1')
    await postponePayout(s.db, claimed, { afterMs: 0, reason: 'no answer' })
    await s.makeDue(s.first, s.second)
    assert.deepEqual(idsOf(await s.claimOf('http')), [s.second.payoutId])
    assert.deepEqual(idsOf(await s.claimOf(SIMULATED)), [s.first.payoutId])
  })

  it('that was asked keeps the payout when another is configured: it is held, and goes on when that rail is back', async () => {
    await postponePayout(s.db, await s.claimOne(s.first, SIMULATED), { afterMs: 0, reason: 'no answer' })
    const held = await s.changes(async () =>
      assert.deepEqual(await tend('http'), { held: 1, heldUnasked: 0, released: 0 }),
    )
    assert.deepEqual(held, { [s.first.line]: 'held 1205 a1 simulated rail_not_configured asked 1 10a1 no answer' })
    assert.deepEqual(await s.changes(() => tend('http')), {}, 'once')
    await s.makeDue(s.first)
    assert.equal((await s.claimOf(SIMULATED)).length, 0, 'what is held is not claimed')
    assert.equal(await s.db.transaction((tx) => retry(tx, s.first.payoutId)), undefined)
    const released = await s.changes(async () =>
      assert.deepEqual(await tend(SIMULATED), { held: 0, heldUnasked: 0, released: 1 }),
    )
    assert.deepEqual(released, { [s.first.line]: 'queued 1205 a1 simulated asked 1 10a1 no answer' })
    assert.deepEqual(idsOf(await s.claimOf(SIMULATED)), [s.first.payoutId])
  })

  it('is not waited for longer than any pause lasts, whatever the clock was when a payout was put off or claimed', async () => {
    await s.db.query(`update payouts set next_attempt_at = now() + interval '1 day' where payout_id = $1`, [
      s.first.payoutId,
    ])
    await s.db.query(`update payouts set claimed_until = now() + interval '1 day' where payout_id = $1`, [
      s.second.payoutId,
    ])
    await s.db.query(`update payouts set next_attempt_at = now() + interval '5 minutes' where payout_id = $1`, [
      s.third.payoutId,
    ])
    assert.deepEqual(await s.claimOf('http'), [])
    assert.equal(await hurryPayouts(s.db, 60_000), 2)
    assert.deepEqual(idsOf(await s.claimOf('http')), [s.first.payoutId], 'whoever has the other may be asking the rail')
    await s.db.query(`update payouts set claimed_until = claimed_until - interval '1 minute' where payout_id = $1`, [
      s.second.payoutId,
    ])
    assert.deepEqual(idsOf(await s.claimOf('http')), [s.second.payoutId])
    assert.equal(await hurryPayouts(s.db, 60_000), 0)
  })

  it('is not waited for longer either where a payout has come back, and is looked at for its burn, or its rail is asked about it', async () => {
    await s.reject(await s.claimOne(s.first), 'account closed')
    const putOff = (by: string, { payoutId }: Queued) =>
      s.db.query(`update payouts set next_attempt_at = now() + $2::interval where payout_id = $1`, [payoutId, by])
    await hurryPayouts(s.db, 60_000)
    await putOff('1 year', s.first)
    assert.equal(await hurryPayouts(s.db, 60_000), 1)
    const [due] = await s.db.query<{ is: boolean }>(
      'select next_attempt_at <= now() as is from payouts where payout_id = $1',
      [s.first.payoutId],
    )
    assert.equal(due?.is, true)
    // As a payer puts off one whose burn the chain denies.
    await putOff('1 hour', s.first)
    assert.equal(await hurryPayouts(s.db, 60_000), 0)
  })

  if (testEngine === 'postgres') {
    it('is not waited for because of a payout that somebody has locked', async () => {
      await s.db.query(`update payouts set next_attempt_at = now() + interval '1 day'`)
      await s.db.transaction(async (tx) => {
        await tx.query('select from payouts where payout_id = $1 for update', [s.first.payoutId])
        assert.equal(await hurryPayouts(s.db, 60_000), 2)
      })
      assert.equal(await hurryPayouts(s.db, 60_000), 1)
    })
  }

  it('is asked what became of what it has taken, whatever the clock was when it was asked last', async () => {
    for (const payout of [s.first, s.second]) {
      await s.claimOne(payout)
      await s.db.transaction((tx) => send(tx, payout, sentAs(`R-${payout.payoutId}`)))
    }
    const putOff = (days: number, { payoutId }: Queued) =>
      s.db.query(`update payouts set next_attempt_at = now() + $2 * interval '1 day' where payout_id = $1`, [
        payoutId,
        days,
      ])
    const sentFor = (days: number, { payoutId }: Queued) =>
      s.db.query(`update payouts set status_since = now() - $2 * interval '1 day' where payout_id = $1`, [
        payoutId,
        days,
      ])
    await hurryPayouts(s.db, 60_000)
    await sentFor(5, s.second)
    await putOff(1, s.second)
    for (const [days, since] of [
      [300, 5],
      [1.9, 5],
      [1.1, 5],
      [0.6, 0.5],
      [0.1, -2],
    ] as const) {
      await sentFor(since, s.first)
      await putOff(days, s.first)
      assert.equal(await hurryPayouts(s.db, 60_000), 1, `${days} days ahead after ${since}`)
      assert.deepEqual(idsOf(await claimSentPayments(s.db, 'http', 10)), [s.first.payoutId])
      assert.equal(await hurryPayouts(s.db, 60_000), 0, 'as far as it was put off now')
    }
  })

  it('is kept from a payout that an operator holds, also one whose hold would have ended by itself', async () => {
    const holds = [
      [s.first, 'rail_not_configured', 'by_operator'],
      [s.second, 'maybe_paid_before', 'by_operator'],
      [s.third, 'other_attempt', 'other_attempt'],
    ] as const
    for (const [{ payoutId }, reason, heldFor] of holds) {
      await withoutGuards(s.db, (tx) =>
        tx.query(`update payouts set status = 'held', hold_reason = $2, rail = 'http' where payout_id = $1`, [
          payoutId,
          reason,
        ]),
      )
      assert.equal(await s.db.transaction((tx) => holdPayout(tx, payoutId)), true, reason)
      assert.equal((await findPayout(s.db, payoutId))?.holdReason, heldFor)
    }
  })

  it('of nobody yet, of an attempt under way, and of what is decided is left as it is', async () => {
    await s.claimOne(s.first, SIMULATED)
    await s.reject(await s.claimOne(s.second, SIMULATED), 'closed')
    await s.claimOne(s.third, SIMULATED)
    await s.db.transaction((tx) => send(tx, s.third, sentAs('R-3')))
    await s.queue('a1', 'untouched')
    await s.makeDue(s.second, s.third)
    assert.deepEqual(await s.changes(() => tend('http')), {})
  })

  it('is chosen anew for a retry after a refusal', async () => {
    await s.reject(await s.claimOne(s.first, SIMULATED), 'closed')
    await s.db.transaction((tx) => retry(tx, s.first.payoutId))
    assert.equal((await s.claimOne(s.first)).payoutId, s.first.payoutId)
    assert.equal(await lineOf(s.first), 'queued 1205 a1 http asked 2 10a1 closed')
  })

  it('that says late that it has a held payout, or one that was queued again, is believed', async () => {
    for (const payout of [s.first, s.second]) {
      const claimed = await s.claimOne(payout, SIMULATED)
      if (payout === s.first) {
        await s.makeDue(s.first)
        await tend('http')
      } else {
        await s.reject(claimed, 'closed')
        await s.db.transaction((tx) => retry(tx, s.second.payoutId))
      }
      await s.db.transaction((tx) => send(tx, payout, sentAs('R-1')))
    }
    assert.equal(await lineOf(s.first), 'sent 1205 a1 simulated asked 1 10a1 R-1')
    assert.equal(await lineOf(s.second), 'sent 7 b1 simulated asked 1 10b1 R-1')
  })

  it('and its reason are dated when a payout is held and when it is released', async () => {
    await postponePayout(s.db, await s.claimOne(s.first, SIMULATED), { afterMs: 0, reason: 'no answer' })
    for (const rail of ['http', SIMULATED]) {
      await s.db.query(`update payouts set updated_at = now() - interval '1 day'`)
      await tend(rail)
      const rows = await s.db.query(`select payout_id from payouts where updated_at > now() - interval '1 hour'`)
      assert.deepEqual(rows, [{ payout_id: s.first.payoutId }], rail)
    }
  })
})

describe('a retry', () => {
  it('of a refused payout makes it due at once, for the account that the customer has now', async () => {
    await s.reject(await s.claimOne(s.first), 'closed')
    await s.claimOne(s.second)
    await s.db.query(`update payouts set next_attempt_at = now() + interval '1 day'`)
    await giveBank(s.db, { bic: 'NEW', account: '99', name: 'New' })
    const changed = await s.changes(() => s.db.transaction((tx) => retry(tx, s.first.payoutId)))
    assert.deepEqual(changed, { [s.first.line]: 'queued 1205 a1 asked 1 closed' })
    const [claimed, ...more] = await s.claimOf('http')
    assert.deepEqual([claimed?.payoutId, more.length], [s.first.payoutId, 0])
    const { bic, account, name } = opened(claimed) ?? {}
    assert.deepEqual([bic, account, name], ['NEW', '99', 'New'])
  })

  it('of a payout that waits brings it forward, for the account it was asked about with', async () => {
    await postponePayout(s.db, await s.claimOne(s.first), { afterMs: 300_000, reason: 'no answer' })
    await giveBank(s.db, { bic: 'NEW', account: '99', name: 'New' })
    const queued = await s.db.transaction((tx) => retry(tx, s.first.payoutId))
    assert.equal(queued?.payoutId, s.first.payoutId)
    const [claimed] = await s.claimOf('http')
    assert.equal(claimed?.payoutId, s.first.payoutId)
    const { bic, account, name } = opened(claimed) ?? {}
    assert.deepEqual({ bic, account, name }, accountOf('a1'))
  })

  it('of an accepted payout, or of none, does nothing', async () => {
    await s.db.transaction((tx) => send(tx, s.first, sentAs('R-1')))
    const changed = await s.changes(async () => {
      assert.equal(await s.db.transaction((tx) => retry(tx, s.first.payoutId)), undefined)
      assert.equal(await s.db.transaction((tx) => retry(tx, 'po_none')), undefined)
    })
    assert.deepEqual(changed, {})
  })

  it('wakes the payer, and so does a new payout', async () => {
    let rung = 0
    const unlisten = await s.db.listen('payouts_due', () => {
      rung += 1
    })
    await s.db.transaction((tx) => retry(tx, s.first.payoutId))
    await waitFor('the payer to be woken by a retry', () => rung === 1)
    await s.queue('a1', 'another')
    await waitFor('the payer to be woken by a new payout', () => rung === 2)
    await unlisten()
  })
})
