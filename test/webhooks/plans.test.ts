// engine: postgres; both in test:long
/** How the courier's claim finds deliveries, whatever the planner knew when it was prepared. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimDue } from '../../src/webhooks/queue/queue.sql.ts'
import { createTestDatabase } from '../support/database.ts'
import { indexConditionsIn, listeningTo } from '../support/rival-plans.ts'

const CLAIM = {
  now: null,
  limit: 4,
  perEndpoint: 4,
  inFlight: new Map(),
  slowEndpoints: [],
  slowLimit: 1,
  claimMs: 1_000,
}

test('a claim never reads all that is due, though little was due when it was planned', async (t) => {
  const db = await createTestDatabase({ engine: 'postgres' })
  t.after(() => db.close())
  let claim = ''
  await claimDue(
    listeningTo(db, (text) => {
      claim = text
    }),
    CLAIM,
  )
  const check = async () => {
    const conditions = await indexConditionsIn(db, claim, 'deliveries_default')
    assert.ok(conditions.some((condition) => condition.startsWith('(delivery_id = ANY')))
    // Of one endpoint only as many as it may have at a time are read.
    assert.deepEqual(
      conditions.filter((condition) => condition.startsWith('(next_attempt_at')),
      [],
    )
  }
  await check()
  await db.query(
    `insert into deliveries (event_id, event_at, endpoint_id, status)
     select 'evt_' || n, now(), 'we_' || n % 3, case when n <= 3 then 'due' else 'delivered' end from generate_series(1, 2000) n`,
  )
  await db.query('analyze')
  await check()
})
