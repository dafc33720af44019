// engine: postgres; both in test:long
/** Who may write what about a payout: claims, and answers that come in time or late. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { pino } from 'pino'
import { endToEndIdOf } from '../../src/bank-files/end-to-end-id.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { type ClaimedPayout, markWithoutAccount, postponePayout, returnClaim } from '../../src/payouts/claims.sql.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import type { Rail, RailStatus } from '../../src/payouts/rail.ts'
import { markReturned } from '../../src/payouts/record-news.ts'
import { giveBank, TEST_SECRETS } from '../support/bank-details.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import { payDue } from '../support/pay-due.ts'
import { accountOf, CUSTOMERS, integrationOf } from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { createThreePayouts, idOf, idsOf, opened, send, sentAs, type ThreePayouts } from './three-payouts.ts'

let s: ThreePayouts
before(async () => {
  s = await createThreePayouts()
})
beforeEach(() => s.renew())
after(() => s.db.close())

const { retry } = payoutAdmin

describe('a claim', () => {
  it('takes each due payout once, with its own amount, account and reference', async () => {
    const claimed = await s.claimOf('http')
    const shown = claimed.map((each) => {
      const { payoutId, orderId, timesAsked } = each
      return { payoutId, orderId, timesAsked, instruction: opened(each) }
    })
    const references = [`redeem-${s.round()}-first`, `redeem-${s.round()}-first`, `redeem-${s.round()}-third`]
    const expected = [s.first, s.second, s.third].map(({ payoutId, orderId, party }, index) => ({
      payoutId,
      orderId,
      timesAsked: 1,
      instruction: {
        payoutId,
        endToEndId: endToEndIdOf({
          integrationId: integrationOf(party),
          referenceId: references[index] ?? '',
          attempt: 1,
        }),
        amountSen: [1_205n, 7n, 300n][index],
        ...accountOf(party),
        reference: [`redeem-${s.round()}-first`, `redeem-${s.round()}-first`, 'INV-3'][index],
      },
    }))
    const byId = (a: { payoutId: string }, b: { payoutId: string }) => (a.payoutId < b.payoutId ? -1 : 1)
    assert.deepEqual(shown.toSorted(byId), expected.toSorted(byId))
    assert.deepEqual(await s.claimOf('http'), [])
  })

  it('of one that was asked about as often as a column holds, as somebody with a login of the database may write, stops no other', async () => {
    await withoutGuards(s.db, (tx) =>
      tx.query('update payouts set times_asked = 2147483647 where payout_id = $1', [s.first.payoutId]),
    )
    assert.equal((await s.claimOf('http')).length, 3)
  })

  it('leaves alone what is not due yet, what is decided, and what another rail was chosen for', async () => {
    const other = await s.queue('a1', 'other-rail')
    await s.db.query(`update payouts set rail = 'simulated' where payout_id = $1`, [other.payoutId])
    await s.db.query(`update payouts set next_attempt_at = now() + interval '1 minute' where payout_id = $1`, [
      s.first.payoutId,
    ])
    await s.db.query(`update payouts set status = 'sent', rail = 'http', rail_reference = 'R' where payout_id = $1`, [
      s.second.payoutId,
    ])
    assert.deepEqual(idsOf(await s.claimOf('http')), [s.third.payoutId])
    assert.deepEqual(idsOf(await s.claimOf('simulated')), [other.payoutId])
  })

  it('lasts as long as it says, and no longer', async () => {
    await s.claimOne(s.first)
    const [row] = await s.db.query<{ seconds: number }>(
      `select extract(epoch from claimed_until - now())::float8 as seconds from payouts where payout_id = $1`,
      [s.first.payoutId],
    )
    assert.ok(row !== undefined && row.seconds > 50 && row.seconds <= 60, `${row?.seconds} s`)
  })

  it('takes at most so many, the longest due ones', async () => {
    await s.db.query(`update payouts set next_attempt_at = now() - interval '1 hour' where payout_id = $1`, [
      s.third.payoutId,
    ])
    await s.db.query(`update payouts set next_attempt_at = now() - interval '1 minute' where payout_id = $1`, [
      s.second.payoutId,
    ])
    assert.deepEqual(idsOf(await s.claimOf('http', 1)), [s.third.payoutId])
    assert.deepEqual(idsOf(await s.claimOf('http', 1)), [s.second.payoutId])
  })

  it('fixes the account at the first attempt, for that payout alone', async () => {
    await s.claimOne(s.first)
    await giveBank(s.db, { bic: 'NEW', account: '99', name: 'New' })
    await s.makeDue(s.first, s.second)
    const claimed = await s.claimOf('http')
    const accounts = new Map(claimed.map((each) => [each.payoutId, opened(each)]))
    const { bic, account, name } = accountOf('a1')
    assert.deepEqual([accounts.get(s.first.payoutId)?.bic, accounts.get(s.first.payoutId)?.account], [bic, account])
    assert.equal(accounts.get(s.first.payoutId)?.name, name)
    assert.deepEqual([accounts.get(s.second.payoutId)?.bic, accounts.get(s.second.payoutId)?.account], ['NEW', '99'])
    assert.equal(accounts.get(s.second.payoutId)?.name, 'New')
  })

  it('leaves what a lost history may have paid to a rail that can say what it knows', async () => {
    await s.db.query('update payouts set ask_first = true where payout_id = $1', [s.first.payoutId])
    const claim = (mayAsk: boolean) => claimPayouts(s.db, { rail: 'http', limit: 10, claimMs: 60_000, mayAsk })
    assert.deepEqual(idsOf(await claim(false)).sort(), [s.second.payoutId, s.third.payoutId].sort())
    assert.deepEqual(
      (await claim(true)).map(({ payoutId, askFirst }) => ({ payoutId, askFirst })),
      [{ payoutId: s.first.payoutId, askFirst: true }],
    )
  })

  it('takes of what was queued before a restore, and no rail was asked for, only what is known not to be minted back', async () => {
    const [first, second] = [s.first.payoutId, s.second.payoutId]
    await withoutGuards(s.db, (tx) =>
      tx.query(`update payouts set made_on = 'before' where payout_id = any ($1::text[])`, [[first, second]]),
    )
    const claim = (fromBefore: readonly string[]) =>
      claimPayouts(s.db, { rail: 'http', limit: 10, claimMs: 60_000, fromBefore })
    assert.deepEqual(idsOf(await claim([])), [s.third.payoutId])
    assert.deepEqual(idsOf(await claim([first])), [first])
    // What its rail was asked for, only that can tell of.
    await s.makeDue(s.first, s.second)
    assert.deepEqual(idsOf(await claim([])), [first])
  })

  it('begins anew when the rail may be told to pay: the question before that may have taken as long as a claim', async () => {
    await s.db.query('update payouts set ask_first = true where payout_id = $1', [s.first.payoutId])
    const told: string[] = []
    const claimedMeanwhile: ClaimedPayout[] = []
    const rail: Rail = {
      name: 'http',
      async status() {
        await s.db.query('update payouts set claimed_until = now() where payout_id = $1', [s.first.payoutId])
        return { result: 'none' }
      },
      async initiate({ payoutId, endToEndId }) {
        if (payoutId === s.first.payoutId) claimedMeanwhile.push(...(await s.claimOf('http')))
        told.push(payoutId)
        return { result: 'accepted', railReference: endToEndId }
      },
    }
    await payDue({ db: s.db, rail, secrets: TEST_SECRETS, logger: pino({ level: 'silent' }) })
    assert.deepEqual(told.toSorted(), [s.first, s.second, s.third].map(idOf).toSorted())
    assert.deepEqual(idsOf(claimedMeanwhile), [])
  })

  it('of what a lost history may have paid lets the rail be told only where it says that it knows nothing of it', async () => {
    const paidAt = new Date('2026-03-01T00:00:00Z')
    const says: Record<string, () => RailStatus | undefined> = {
      sent: () => ({ result: 'accepted', railReference: 'KNOWN' }),
      paid: () => ({ result: 'paid', reference: 'KNOWN', effectiveAt: paidAt }),
      rejected: () => ({ result: 'refused', reason: 'no such account' }),
      'queued, as it answers with nothing': () => undefined,
      'queued, as it does not know': () => ({ result: 'unknown', reason: 'busy' }),
      'queued, as it fails': () => {
        throw new Error('no answer')
      },
      'sent, as it was told': () => ({ result: 'none' }),
    }
    for (const [becomes, answer] of Object.entries(says)) {
      await s.renew()
      const { payoutId } = s.first
      await s.db.query('update payouts set ask_first = payout_id = $1', [payoutId])
      const asked: string[] = []
      const rail: Rail = {
        name: 'http',
        async status(payment) {
          asked.push(`status of ${payment.payoutId}`)
          return answer() as RailStatus
        },
        async initiate(payment) {
          asked.push(`pay ${payment.payoutId}`)
          return { result: 'accepted', railReference: 'TOLD' }
        },
      }
      await payDue({ db: s.db, rail, secrets: TEST_SECRETS, logger: pino({ level: 'silent' }) })
      const told = becomes === 'sent, as it was told' ? [`pay ${payoutId}`] : []
      const [ofFirst = [], others] = [true, false].map((isFirst) =>
        asked.filter((each) => each.endsWith(payoutId) === isFirst),
      )
      assert.deepEqual(ofFirst, [`status of ${payoutId}`, ...told], becomes)
      assert.deepEqual(others?.toSorted(), [s.second, s.third].map((other) => `pay ${other.payoutId}`).toSorted())
      const { status } = (await findPayout(s.db, payoutId)) ?? {}
      assert.equal(status, becomes.split(',')[0], becomes)
      if (told.length === 0) continue
      const stored = await s.db.query('select ask_first from payouts where payout_id = $1', [payoutId])
      assert.deepEqual(stored, [{ ask_first: false }])
    }
  })

  it('of what was held, or claimed again, while its rail was asked about it is not told to the rail', async () => {
    const meanwhile = [
      `status = 'held', hold_reason = 'by_operator'`,
      `times_asked = times_asked + 1, claimed_until = now() + interval '1 minute'`,
    ]
    for (const change of meanwhile) {
      await s.renew()
      const { payoutId } = s.first
      await s.db.query('update payouts set ask_first = payout_id = $1', [payoutId])
      const told: string[] = []
      const rail: Rail = {
        name: 'http',
        async status() {
          await withoutGuards(s.db, (tx) => tx.query(`update payouts set ${change} where payout_id = $1`, [payoutId]))
          return { result: 'none' }
        },
        async initiate(payment) {
          told.push(payment.payoutId)
          return { result: 'accepted', railReference: 'TOLD' }
        },
      }
      await payDue({ db: s.db, rail, secrets: TEST_SECRETS, logger: pino({ level: 'silent' }) })
      assert.deepEqual(told.toSorted(), [s.second, s.third].map(idOf).toSorted(), change)
    }
  })

  it('of what came back and was retried, while its rail was asked about the payment before, is not told to the rail', async () => {
    const { payoutId } = s.first
    await s.db.query('update payouts set ask_first = payout_id = $1', [payoutId])
    const told: string[] = []
    const rail: Rail = {
      name: 'http',
      async status() {
        const returned = { bankAccount: 'bank', reference: 'S', effectiveAt: new Date(), reason: 'closed' }
        await s.db.transaction((tx) => markReturned(tx, { payoutId, attempt: 1 }, returned))
        await s.db.transaction((tx) => retry(tx, payoutId))
        return { result: 'none' }
      },
      async initiate(payment) {
        told.push(payment.payoutId)
        return { result: 'accepted', railReference: 'TOLD' }
      },
    }
    await payDue({ db: s.db, rail, secrets: TEST_SECRETS, logger: pino({ level: 'silent' }) })
    assert.deepEqual(told.toSorted(), [s.second, s.third].map(idOf).toSorted())
    const { status, attempt } = (await findPayout(s.db, payoutId)) ?? {}
    assert.deepEqual([status, attempt], ['queued', 2])
  })

  for (const [result, status] of [
    ['accepted', 'sent'],
    ['none', 'rejected'],
  ] as const)
    it(`that is to be asked about first is asked about where the customer has no bank account, too: ${result}`, async () => {
      const { payoutId } = s.first
      const customerId = CUSTOMERS[s.first.party]
      const [row] = await s.db.query<{ bank_id: string }>('select bank_id from customers where customer_id = $1', [
        customerId,
      ])
      await giveBank(s.db, null, { customerId })
      await withoutGuards(s.db, (tx) =>
        tx.query('update payouts set ask_first = true, bank_id = null where payout_id = $1', [payoutId]),
      )
      const told: string[] = []
      const rail: Rail = {
        name: 'http',
        async status(payment) {
          assert.equal(payment.payoutId, payoutId)
          return result === 'none' ? { result } : { result, railReference: 'BEFORE' }
        },
        async initiate(payment) {
          told.push(payment.payoutId)
          return { result: 'accepted', railReference: 'TOLD' }
        },
      }
      await payDue({ db: s.db, rail, secrets: TEST_SECRETS, logger: pino({ level: 'silent' }) })
      await s.db.query('update customers set bank_id = $2 where customer_id = $1', [customerId, row?.bank_id ?? null])
      assert.equal((await findPayout(s.db, payoutId))?.status, status)
      assert.ok(!told.includes(payoutId))
    })

  it('needs no burn where nothing was burnt: parts of a sen', async () => {
    const parts = `order_id = null, integration_id = 'int', reference_id = 'parts', burn = null`
    await withoutGuards(s.db, (tx) => tx.query(`update payouts set ${parts} where payout_id = $1`, [s.first.payoutId]))
    await withoutGuards(s.db, (tx) =>
      tx.query('update payouts set burn = null where payout_id = $1', [s.second.payoutId]),
    )
    assert.deepEqual(idsOf(await s.claimOf('http')).sort(), [s.first.payoutId, s.third.payoutId].sort())
  })

  it('has no payment while the customer has no account', async () => {
    await giveBank(s.db, null, { customerId: CUSTOMERS.a1 })
    const claimed = await s.claimOf('http')
    const without = claimed.filter(({ payment }) => payment === undefined)
    assert.deepEqual(idsOf(without), [s.first.payoutId])
  })
})

describe('an answer that comes late', () => {
  it('of refusal or doubt changes nothing once the rail has accepted the payout', async () => {
    const claimed = await s.claimOne(s.first)
    await s.db.transaction((tx) => send(tx, s.first, sentAs('R-1')))
    assert.deepEqual(await s.changes(() => s.reject(claimed, 'late')), {})
    assert.deepEqual(await s.changes(() => postponePayout(s.db, claimed, { afterMs: 5, reason: 'late' })), {})
  })

  it('of refusal or doubt changes nothing once the payout was claimed again', async () => {
    const early = await s.claimOne(s.first)
    await s.makeDue(s.first)
    const late = await s.claimOne(s.first)
    assert.equal(late.timesAsked, 2)
    assert.deepEqual(await s.changes(() => s.reject(early, 'late')), {})
    assert.equal(await s.reject(early, 'late'), false)
    assert.deepEqual(await s.changes(() => postponePayout(s.db, early, { afterMs: 5, reason: 'late' })), {})
    await postponePayout(s.db, late, { afterMs: 0, reason: 'no answer' })
    assert.deepEqual(idsOf(await s.claimOf('http')), [s.first.payoutId])
  })

  it('of refusal changes nothing once the payout was claimed again, though others were claimed as often', async () => {
    const early = (await s.claimOf('http')).find(({ payoutId }) => payoutId === s.first.payoutId)
    assert.ok(early !== undefined)
    await s.makeDue(s.first)
    await s.claimOne(s.first)
    assert.equal(await s.reject(early, 'late'), false)
  })

  it('of refusal is believed of one that was held meanwhile', async () => {
    const claimed = await s.claimOne(s.first)
    await withoutGuards(s.db, (tx) =>
      tx.query(`update payouts set status = 'held', hold_reason = 'by_operator' where payout_id = $1`, [
        s.first.payoutId,
      ]),
    )
    assert.equal(await s.reject(claimed, 'closed'), true)
    assert.equal((await findPayout(s.db, s.first.payoutId))?.status, 'rejected')
  })

  it('of doubt says nothing of the payment by which the payout was retried since', async () => {
    const early = await s.claimOne(s.first)
    await s.reject(early, 'closed')
    await s.db.transaction((tx) => retry(tx, s.first.payoutId))
    const late = { afterMs: 5, reason: 'late' }
    assert.deepEqual(await s.changes(() => postponePayout(s.db, early, late)), {})
    assert.deepEqual(await s.changes(() => returnClaim(s.db, early, late)), {})
    assert.deepEqual(await s.changes(() => markWithoutAccount(s.db, early, 'late')), {})
  })

  it('of doubt changes nothing once the payout was refused', async () => {
    const claimed = await s.claimOne(s.first)
    await s.reject(claimed, 'closed')
    assert.deepEqual(await s.changes(() => postponePayout(s.db, claimed, { afterMs: 5, reason: 'late' })), {})
  })

  it('of acceptance is believed, whatever was believed before: the rail has the payout', async () => {
    const early = await s.claimOne(s.first)
    await s.makeDue(s.first)
    const late = await s.claimOne(s.first)
    assert.equal(await s.reject(late, 'no'), true)
    assert.equal(early.payoutId, late.payoutId)
    assert.equal(await s.db.transaction((tx) => send(tx, s.first, sentAs('R-1'))), true)
    assert.equal((await findPayout(s.db, s.first.payoutId))?.status, 'sent')
  })
})

describe('an answer', () => {
  it('of acceptance is recorded once, for its payout alone', async () => {
    const claimed = await s.claimOne(s.first)
    await postponePayout(s.db, claimed, { afterMs: 5, reason: 'no answer' })
    const changed = await s.changes(() => s.db.transaction((tx) => send(tx, s.first, sentAs('R-1'))))
    assert.equal(changed[s.first.line], 'sent 1205 a1 http asked 1 10a1 R-1')
    const name = s.first.line.slice('payout '.length)
    assert.deepEqual(Object.keys(changed), [`event ${name} redeem.completed`, s.first.line])
    assert.equal(await s.db.transaction((tx) => send(tx, s.first, sentAs('R-2'))), false)
    assert.equal((await findPayout(s.db, s.first.payoutId))?.railReference, 'R-1')
  })

  it('of refusal is recorded for its payout alone', async () => {
    const claimed = await s.claimOne(s.first)
    await s.db.query('update payouts set times_asked = 1')
    const changed = await s.changes(() => s.reject(claimed, 'closed'))
    assert.deepEqual(changed, { [s.first.line]: 'rejected 1205 a1 http asked 1 10a1 closed' })
  })

  it('of doubt makes its payout alone due again after the pause', async () => {
    const claimed = await s.claimOne(s.first)
    await s.db.query(`update payouts set times_asked = 1, next_attempt_at = now() + interval '1 day'`)
    const changed = await s.changes(() => postponePayout(s.db, claimed, { afterMs: 30_000, reason: 'no answer' }))
    assert.deepEqual(changed, { [s.first.line]: 'queued 1205 a1 http asked 1 10a1 no answer' })
    const rows = await s.db.query<{ payout_id: string; seconds: number }>(
      `select payout_id, extract(epoch from next_attempt_at - now())::float8 as seconds from payouts
       where next_attempt_at < now() + interval '1 hour'`,
    )
    assert.deepEqual(
      rows.map((row) => row.payout_id),
      [s.first.payoutId],
    )
    const seconds = rows[0]?.seconds ?? 0
    assert.ok(seconds > 20 && seconds <= 30, `${seconds} s`)
  })

  it('dates the payout', async () => {
    const isFresh = async () => {
      const [row] = await s.db.query<{ fresh: boolean }>(
        `select updated_at > now() - interval '1 hour' as fresh from payouts where payout_id = $1`,
        [s.first.payoutId],
      )
      return row?.fresh
    }
    const age = () => withoutGuards(s.db, (tx) => tx.query(`update payouts set updated_at = now() - interval '1 day'`))
    await age()
    const claimed = await s.claimOne(s.first)
    assert.equal(await isFresh(), true, 'claimed')
    await age()
    await postponePayout(s.db, claimed, { afterMs: 0, reason: 'no answer' })
    assert.equal(await isFresh(), true, 'postponed')
    await age()
    await s.reject(claimed, 'closed')
    assert.equal(await isFresh(), true, 'refused')
    await age()
    await s.db.transaction((tx) => retry(tx, s.first.payoutId))
    assert.equal(await isFresh(), true, 'queued again')
    await age()
    await s.db.transaction((tx) => send(tx, s.first, sentAs('R')))
    assert.equal(await isFresh(), true, 'accepted')
  })
})
