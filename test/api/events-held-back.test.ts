// engine: postgres
/** A transaction that somebody leaves open keeps events from partners, and the service says so. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createHeldBack } from '../../src/events/held-back.sql.ts'
import { announce } from '../../src/webhooks/queue/announce.sql.ts'
import { startTestApi } from '../support/api.ts'
import { createTestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { mintEvent } from '../webhooks/fixture.ts'

test('also one in another database of the server', async (t) => {
  const api = await startTestApi()
  const other = await createTestDatabase({ engine: 'postgres' })
  const client = new pg.Client({ connectionString: other.url })
  t.after(async () => {
    await client.end()
    await Promise.all([api.close(), other.close()])
  })
  const idsRead = async () => {
    const { body } = await api.get('/v1/events')
    return (body.events as { id: string }[]).map(({ id }) => id)
  }
  let nowMs = 0
  const heldBackSeconds = createHeldBack(api.db, () => nowMs)
  await client.connect()
  await client.query('begin')
  const mine: string = (await client.query('select pg_current_xact_id()::text as id')).rows[0].id
  const event = mintEvent(api.integrationId, 'held-back-1')
  await announce(api.db, [event])
  // What others of this server had open before has ended.
  await waitFor('this transaction to be the oldest', async () => {
    const [row] = await api.db.query<{ oldest: string }>(
      'select pg_snapshot_xmin(pg_current_snapshot())::text as oldest',
    )
    return row?.oldest === mine
  })
  assert.deepEqual(await idsRead(), [])
  assert.equal(await heldBackSeconds(), 0)
  nowMs = 400_000
  assert.equal(await heldBackSeconds(), 400)
  await client.query('commit')
  await waitFor('the event to be shown', async () => (await idsRead()).includes(event.eventId))
  // Whatever else is open by now is another one.
  assert.equal(await heldBackSeconds(), 0)
})
