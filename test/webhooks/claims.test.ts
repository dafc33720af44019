import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ClaimedDelivery, Verdict } from '../../src/webhooks/queue/claimed-delivery.ts'
import { type ClaimOptions, claimDue, endUnattempted, recordAttempt } from '../../src/webhooks/queue/store.ts'
import { waitFor } from '../support/wait-for.ts'
import { type Fixture, startFixture } from './fixture.ts'
import { startReceiver } from './http-receiver.ts'

const CLAIM_MS = 30_000
const acknowledged = { httpStatus: 204, error: null, durationMs: 3, responseExcerpt: '' }
const failed = { httpStatus: 500, error: 'http_500', durationMs: 3, responseExcerpt: '' }

function claim(fixture: Fixture, options: Partial<ClaimOptions> = {}): Promise<ClaimedDelivery[]> {
  const none = { inFlight: new Map(), slowEndpoints: [], slowLimit: 100 }
  return claimDue(fixture.db, { now: null, limit: 100, perEndpoint: 100, claimMs: CLAIM_MS, ...none, ...options })
}

const later = () => new Date(Date.now() + CLAIM_MS + 1000)

function record(
  fixture: Fixture,
  claimed: ClaimedDelivery | undefined,
  outcome: typeof acknowledged | typeof failed,
  verdict: Verdict,
) {
  assert.ok(claimed)
  return recordAttempt(fixture.db, { claimed, outcome, verdict })
}

async function withDeliveries(count: number) {
  const fixture = await startFixture()
  const { endpointId } = await fixture.addEndpoint('http://127.0.0.1:1/')
  await fixture.append(count)
  const read = async () =>
    (await fixture.admin.deliveries({ endpointId })).map(({ status, attempts }) => ({ status, attempts }))
  return { fixture, endpointId, read }
}

test('a claim excludes others until it expires', async () => {
  const { fixture } = await withDeliveries(3)
  assert.equal((await claim(fixture)).length, 3)
  assert.equal((await claim(fixture)).length, 0)
  const again = await claim(fixture, { now: later() })
  assert.deepEqual(
    again.map((one) => one.claim),
    [2, 2, 2],
  )
})

test('claims made at the same moment never overlap', async () => {
  const { fixture } = await withDeliveries(60)
  const claimed = (await Promise.all(Array.from({ length: 6 }, () => claim(fixture, { limit: 20 })))).flat()
  assert.equal(new Set(claimed.map(({ deliveryId }) => deliveryId)).size, claimed.length)
  assert.ok(claimed.every((one) => one.claim === 1))
})

test('a late worker records its attempt but does not overwrite what a newer claim found', async () => {
  const { fixture, endpointId, read } = await withDeliveries(1)
  const [late] = await claim(fixture)
  const [newer] = await claim(fixture, { now: later() })
  assert.equal(await record(fixture, late, failed, { status: 'exhausted' }), false)
  assert.deepEqual(await read(), [{ status: 'due', attempts: 0 }])
  assert.equal(await record(fixture, newer, acknowledged, { status: 'delivered' }), true)
  assert.equal(await record(fixture, late, failed, { status: 'due', nextAttemptAt: new Date() }), false)
  assert.deepEqual(await read(), [{ status: 'delivered', attempts: 1 }])
  const [delivery] = await fixture.admin.deliveries({ endpointId })
  assert.deepEqual(
    delivery?.attemptLog.map(({ attempt, httpStatus }) => [attempt, httpStatus]),
    [
      [1, 500],
      [2, 204],
    ],
  )
})

test('recording a result twice changes nothing', async () => {
  const { fixture, read } = await withDeliveries(1)
  const [claimed] = await claim(fixture)
  const next: Verdict = { status: 'due', nextAttemptAt: new Date(Date.now() + 5000) }
  assert.equal(await record(fixture, claimed, failed, next), true)
  assert.equal(await record(fixture, claimed, failed, next), false)
  assert.deepEqual(await read(), [{ status: 'due', attempts: 1 }])
})

test('disabled while in flight: an acknowledgement still counts, a failure leaves it dropped', async () => {
  const { fixture, endpointId, read } = await withDeliveries(2)
  const [first, second] = await claim(fixture)
  await fixture.admin.disable(fixture.db, endpointId, 'test')
  assert.equal(await record(fixture, first, acknowledged, { status: 'delivered' }), true)
  assert.equal(await record(fixture, second, failed, { status: 'due', nextAttemptAt: new Date() }), false)
  assert.deepEqual((await read()).map(({ status }) => status).sort(), ['delivered', 'dropped'])
})

test('replayed while in flight: the old result does not end the replay', async () => {
  const { fixture, read } = await withDeliveries(1)
  const [claimed] = await claim(fixture)
  await fixture.admin.replay(fixture.db, { eventId: claimed?.eventId ?? '' })
  assert.equal(await record(fixture, claimed, acknowledged, { status: 'delivered' }), false)
  assert.deepEqual(await read(), [{ status: 'due', attempts: 0 }])
  assert.equal((await claim(fixture))[0]?.claim, 3)
})

test('an unattempted end is fenced, too', async () => {
  const { fixture, read } = await withDeliveries(1)
  const [late] = await claim(fixture)
  await claim(fixture, { now: later() })
  assert.ok(late)
  await endUnattempted(fixture.db, late, 'exhausted')
  assert.deepEqual(await read(), [{ status: 'due', attempts: 0 }])
})

test('a delivery appended while its endpoint was being disabled is dropped, not sent', async () => {
  const { fixture, endpointId } = await withDeliveries(1)
  const hook = await startReceiver()
  after(() => hook.close())
  await fixture.db.query(`update webhook_endpoints set status = 'disabled', url = $2 where endpoint_id = $1`, [
    endpointId,
    hook.url,
  ])
  await fixture.startCourier()
  await waitFor('the drop', async () => (await fixture.statuses()).dropped === 1)
  assert.equal(hook.connections(), 0)
})

test('two couriers share the work and deliver each event once', async () => {
  const fixture = await startFixture()
  const hook = await startReceiver()
  after(() => hook.close())
  await fixture.addEndpoint(hook.url)
  const events = await fixture.append(200)
  await Promise.all([fixture.startCourier({ maxPerEndpoint: 4 }), fixture.startCourier({ maxPerEndpoint: 4 })])
  await waitFor('all', async () => (await fixture.statuses()).delivered === 200)
  assert.deepEqual(hook.received.map(({ body }) => JSON.parse(body).id).sort(), events.sort())
})

test('stopping waits for what is in flight and records it', async () => {
  const fixture = await startFixture()
  const held: (() => void)[] = []
  const hook = await startReceiver((response) => void held.push(() => response.writeHead(204).end()))
  after(() => hook.close())
  await fixture.addEndpoint(hook.url)
  await fixture.append(3)
  const courier = await fixture.startCourier({ maxPerEndpoint: 2 })
  await waitFor('two in flight', () => held.length === 2)
  const stopped = courier.stop()
  for (const answer of held) answer()
  await stopped
  assert.deepEqual(await fixture.statuses(), { delivered: 2, due: 1 })
  assert.equal(hook.received.length, 2)
})
