/** Which endpoints get a delivery of an event, and that the courier is woken for it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type EventRow, eventFromRow, SHOWN_COLUMNS } from '../../src/events/events.sql.ts'
import { announce } from '../../src/webhooks/queue/announce.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { SOME_EVENT } from '../support/events.ts'
import { INTEGRATIONS, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { waitFor } from '../support/wait-for.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  await seedTwoOfEverything(db)
  const endpoints: [id: string, integrationId: string, types: string[] | null, status: string][] = [
    ['all-of-a', INTEGRATIONS.a, null, 'enabled'],
    ['completed-mints-of-a', INTEGRATIONS.a, ['mint.completed', 'redeem.failed'], 'enabled'],
    ['failed-mints-of-a', INTEGRATIONS.a, ['mint.failed'], 'enabled'],
    ['none-of-a', INTEGRATIONS.a, [], 'enabled'],
    ['disabled-of-a', INTEGRATIONS.a, null, 'disabled'],
    ['all-of-b', INTEGRATIONS.b, null, 'enabled'],
  ]
  for (const [id, integrationId, types, status] of endpoints) {
    await db.query(
      `insert into webhook_endpoints (endpoint_id, integration_id, url, event_types, status, secret_encrypted)
       values ($1, $2, 'https://example.com', $3, $4, 'sb1.s')`,
      [id, integrationId, types, status],
    )
  }
})
after(() => db.close())

const event = (eventId: string, integrationId: string = INTEGRATIONS.a) =>
  ({ ...SOME_EVENT, eventId, type: 'mint.completed', integrationId }) as const

const deliveriesOf = async (eventId: string) => {
  const rows = await db.query<{ endpoint_id: string; status: string }>(
    'select endpoint_id, status from deliveries where event_id = $1 order by endpoint_id',
    [eventId],
  )
  assert.ok(rows.every(({ status }) => status === 'due'))
  return rows.map((row) => row.endpoint_id)
}

test('an event is delivered to the enabled endpoints of its integration that want its type', async () => {
  const settled = { referenceId: 'reference-2', amountMicro: 7n, txHash: `0x${'ab'.repeat(32)}`, blockNumber: 17n }
  await db.transaction((tx) => announce(tx, [{ ...event('evt_1'), ...settled }, event('evt_2', INTEGRATIONS.b)]))
  assert.deepEqual(await deliveriesOf('evt_1'), ['all-of-a', 'completed-mints-of-a'])
  assert.deepEqual(await deliveriesOf('evt_2'), ['all-of-b'])
  const rows = await db.query<EventRow & { integration_id: string }>(
    `select e.integration_id, ${SHOWN_COLUMNS} from events e order by e.event_seq`,
  )
  assert.deepEqual(
    rows.map((row) => ({ ...eventFromRow(row), integrationId: row.integration_id })),
    [{ ...event('evt_1'), ...settled }, event('evt_2', INTEGRATIONS.b)],
  )
})

test('the courier is woken once, and only when something is to be delivered', async () => {
  let rung = 0
  const unlisten = await db.listen('deliveries_due', () => {
    rung += 1
  })
  await db.query(`update webhook_endpoints set status = 'disabled' where integration_id = $1`, [INTEGRATIONS.b])
  await db.transaction((tx) => announce(tx, [event('evt_3', INTEGRATIONS.b)]))
  await db.transaction((tx) => announce(tx, []))
  await db.transaction((tx) => announce(tx, [event('evt_4'), event('evt_5')]))
  await waitFor('the courier to be woken', () => rung > 0)
  // Notifications come in the order of their commits, so one from an earlier transaction would have come first.
  await db.query(`select pg_notify('deliveries_due', '')`)
  await waitFor('the last notification', () => rung > 1)
  assert.equal(rung, 2)
  await unlisten()
  const [kept] = await db.query(`select count(*) as count from events where event_id in ('evt_3', 'evt_4', 'evt_5')`)
  assert.deepEqual(kept, { count: 3n })
})
