// engine: postgres; both in test:long
/** An endpoint is changed, removed, and caught up with, beside those of another partner. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createIntegration } from '../../src/integrations/integrations.sql.ts'
import { WebhookError } from '../../src/webhooks/errors.ts'
import { announce } from '../../src/webhooks/queue/announce.sql.ts'
import { waitFor } from '../support/wait-for.ts'
import { mintEvent, startFixture } from './fixture.ts'
import { startReceiver } from './http-receiver.ts'

const URL_OF_NOBODY = 'http://127.0.0.1:1/'
const SINCE = new Date(Date.now() - 600_000)

const refused = (code: WebhookError['code'], sentence: RegExp) => (error: unknown) => {
  assert.ok(error instanceof WebhookError)
  assert.match(`${error.code} ${error.message}`, new RegExp(`^${code} .*${sentence.source}`))
  return true
}

/** A second partner with an endpoint of its own. */
async function withNeighbour() {
  const fixture = await startFixture()
  const neighbour = (await createIntegration(fixture.db, { name: 'Acme' })).integrationId
  const mine = await fixture.addEndpoint(URL_OF_NOBODY)
  const theirs = await fixture.admin.add(fixture.db, { integrationId: neighbour, url: URL_OF_NOBODY })
  const appendTheirs = (referenceId: string) =>
    fixture.db.transaction((tx) => announce(tx, [mintEvent(neighbour, referenceId)]))
  return { ...fixture, neighbour, mine: mine.endpointId, theirs: theirs.endpointId, appendTheirs }
}

test('a change keeps the secret: what was due goes to the new address, and its event types hold from then on', async () => {
  const { admin, db, mine, theirs, append, startCourier, statuses } = await withNeighbour()
  const hook = await startReceiver()
  after(() => hook.close())
  const [due] = await append(1)
  const [sealed] = await db.query('select secret_encrypted from webhook_endpoints where endpoint_id = $1', [mine])
  const changed = await admin.change(db, mine, { url: hook.url, eventTypes: ['mint.failed', 'mint.failed'] })
  assert.deepEqual([changed.url, changed.eventTypes, changed.status], [hook.url, ['mint.failed'], 'enabled'])
  await append(1)
  const [failed] = await append(1, 'failed')
  await startCourier()
  await waitFor('both', async () => (await statuses()).delivered === 2)
  assert.deepEqual(hook.received.map(({ body }) => JSON.parse(body).id).sort(), [due, failed].sort())
  assert.deepEqual((await admin.change(db, mine, { eventTypes: null })).eventTypes, null)
  assert.equal((await admin.change(db, mine, { eventTypes: null })).url, hook.url)
  assert.deepEqual(await db.query('select secret_encrypted from webhook_endpoints where endpoint_id = $1', [mine]), [
    sealed,
  ])
  assert.equal((await admin.list({})).find(({ endpointId }) => endpointId === theirs)?.url, URL_OF_NOBODY)
  await assert.rejects(admin.change(db, mine, { url: 'https://10.0.0.1/' }), refused('BAD_REQUEST', /not public/))
  await assert.rejects(admin.change(db, mine, { eventTypes: ['mint.odd'] }), refused('BAD_REQUEST', /one or more/))
  await assert.rejects(admin.change(db, 'we_none', { eventTypes: null }), refused('NOT_FOUND', /we_none/))
})

