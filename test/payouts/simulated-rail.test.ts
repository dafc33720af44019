// engine: postgres; both in test:long
/** The sandbox's bank: it moves no money, and is as strict about end-to-end ids as a real one. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createSimulatedRail } from '../../src/payouts/rails/simulated.ts'
import { createPaying } from './paying.ts'

const s = createPaying()
before(() => s.begin())
after(() => s.end())
const { burntRedeem, payUntil, statusOf } = s

describe('the simulated rail', () => {
  const payment = { amountSen: 100n, bankId: 'bnk_1', bic: 'MBBEMYKL', account: '1122', name: 'TEST', reference: 'r' }

  it('completes a redeem', async () => {
    const { orderId, payoutId } = await burntRedeem()
    await payUntil(createSimulatedRail(s.orders.db), payoutId, 'sent')
    assert.equal(await statusOf(orderId), 'completed')
  })

  it('books a payout id once, whoever asks at the same time', async () => {
    const rail = createSimulatedRail(s.orders.db)
    const answers = await Promise.all(
      [1, 2, 3].map(() => rail.initiate({ payoutId: 'po_once', endToEndId: 'ONCE', ...payment })),
    )
    assert.ok(answers.every((answer) => answer.result === 'accepted'))
    const rows = await s.orders.db.query(`select 1 from simulated_rail_payments where end_to_end_id = 'ONCE'`)
    assert.equal(rows.length, 1)
  })

  it('refuses a payout id that comes again with other details', async () => {
    const rail = createSimulatedRail(s.orders.db)
    await rail.initiate({ payoutId: 'po_other', endToEndId: 'OTHER', ...payment })
    const answer = await rail.initiate({ payoutId: 'po_other', endToEndId: 'OTHER', ...payment, amountSen: 101n })
    assert.equal(answer.result, 'refused')
  })
})
