// engine: postgres; both in test:long
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import Stripe from 'stripe'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { createWebhookAdmin } from '../../src/webhooks/admin.ts'
import { WebhookError } from '../../src/webhooks/errors.ts'
import { createSender } from '../../src/webhooks/send.ts'
import { SOME_COLUMNS, SOME_VALUES } from '../support/events.ts'
import { waitFor } from '../support/wait-for.ts'
import { startFixture } from './fixture.ts'
import { type Answerer, type Received, startReceiver } from './http-receiver.ts'

const stripe = new Stripe('sk_test_unused')
const URL_OF_NOBODY = 'http://127.0.0.1:1/'

async function receiver(answer?: Answerer) {
  const started = await startReceiver(answer)
  after(() => started.close())
  return started
}

const refused = (code: WebhookError['code'], sentence: RegExp) => (error: unknown) => {
  assert.ok(error instanceof WebhookError)
  assert.equal(error.code, code)
  assert.match(error.message, sentence)
  return true
}

function signedWith(secret: string, one: Received | undefined): boolean {
  try {
    stripe.webhooks.constructEvent(one?.body ?? '', one?.headers['x-coin-signature'] as string, secret, 300)
    return true
  } catch {
    return false
  }
}

test('an endpoint is added with a secret that is shown once and kept encrypted', async () => {
  const { admin, db, addEndpoint, integrationId } = await startFixture()
  const { endpointId, secret } = await addEndpoint(URL_OF_NOBODY, ['mint.failed', 'mint.completed', 'mint.failed'])
  assert.match(endpointId, /^we_[0-9a-f]{24}$/)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const [endpoint] = await admin.list({ integrationId })
  const { createdAt, updatedAt, ...rest } = endpoint ?? {}
  assert.deepEqual(rest, {
    endpointId,
    integrationId,
    url: URL_OF_NOBODY,
    eventTypes: ['mint.failed', 'mint.completed'],
    status: 'enabled',
    disabledReason: null,
    rotating: false,
  })
  assert.ok(createdAt instanceof Date && updatedAt instanceof Date)
  const stored = JSON.stringify(await db.query('select secret_encrypted, next_secret_encrypted from webhook_endpoints'))
  assert.ok(!stored.includes(secret) && !stored.includes(secret.slice(6)))
})

test('refusals say what to do', async () => {
  const { admin, db, addEndpoint, integrationId } = await startFixture()
  await assert.rejects(addEndpoint('https://10.0.0.1/'), refused('BAD_REQUEST', /not public/))
  await assert.rejects(addEndpoint('http://partner.example/'), refused('BAD_REQUEST', /must begin with https/))
  await assert.rejects(addEndpoint(URL_OF_NOBODY, ['mint.processing']), refused('BAD_REQUEST', /mint\.pending, /))
  await assert.rejects(addEndpoint(URL_OF_NOBODY, []), refused('BAD_REQUEST', /one or more/))
  await assert.rejects(
    admin.add(db, { integrationId: 'int_none', url: URL_OF_NOBODY }),
    refused('NOT_FOUND', /integration int_none/),
  )
  const unknown = 'we_000000000000000000000000'
  const missing = refused('NOT_FOUND', /no webhook endpoint we_0+\. List them with "coin webhook list"/)
  await assert.rejects(admin.test(unknown), missing)
  await assert.rejects(admin.enable(db, unknown), missing)
  await assert.rejects(admin.disable(db, unknown, 'because'), missing)
  await assert.rejects(admin.rotate(db, unknown), missing)
  await assert.rejects(admin.activate(db, unknown), missing)
  await assert.rejects(admin.deliveries({ endpointId: unknown }), missing)
  await assert.rejects(admin.replay(db, { since: new Date(), endpointId: unknown }), missing)
  await assert.rejects(admin.replay(db, { eventId: 'evt_none' }), refused('NOT_FOUND', /no such event/))
  const { endpointId } = await addEndpoint(URL_OF_NOBODY)
  await assert.rejects(admin.disable(db, endpointId, '  '), refused('BAD_REQUEST', /Say why/))
  await assert.rejects(admin.activate(db, endpointId), refused('CONFLICT', /Rotate first/))
  await assert.rejects(admin.test(endpointId, 'next'), refused('CONFLICT', /Rotate first/))
  for (let count = 1; count < 20; count += 1) await addEndpoint(URL_OF_NOBODY)
  await assert.rejects(addEndpoint(URL_OF_NOBODY), refused('CONFLICT', /already has 20 endpoints/))
  assert.equal((await admin.list({ integrationId })).length, 20)
})

test('a test of an endpoint whose secret no key opens says so, and a new secret mends it', async () => {
  const { db, addEndpoint } = await startFixture()
  const { url, received } = await receiver()
  const { endpointId } = await addEndpoint(url)
  const secrets = createSecretBox(randomBytes(32))
  const later = createWebhookAdmin({ db, secrets, send: createSender({ allowLoopback: true }), allowLoopback: true })
  await assert.rejects(
    later.test(endpointId),
    refused('CONFLICT', /SECRETS_KEY does not open .* "coin webhook rotate"/),
  )
  assert.equal(received.length, 0)
  await later.rotate(db, endpointId)
  await later.activate(db, endpointId)
  assert.equal((await later.test(endpointId)).acknowledged, true)
})

