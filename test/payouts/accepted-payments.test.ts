// engine: postgres; both in test:long
/** Payments that the rail has accepted: the payer asks what became of them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Database } from '../../src/db/database.ts'
import { createPayer, watchSent } from '../../src/payouts/payer.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import type { Rail } from '../../src/payouts/rail.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { testEngine } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { createPaying } from './paying.ts'

const s = createPaying()
before(() => s.begin())
after(() => s.end())
const { burntRedeem, logger, payUntil, statusOf } = s

describe('the payer with accepted payments', () => {
  it('asks what became of accepted payments: what came back is an operator’s case', async () => {
    const [kept, returned, rejected, paid] = await Promise.all([1, 2, 3, 4].map(() => burntRedeem('1')))
    assert.ok(kept && returned && rejected && paid)
    const at = new Date('2026-11-20T04:00:00Z')
    const rail: Rail = {
      name: 'http',
      bankAccount: '512',
      initiate: async ({ endToEndId }) => ({ result: 'accepted', railReference: endToEndId }),
      status: async ({ payoutId }) => {
        if (payoutId === returned.payoutId)
          return { result: 'returned', reference: 'X', reason: 'gone', effectiveAt: at }
        if (payoutId === rejected.payoutId) return { result: 'refused', reason: 'closed\0' }
        if (payoutId === paid.payoutId) return { result: 'paid', reference: 'P', effectiveAt: at }
        return { result: 'accepted', railReference: 'still' }
      },
    }
    const { status: _, ...mute } = rail
    for (const { payoutId } of [kept, returned, rejected, paid]) await payUntil(mute, payoutId, 'sent')
    await s.orders.db.query(`update payouts set next_attempt_at = now() where status = 'sent'`)
    while ((await watchSent({ db: s.orders.db, rail, secrets: TEST_SECRETS, logger })) > 0);
    const statuses = await Promise.all(
      [kept, returned, rejected, paid].map(async ({ payoutId }) => (await findPayout(s.orders.db, payoutId))?.status),
    )
    assert.deepEqual(statuses, ['sent', 'returned', 'rejected', 'paid'])
    assert.deepEqual(await Promise.all([returned, rejected].map(({ orderId }) => statusOf(orderId))), [
      'completed',
      'completed',
    ])
    const lines = s.logged().split('\n')
    const cases = [kept, returned, rejected, paid].filter(({ payoutId }) =>
      lines.some((line) => line.includes(payoutId) && line.includes('an operator must act')),
    )
    assert.deepEqual(cases, [returned, rejected])
  })

  // PGlite has no clock but this process's.
  if (testEngine === 'postgres') {
    it('books what was paid at the time that the rail says, though the clock of this process is behind', async (t) => {
      const { payoutId } = await burntRedeem('1')
      const effectiveAt = new Date('2026-11-20T04:00:00Z')
      const rail: Rail = {
        name: 'http',
        bankAccount: '512',
        initiate: async ({ endToEndId }) => ({ result: 'accepted', railReference: endToEndId }),
        status: async () => ({ result: 'paid', reference: 'P', effectiveAt }),
      }
      const { status: _, ...mute } = rail
      await payUntil(mute, payoutId, 'sent')
      await s.orders.db.query(
        `update payouts set next_attempt_at = now() + case when payout_id = $1 then '0' else interval '1 day' end
         where status = 'sent'`,
        [payoutId],
      )
      t.mock.timers.enable({ apis: ['Date'], now: effectiveAt.getTime() - 86_400_000 })
      assert.equal(await watchSent({ db: s.orders.db, rail, secrets: TEST_SECRETS, logger }), 1)
      t.mock.timers.reset()
      const entries = await s.orders.db.query<{ effective_at: Date }>(
        'select effective_at from ledger_entries where reference = $1',
        [`payout/${payoutId}/paid/1`],
      )
      assert.deepEqual(
        entries.map((entry) => entry.effective_at),
        [effectiveAt],
      )
    })
  }

  it('asks about all accepted payments, though what is said of one cannot be recorded', async () => {
    const [good, bad] = [await burntRedeem('1'), await burntRedeem('1')]
    const rail: Rail = {
      name: 'http',
      bankAccount: '512',
      initiate: async ({ endToEndId }) => ({ result: 'accepted', railReference: endToEndId }),
      status: async ({ payoutId }) => {
        const effectiveAt = new Date(payoutId === bad.payoutId ? Number.NaN : '2026-11-20T04:00:00Z')
        return { result: 'paid', reference: 'P', effectiveAt }
      },
    }
    const { status: _, ...mute } = rail
    for (const { payoutId } of [good, bad]) await payUntil(mute, payoutId, 'sent')
    await s.orders.db.query(
      `update payouts set next_attempt_at = now() + case when payout_id = any ($1::text[]) then '0' else interval '1 day' end
       where status = 'sent'`,
      [[good.payoutId, bad.payoutId]],
    )
    assert.equal(await watchSent({ db: s.orders.db, rail, secrets: TEST_SECRETS, logger }), 2)
    assert.equal((await findPayout(s.orders.db, good.payoutId))?.status, 'paid')
    assert.equal((await findPayout(s.orders.db, bad.payoutId))?.status, 'sent')
    assert.ok(s.logged().includes('what became of an accepted payment was not recorded'))
  })

  it('asks what became of them though what else is done once a minute fails each time', async () => {
    const { payoutId } = await burntRedeem('1')
    const rail: Rail = {
      name: 'http',
      bankAccount: '512',
      initiate: async ({ endToEndId }) => ({ result: 'accepted', railReference: endToEndId }),
      status: async () => ({ result: 'paid', reference: 'P', effectiveAt: new Date('2026-11-20T04:00:00Z') }),
    }
    const { status: _, ...mute } = rail
    await payUntil(mute, payoutId, 'sent')
    await s.orders.db.query('update payouts set next_attempt_at = now() where payout_id = $1', [payoutId])
    const query: Database['query'] = async (text, params) => {
      if (text.includes('least(next_attempt_at')) throw new Error('that took too long')
      return await s.orders.db.query(text, params)
    }
    const payer = createPayer({ db: { ...s.orders.db, query }, rail, secrets: TEST_SECRETS, logger })
    payer.start()
    try {
      await waitFor('the payment to be paid', async () => (await findPayout(s.orders.db, payoutId))?.status === 'paid')
    } finally {
      await payer.stop()
    }
    assert.match(s.logged(), /that took too long/)
  })

  it('says that the rail does not say what became of accepted payments', async () => {
    const silent = await burntRedeem('1')
    const rail: Rail = {
      name: 'http',
      initiate: async ({ endToEndId }) => ({ result: 'accepted', railReference: endToEndId }),
      status: async () => ({ result: 'unknown', reason: 'The bank connector answered 503.' }),
    }
    const { status: _, ...mute } = rail
    await payUntil(mute, silent.payoutId, 'sent')
    await s.orders.db.query(
      `update payouts set next_attempt_at = now() + case when payout_id = $1 then '0' else interval '1 day' end
       where status = 'sent'`,
      [silent.payoutId],
    )
    assert.equal(await watchSent({ db: s.orders.db, rail, secrets: TEST_SECRETS, logger }), 1)
    assert.match(s.logged(), /answered 503.*does not say what became of payments that it has accepted/)
  })
})
