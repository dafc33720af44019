import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failOrders } from '../../src/orders/progress/store.ts'
import { createTestDatabase } from '../support/database.ts'
import { seedParties, wallet } from './fixture.ts'

const LAST_INSTANT = '2026-10-31T23:59:59.999Z'
const FIRST_INSTANT = '2026-11-01T00:00:00.000Z'

test('a failed order gives its usage back to the UTC day and month of its acceptance, whenever it fails', async () => {
  const db = await createTestDatabase()
  try {
    await seedParties(db)
    const [party] = await db.query<{ integration_id: string; customer_id: string; key_id: string }>(
      'select c.integration_id, c.customer_id, k.key_id from customers c join api_keys k using (integration_id)',
    )
    const { integration_id: integrationId = '', customer_id: customerId = '', key_id: keyId = '' } = party ?? {}
    const rows = await db.query<{ order_id: bigint }>(
      `insert into orders (integration_id, reference_id, direction, status, phase, chain_id, network, token_address,
         wallet_address, debit_address, customer_id, key_id, amount_micro, created_at)
       select $1, 'ref-' || gen_random_uuid(), direction, 'processing', 'CONFIRMING', 1, 'n', 't', $2, $2, $3, $4, 5, at
       from unnest(array['REDEEM', 'TRANSFER']) as d (direction), unnest($5::timestamptz[]) as a (at)
       returning order_id`,
      [integrationId, wallet(1), customerId, keyId, [LAST_INSTANT, FIRST_INSTANT]],
    )
    for (const day of ['2026-10-31', '2026-11-01', '2026-11-02']) {
      await db.query('insert into transfer_usage values ($1, $2::text::date, 9, 9)', [keyId, day])
    }
    for (const month of ['2026-10-01', '2026-11-01']) {
      await db.query('insert into withdrawal_usage values ($1, $2::text::date, 9, 9)', [customerId, month])
    }
    const failed = await db.transaction(async (tx) => {
      // Eight hours ahead: there it is November already.
      await tx.query(`set local timezone to 'Asia/Kuala_Lumpur'`)
      return await failOrders(
        tx,
        rows.map(({ order_id: orderId }) => ({ orderId, reason: 'test' })),
      )
    })
    assert.equal(failed.length, 4)
    const days = await db.query('select day, committed_micro from transfer_usage order by day')
    assert.deepEqual(
      days.map((row) => [row.day, row.committed_micro]),
      [
        ['2026-10-31', 4n],
        ['2026-11-01', 4n],
        ['2026-11-02', 9n],
      ],
    )
    const months = await db.query('select month, committed_micro from withdrawal_usage order by month')
    assert.deepEqual(
      months.map((row) => [row.month, row.committed_micro]),
      [
        ['2026-10-01', 4n],
        ['2026-11-01', 4n],
      ],
    )
  } finally {
    await db.close()
  }
})