test('a write rolls back with its transaction', async () => {
  const { admin, db, integrationId } = await startFixture()
  const failing = db.transaction(async (tx) => {
    await admin.add(tx, { integrationId, url: URL_OF_NOBODY })
    throw new Error('the audit failed')
  })
  await assert.rejects(failing, /the audit failed/)
  assert.deepEqual(await admin.list(), [])
})

test('rotation: the old secret signs until the new one is activated; both can be tested', async () => {
  const fixture = await startFixture()
  const { admin, db } = fixture
  const hook = await receiver()
  const { endpointId, secret: old } = await fixture.addEndpoint(hook.url)
  const courier = await fixture.startCourier()
  const deliver = async () => {
    const [eventId] = await fixture.append(1)
    courier.wake()
    return waitFor('the event', () => hook.received.find(({ body }) => body.includes(eventId ?? '-')))
  }

  const overwritten = await admin.rotate(db, endpointId)
  await assert.rejects(admin.rotate(db, endpointId), refused('CONFLICT', /waits to be activated.*--replace/))
  const { secret: fresh } = await admin.rotate(db, endpointId, true)
  assert.equal(new Set([old, overwritten.secret, fresh]).size, 3)
  assert.equal((await admin.list())[0]?.rotating, true)
  assert.equal(signedWith(old, await deliver()), true)
  assert.equal((await admin.test(endpointId)).acknowledged, true)
  assert.equal(signedWith(old, hook.received.at(-1)), true)
  assert.equal((await admin.test(endpointId, 'next')).acknowledged, true)
  assert.equal(signedWith(fresh, hook.received.at(-1)), true)

  assert.equal((await admin.activate(db, endpointId)).rotating, false)
  const afterwards = await deliver()
  assert.deepEqual(
    [signedWith(old, afterwards), signedWith(overwritten.secret, afterwards), signedWith(fresh, afterwards)],
    [false, false, true],
  )
})

test('a test event is sent at once, reported, and leaves no trace in the deliveries', async () => {
  const { admin, db, addEndpoint } = await startFixture()
  const hook = await receiver((response) => response.writeHead(503).end('maintenance'))
  const { endpointId, secret } = await addEndpoint(hook.url)
  await admin.disable(db, endpointId, 'not ready yet')
  const { eventId, durationMs, ...result } = await admin.test(endpointId)
  assert.deepEqual(result, {
    endpointId,
    acknowledged: false,
    httpStatus: 503,
    error: 'http_503',
    responseExcerpt: 'maintenance',
  })
  assert.ok(durationMs >= 0)
  assert.equal(signedWith(secret, hook.received[0]), true)
  const event = JSON.parse(hook.received[0]?.body ?? '')
  assert.deepEqual(
    [event.id, event.type, Object.keys(event.data)],
    [eventId, 'webhook.test', ['referenceId', 'status', 'direction', 'amounts', 'blockchain']],
  )
  assert.deepEqual(await admin.deliveries({ endpointId }), [])
})

test('disabling drops what is due and gets no new events; enabling and a replay bring all back', async () => {
  const fixture = await startFixture()
  const { admin, db } = fixture
  const hook = await receiver()
  const { endpointId } = await fixture.addEndpoint(hook.url)
  const start = new Date(Date.now() - 60_000)
  const due = await fixture.append(2)
  const disabled = await admin.disable(db, endpointId, 'partner is moving')
  assert.deepEqual([disabled.status, disabled.disabledReason], ['disabled', 'partner is moving'])
  const missed = await fixture.append(2)
  assert.deepEqual(await fixture.statuses(), { dropped: 2 })
  await assert.rejects(admin.replay(db, { since: start, endpointId }), refused('CONFLICT', /Enable it first/))

  const enabled = await admin.enable(db, endpointId)
  assert.deepEqual([enabled.status, enabled.disabledReason], ['enabled', null])
  assert.deepEqual(await fixture.statuses(), { dropped: 2 })
  await fixture.startCourier()
  assert.deepEqual(await admin.replay(db, { since: start, endpointId }), { scheduled: 4 })
  await waitFor('all four', async () => (await fixture.statuses()).delivered === 4)
  assert.deepEqual(hook.received.map(({ body }) => JSON.parse(body).id).sort(), [...due, ...missed].sort())
})

