// engine: postgres; both in test:long
/** What waits for an endpoint that is disabled or removed is dropped in parts: of a million no statement would end in time. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DROPPED_AT_ONCE, dropUnwanted } from '../../src/webhooks/queue/drop.sql.ts'
import { indexConditionsIn, listeningTo } from '../support/rival-plans.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { startFixture } from './fixture.ts'
import { startReceiver } from './http-receiver.ts'

const MORE = DROPPED_AT_ONCE + 500

/** Two endpoints, for the first of which very much waits. */
async function withBacklog() {
  const fixture = await startFixture()
  const hook = await startReceiver()
  after(() => hook.close())
  const { endpointId } = await fixture.addEndpoint(hook.url)
  await withoutGuards(fixture.db, (tx) =>
    tx.query(
      `insert into deliveries (event_id, event_at, endpoint_id, next_attempt_at)
       select 'evt_' || n, now(), $1, now() + interval '9 minutes' from generate_series(1, $2::int) n`,
      [endpointId, MORE],
    ),
  )
  const other = await fixture.addEndpoint(hook.url)
  await fixture.append(1)
  return { fixture, hook, endpointId, other: other.endpointId }
}

for (const [what, is] of [
  ['disabled', 'disabled'],
  ['removed', 'removed'],
] as const) {
  test(`an endpoint is ${what} by a statement that drops a part, and couriers drop the rest`, async () => {
    const { fixture, hook, endpointId, other } = await withBacklog()
    const { db, admin } = fixture
    const given = await db.transaction((tx) =>
      what === 'removed' ? admin.remove(tx, endpointId) : admin.disable(tx, endpointId, 'it is flooded'),
    )
    assert.equal(given.status, is)
    // One of each event of the other endpoint went to this one, too.
    assert.equal((await fixture.statuses()).dropped, DROPPED_AT_ONCE)
    await fixture.startCourier()
    await waitFor('the rest to be dropped', async () => (await fixture.statuses()).dropped === MORE + 1)
    await waitFor('the other delivery', async () => (await fixture.statuses()).delivered === 1)
    assert.equal(hook.received.length, 1)
    const [delivered] = await db.query(`select endpoint_id as id from deliveries where status = 'delivered'`)
    assert.deepEqual(delivered, { id: other })
    assert.equal(await dropUnwanted(db), 0)
  })
}

test('what is due to enabled endpoints is dropped by nobody', async () => {
  const { fixture } = await withBacklog()
  assert.equal(await dropUnwanted(fixture.db), 0)
  assert.deepEqual(await fixture.statuses(), { due: MORE + 2 })
})

test('the look finds what is due by endpoints, also by a plan that was made while there was nothing', async () => {
  const fixture = await startFixture()
  let look = ''
  await dropUnwanted(
    listeningTo(fixture.db, (text) => {
      look = text
    }),
  )
  const conditions = await indexConditionsIn(fixture.db, look, 'deliveries_default')
  assert.ok(conditions.some((condition) => condition.startsWith('(delivery_id = ANY')))
  assert.deepEqual(
    conditions.filter((condition) => !/^\(delivery_id = ANY|^\(endpoint_id [>=]|^none$/.test(condition)),
    [],
  )
})
