// engine: postgres
/** A transaction that somebody leaves open keeps events from partners, and the service says so. */
// Runbook: Somebody has a transaction open
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { createHeldBack } from '../../src/events/held-back.sql.ts'
import { announce } from '../../src/webhooks/queue/announce.sql.ts'
import { startTestApi } from '../support/api.ts'
import { createTestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { mintEvent } from '../webhooks/fixture.ts'

const RUNBOOKS = readFileSync(path.join(import.meta.dirname, '../../docs/RUNBOOKS.md'), 'utf8')

/** What the runbook has a superuser ask of the server. */
async function whoHoldsEvents(url: string | undefined): Promise<unknown[]> {
  const [, sql = ''] = /^## Somebody has a transaction open$[\s\S]*?```sql\n([\s\S]*?)```/m.exec(RUNBOOKS) ?? []
  const superuser = new pg.Client({ connectionString: url ?? '' })
  await superuser.connect()
  try {
    const answers: unknown = await superuser.query(sql)
    const [sessions, prepared] = answers as pg.QueryResult<{ pid: number; holds_events: boolean }>[]
    assert.ok(prepared)
    return (sessions?.rows ?? []).filter(({ holds_events }) => holds_events).map(({ pid }) => pid)
  } finally {
    await superuser.end()
  }
}

/** As the runbook ends it. */
async function terminate(url: string | undefined, pid: unknown): Promise<void> {
  const superuser = new pg.Client({ connectionString: url ?? '' })
  await superuser.connect()
  await superuser.query('select pg_terminate_backend($1)', [pid])
  await superuser.end()
}

test('also one in another database of the server, until it is found and ended', async (t) => {
  const api = await startTestApi()
  const other = await createTestDatabase({ engine: 'postgres' })
  const client = new pg.Client({ connectionString: other.url })
  client.on('error', () => {})
  t.after(async () => {
    await client.end().catch(() => {})
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
  const { id: mine, pid } = (await client.query('select pg_current_xact_id()::text as id, pg_backend_pid() as pid'))
    .rows[0]
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
  assert.ok((await whoHoldsEvents(other.url)).includes(pid))
  await terminate(other.url, pid)
  await waitFor('the event to be shown', async () => (await idsRead()).includes(event.eventId))
  // Whatever else is open by now is another one.
  assert.equal(await heldBackSeconds(), 0)
})