test('replay of one event starts a fresh schedule and keeps earlier attempts', async () => {
  const fixture = await startFixture()
  const { admin, db } = fixture
  let status = 500
  const hook = await receiver((response) => response.writeHead(status).end())
  const { endpointId } = await fixture.addEndpoint(hook.url)
  const other = await fixture.addEndpoint(`${hook.url}/other`)
  const [eventId = ''] = await fixture.append(1)
  const exhausted = `update deliveries set status = 'exhausted', attempts = 9, scheduled_from = now() - interval '2 days',
    created_at = now() - interval '2 days'`
  await fixture.startCourier()
  await waitFor('a failed attempt', async () => (await admin.deliveries({ endpointId, failedOnly: true })).length === 1)
  await waitFor(
    'another',
    async () => (await admin.deliveries({ endpointId: other.endpointId, failedOnly: true })).length === 1,
  )
  await db.query(exhausted)

  status = 204
  assert.deepEqual(await admin.replay(db, { eventId, endpointId }), { scheduled: 1 })
  await waitFor('the replay', async () => (await fixture.statuses()).delivered === 1)
  const [delivery] = await admin.deliveries({ endpointId })
  assert.equal(delivery?.attempts, 1)
  assert.ok(Date.now() - (delivery?.scheduledFrom.getTime() ?? 0) < 3_600_000)
  assert.deepEqual(
    delivery?.attemptLog.map(({ httpStatus }) => httpStatus),
    [500, 204],
  )
  assert.equal((await admin.deliveries({ endpointId: other.endpointId }))[0]?.status, 'exhausted')
  assert.deepEqual(await admin.replay(db, { eventId }), { scheduled: 2 })
  await waitFor('both', async () => (await fixture.statuses()).delivered === 2)
})

test('a replay of a time keeps to it, to event filters, and to its bound', async () => {
  const { admin, db, integrationId, addEndpoint, append } = await startFixture()
  await append(5, 'completed')
  await append(3, 'failed')
  const all = await addEndpoint(URL_OF_NOBODY)
  await addEndpoint(URL_OF_NOBODY, ['mint.failed'])
  const past = (ms: number) => new Date(Date.now() - ms)
  assert.deepEqual(await admin.replay(db, { since: past(-60_000), integrationId }), { scheduled: 0 })
  assert.deepEqual(await admin.replay(db, { since: past(120_000), until: past(60_000), integrationId }), {
    scheduled: 0,
  })
  assert.deepEqual(await admin.replay(db, { since: past(60_000), integrationId }), { scheduled: 11 })
  assert.deepEqual(await admin.replay(db, { since: past(60_000), endpointId: all.endpointId }), { scheduled: 8 })

  await db.query(
    `insert into events (event_id, type, integration_id, ${SOME_COLUMNS})
     select 'evt_bulk_' || n, 'mint.completed', $1, ${SOME_VALUES} from generate_series(1, 10000) n`,
    [integrationId],
  )
  await assert.rejects(
    admin.replay(db, { since: past(60_000), integrationId }),
    refused('CONFLICT', /more than 10,000 .*--until/),
  )
  const [row] = await db.query<{ count: bigint }>('select count(*) as count from deliveries')
  assert.equal(row?.count, 11n)
})

test('deliveries are listed newest first, by failure, and within a limit', async () => {
  const fixture = await startFixture()
  const { endpointId } = await fixture.addEndpoint(URL_OF_NOBODY)
  const events = await fixture.append(5)
  await fixture.db.query(`update deliveries set status = 'delivered' where event_id = $1`, [events[2] ?? ''])
  await fixture.db.query(`update deliveries set status = 'exhausted' where event_id = $1`, [events[1] ?? ''])
  await fixture.db.query(`update deliveries set status = 'dropped' where event_id = $1`, [events[0] ?? ''])
  const listed = await fixture.admin.deliveries({ endpointId })
  assert.deepEqual(
    listed.map(({ eventId }) => eventId),
    events.toReversed(),
  )
  assert.deepEqual(
    listed.map(({ deliveryId }) => Number(deliveryId)),
    listed.map(({ deliveryId }) => Number(deliveryId)).sort((a, b) => b - a),
  )
  assert.deepEqual(
    (await fixture.admin.deliveries({ endpointId, failedOnly: true })).map(({ status }) => status),
    ['exhausted', 'dropped'],
  )
  assert.equal((await fixture.admin.deliveries({ endpointId, limit: 2 })).length, 2)
})

test('deliveries are read page by page, also where events happened at the same time, and no other endpoint’s go between', async () => {
  const fixture = await startFixture()
  const { endpointId } = await fixture.addEndpoint(URL_OF_NOBODY)
  const other = await fixture.addEndpoint(URL_OF_NOBODY)
  await fixture.append(5)
  await fixture.db.query('update deliveries set event_at = (select min(event_at) from deliveries)')
  await fixture.db.query('update events set created_at = (select min(event_at) from deliveries)')
  const all = (await fixture.admin.deliveries({ endpointId })).map(({ deliveryId }) => deliveryId)
  assert.equal(all.length, 5)
  const read: string[] = []
  for (let after: bigint | undefined; read.length < 5; after = BigInt(read.at(-1) ?? 0)) {
    const page = await fixture.admin.deliveries({ endpointId, limit: 2, after })
    assert.ok(page.length > 0)
    read.push(...page.map(({ deliveryId }) => deliveryId))
  }
  assert.deepEqual(read, all)
  const [foreign] = await fixture.admin.deliveries({ endpointId: other.endpointId })
  assert.deepEqual(await fixture.admin.deliveries({ endpointId, after: BigInt(foreign?.deliveryId ?? 0) }), [])
})
