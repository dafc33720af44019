// engine: postgres
/** The books are compared with the orders, payouts and residuals that they record. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { entryOfPayout } from '../../src/ledger/postings.ts'
import { sealBooks } from '../support/seal-books.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { MICRO, type Reconciling, startReconciling } from './reconciling.ts'
import { addPayout } from './world.ts'

let s: Reconciling
before(async () => {
  s = await startReconciling()
})
beforeEach(() => s.renew())
after(() => s.db.close())

describe('the books', () => {
  const PLACES = { m: 'MINT', r: 'REDEEM' } as const
  const told = async () =>
    (await s.run()).differences
      .filter(({ kind }) => kind === 'books')
      .map(({ subject, message }) => message.replace(` for ${subject}, `, ', '))
  const pay = (orderId: bigint, status: string, amountSen: bigint) =>
    addPayout(s.db, { orderId, customerId: s.one.customerId, status, amountSen })
  const keep = (owedMicro: bigint) =>
    s.db.query(
      'insert into customer_residuals values ($1, $2) on conflict (customer_id) do update set owed_micro = excluded.owed_micro',
      [s.one.customerId, owedMicro],
    )
  let ids: Record<keyof typeof PLACES | 'sent', bigint>
  let [waiting, sent] = ['', '']

  /** Two integrations, two chains; a mint, a redeem whose payout waits, and one whose payout was sent. */
  beforeEach(async () => {
    await s.place('MINT', 'completed', 9n, { party: s.other })
    await s.place('TRANSFER', 'completed', 70n * MICRO)
    await s.place('REDEEM', 'failed', 800n)
    ids = {
      m: await s.place('MINT', 'completed', 5n * MICRO),
      r: await s.place('REDEEM', 'paying', 2n * MICRO + 7n, { chainId: 2 }),
      sent: await s.place('REDEEM', 'completed', 3n * MICRO),
    }
    waiting = await pay(ids.r, 'queued', 200n)
    sent = await pay(ids.sent, 'sent', 300n)
    await keep(7n)
    const entry = {
      what: 'sent',
      payoutId: sent,
      attempt: 1,
      timesSent: 1,
      integrationId: s.one.integrationId,
      rail: 'simulated',
      amountSen: 300n,
    } as const
    await s.db.transaction((tx) => recordEntries(tx, [entryOfPayout({ ...entry, effectiveAt: new Date() })]))
  })

  for (const seal of [false, true]) {
    it(`agree with orders, payouts and residuals, ${seal ? 'sealed' : 'not yet sealed'}`, async () => {
      if (seal) while ((await sealBooks(s.db, 2)).sealed > 0);
      assert.deepEqual(await told(), [])
    })
  }

  for (const [what, plant, message] of [
    [
      'a waiting payout that was multiplied',
      () =>
        withoutGuards(s.db, (tx) =>
          tx.query('update payouts set amount_sen = amount_sen * 1000 where payout_id = $1', [waiting]),
        ),
      () => `-2 is booked, but the payouts that are not with the rail come to -2000.`,
    ],
    [
      'a sent payout that was multiplied',
      () =>
        withoutGuards(s.db, (tx) =>
          tx.query('update payouts set amount_sen = amount_sen * 1000 where payout_id = $1', [sent]),
        ),
      () => '3 is booked, but the amounts of this payout come to 3000.',
    ],
    [
      'a payout that was removed',
      () => s.db.query('delete from payouts where payout_id = $1', [waiting]),
      () => '-2 is booked, but the payouts that are not with the rail come to 0.',
    ],
    [
      'a payout that was removed although it was sent',
      () => s.db.query('delete from payouts where payout_id = $1', [sent]),
      () => '3 is booked, but the amounts of this payout come to 0.',
    ],
    [
      'a residual that was zeroed',
      () => keep(0n),
      () => '-0.000007 is booked, but the parts of a sen that are kept come to 0.',
    ],
    [
      "a mint's amount that was changed",
      () =>
        withoutGuards(s.db, (tx) => tx.query('update orders set amount_micro = 6000000 where order_id = $1', [ids.m])),
      () => '5 is booked, but the mints of this batch come to 6.',
    ],
    [
      "a redeem's amount that was changed",
      () =>
        withoutGuards(s.db, (tx) =>
          tx.query('update orders set amount_micro = 4000000 where order_id = $1', [ids.sent]),
        ),
      () => '3 is booked, but the redeems of this batch come to 4.',
    ],
    [
      "a mint's fee that was changed",
      () => withoutGuards(s.db, (tx) => tx.query('update orders set fee_micro = 500000 where order_id = $1', [ids.m])),
      () => '0 is booked, but the fees of this batch come to 0.5.',
    ],
  ] as const) {
    it(`tell ${what}`, async () => {
      await plant()
      assert.deepEqual(await told(), [message()])
    })
  }

  it('tell what somebody has booked under the name of what was yet to come, and have that beside it', async () => {
    const [{ batch = 0n } = {}] = await s.db.query<{ batch: bigint }>(
      'select max(batch_id) + 1 as batch from batches where chain_id = 1',
    )
    await s.db.query(
      `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
       values ($1, now(), current_date, array['mint_receivable:x', 'coins:1'], '{4000000,-4000000}')`,
      [`batch/1/${batch}/${s.one.integrationId}`],
    )
    await s.place('MINT', 'completed', 5n * MICRO, { referenceId: 'name-taken' })
    assert.deepEqual(await told(), ['9 is booked, but the mints of this batch come to 5.'])
  })

  it('tell an entry that the sealer has not reached for a minute', async () => {
    await sealBooks(s.db, 100)
    await s.place('MINT', 'completed', 1n, { referenceId: 'not-sealed' })
    await withoutGuards(s.db, (tx) =>
      tx.query(
        `update ledger_entries set recorded_at = now() - interval '61 seconds' where entry_id in (select entry_id from ledger_unsealed)`,
      ),
    )
    assert.match(
      (await told()).join(),
      /^0 is booked, but entries that the sealer has not reached for a minute come to 0.000001.$/,
    )
  })

  it('tell an entry that was changed, by what it records', async () => {
    await withoutGuards(s.db, (tx) =>
      tx.query(
        `update ledger_entries set amounts_micro = '{-6000000,6000000}' where amounts_micro = '{5000000,-5000000}'`,
      ),
    )
    assert.match((await told()).join(), /-?\d+ is booked, but the mints of this batch come to 5/)
  })
})