test('a removed endpoint is gone with its secrets, makes room for another, and keeps the history of its deliveries', async () => {
  const { admin, db, integrationId, mine, theirs, append, appendTheirs, addEndpoint } = await withNeighbour()
  await appendTheirs('order-theirs-0001')
  const [dropped] = await append(1)
  await admin.rotate(db, mine)
  for (let count = 1; count < 20; count += 1) await addEndpoint(URL_OF_NOBODY)
  await assert.rejects(addEndpoint(URL_OF_NOBODY), refused('CONFLICT', /already has 20/))
  assert.equal((await admin.remove(db, mine)).status, 'removed')
  await addEndpoint(URL_OF_NOBODY)
  await append(1)
  const mineListed = await admin.list({ integrationId })
  assert.ok(mineListed.length === 20 && mineListed.every(({ endpointId }) => endpointId !== mine))
  assert.deepEqual(
    await db.query('select secret_encrypted, next_secret_encrypted from webhook_endpoints where endpoint_id = $1', [
      mine,
    ]),
    [{ secret_encrypted: null, next_secret_encrypted: null }],
  )
  assert.deepEqual(
    (await admin.deliveries({ endpointId: mine })).map(({ eventId, status }) => [eventId, status]),
    [[dropped, 'dropped']],
  )
  assert.equal((await admin.deliveries({ endpointId: theirs }))[0]?.status, 'due')
  const missing = refused('NOT_FOUND', /no webhook endpoint/)
  await assert.rejects(admin.remove(db, mine), missing)
  await assert.rejects(admin.enable(db, mine), missing)
  await assert.rejects(admin.disable(db, mine, 'why'), missing)
  await assert.rejects(admin.change(db, mine, { eventTypes: null }), missing)
  await assert.rejects(admin.rotate(db, mine), missing)
  await assert.rejects(admin.activate(db, mine), missing)
  await assert.rejects(admin.test(mine), missing)
  await assert.rejects(admin.replay(db, { since: SINCE, endpointId: mine }), missing)
})

test('catching up with one partner leaves all others alone, and a period needs a target', async () => {
  const { admin, db, integrationId, neighbour, mine, theirs, append, appendTheirs } = await withNeighbour()
  const second = (await admin.add(db, { integrationId, url: URL_OF_NOBODY })).endpointId
  const [event = ''] = await append(2)
  await appendTheirs('order-theirs-0001')
  await db.query(`update deliveries set status = 'delivered'`)
  const due = async () => {
    const rows = await db.query<{ endpoint_id: string }>(
      `select endpoint_id from deliveries where status = 'due' order by event_id, endpoint_id`,
    )
    return rows.map(({ endpoint_id }) => endpoint_id).sort()
  }
  await assert.rejects(admin.replay(db, { since: SINCE }), refused('BAD_REQUEST', /endpoint or the integration/))
  assert.deepEqual(await admin.replay(db, { since: SINCE, integrationId }, true), { scheduled: 4 })
  assert.deepEqual(await due(), [])
  assert.deepEqual(await admin.replay(db, { since: SINCE, integrationId: neighbour, endpointId: mine }), {
    scheduled: 0,
  })
  assert.deepEqual(await admin.replay(db, { since: SINCE, integrationId }), { scheduled: 4 })
  assert.deepEqual(await due(), [mine, mine, second, second].sort())
  assert.deepEqual(await admin.replay(db, { eventId: event }), { scheduled: 2 })
  assert.deepEqual(await admin.replay(db, { since: SINCE, endpointId: theirs }), { scheduled: 1 })
})

test('only what ended undelivered is delivered again when asked so', async () => {
  const { admin, db, integrationId, mine, append } = await withNeighbour()
  const other = (await admin.add(db, { integrationId, url: URL_OF_NOBODY })).endpointId
  const events = await append(4)
  await db.query(`update deliveries set status = 'delivered'`)
  const end = (status: string, eventId: string | undefined, endpointId: string) =>
    db.query('update deliveries set status = $1 where event_id = $2 and endpoint_id = $3', [
      status,
      eventId ?? '',
      endpointId,
    ])
  await end('exhausted', events[0], mine)
  await end('dropped', events[1], mine)
  await end('due', events[2], mine)
  await end('exhausted', events[3], other)
  const failed = { since: SINCE, integrationId, failedOnly: true }
  assert.deepEqual(await admin.replay(db, { ...failed, endpointId: mine }, true), { scheduled: 2 })
  assert.deepEqual(await admin.replay(db, failed), { scheduled: 3 })
  assert.deepEqual(await admin.replay(db, failed), { scheduled: 0 })
  const rows = await db.query(`select event_id, endpoint_id from deliveries where status = 'due'`)
  assert.equal(rows.length, 4)
})
