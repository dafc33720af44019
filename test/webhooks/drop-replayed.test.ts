// engine: postgres
/** What is delivered again to an endpoint that was enabled is not dropped by a courier that has seen it disabled. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { dropUnwanted } from '../../src/webhooks/queue/drop.sql.ts'
import { waitFor } from '../support/wait-for.ts'
import { startFixture } from './fixture.ts'
import { startReceiver } from './http-receiver.ts'

const PAUSE = 7_700_001

/** Its statement waits where it has found the endpoint, as one does that steps through much. */
function pausing(db: Queryable): Queryable {
  return {
    query(text, params) {
      const found = "e.status <> 'enabled'"
      return db.query(
        text.replace(found, `${found} and pg_advisory_xact_lock_shared(${PAUSE})::text is not null`),
        params,
      )
    },
  }
}

/** An endpoint that was disabled while more was due to it than one statement drops: this is left. */
async function withRest() {
  const fixture = await startFixture()
  const hook = await startReceiver()
  after(() => hook.close())
  const { endpointId } = await fixture.addEndpoint(hook.url)
  const [eventId = ''] = await fixture.append(1)
  await fixture.db.query(
    `update webhook_endpoints set status = 'disabled', disabled_reason = 'it is flooded' where endpoint_id = $1`,
    [endpointId],
  )
  return { ...fixture, endpointId, eventId }
}

test('an endpoint is enabled and its events are delivered again, while a courier drops what was left', async () => {
  const { db, admin, statuses, endpointId, eventId } = await withRest()
  let dropping: Promise<number> | undefined
  await db.transaction(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(${PAUSE})`)
    dropping = dropUnwanted(pausing(db))
    await waitFor('the courier', async () => (await tx.query('select from pg_locks where not granted')).length === 1)
    await admin.enable(tx, endpointId)
    assert.deepEqual(await admin.replay(tx, { eventId }), { scheduled: 1 })
  })
  assert.equal(await dropping, 0)
  assert.deepEqual(await statuses(), { due: 1 })
})

test('what is left is dropped by the next look where somebody is just changing the endpoint', async () => {
  const { db, admin, statuses, endpointId } = await withRest()
  await db.transaction(async (tx) => {
    await admin.change(tx, endpointId, { eventTypes: null })
    assert.equal(await dropUnwanted(db), 0)
  })
  assert.equal(await dropUnwanted(db), 1)
  assert.deepEqual(await statuses(), { dropped: 1 })
})
