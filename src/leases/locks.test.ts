// engine: postgres
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from '../../test/support/database.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import { acquireLease, underLease } from './leases.sql.ts'

const HOUR_MS = 3_600_000

test('nobody takes over a lease while work under it is not yet committed', async () => {
  const shared = await createTestDatabase({ engine: 'postgres' })
  try {
    const lease = await acquireLease(shared, 'a', 'one', HOUR_MS)
    assert.ok(lease !== undefined)
    const order: string[] = []
    let takeover: Promise<unknown> | undefined
    await underLease(shared, lease, async () => {
      // The lease has expired since it was checked, so another process wants it, and must wait for the commit.
      takeover = shared.query(`update leases set expires_at = now() where name = 'a'`).then(async () => {
        await acquireLease(shared, 'a', 'two', HOUR_MS)
        order.push('taken over')
      })
      await waitFor('the other process to wait', async () => {
        const waiting = await shared.query(`select 1 from pg_stat_activity where wait_event_type = 'Lock'
          and datname = current_database()`)
        return waiting.length > 0 || order.length > 0
      })
      order.push('committed')
    })
    await takeover
    assert.deepEqual(order, ['committed', 'taken over'])
  } finally {
    await shared.close()
  }
})
