// engine: postgres; both in test:long
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createIntegration } from '../../src/integrations/integrations.sql.ts'
import { announce } from '../../src/webhooks/queue/announce.sql.ts'
import type { ClaimedDelivery, Verdict } from '../../src/webhooks/queue/claimed-delivery.ts'
import { type ClaimOptions, claimDue, endUnattempted, recordAttempt } from '../../src/webhooks/queue/queue.sql.ts'
import { waitFor } from '../support/wait-for.ts'
import { type Fixture, mintEvent, startFixture } from './fixture.ts'
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

test("another partner's event, planted by whoever may insert deliveries, is dropped, not signed as this one's", async () => {
  const fixture = await startFixture()
  const hook = await startReceiver()
  after(() => hook.close())
  const { endpointId } = await fixture.addEndpoint(hook.url)
  const { integrationId } = await createIntegration(fixture.db, { name: 'Another' })
  await fixture.db.transaction((tx) => announce(tx, [mintEvent(integrationId, 'equal-reference')]))
  await fixture.db.query(
    'insert into deliveries (event_id, event_at, endpoint_id) select event_id, created_at, $1 from events',
    [endpointId],
  )
  await fixture.startCourier()
  await waitFor('its end', async () => (await fixture.statuses()).due === undefined)
  assert.deepEqual(await fixture.statuses(), { dropped: 1 })
  assert.equal(hook.connections(), 0)
})

test('two couriers share the work and deliver each event once', async () => {
  const fixture = await startFixture()
  const { promise: allHere, resolve } = Promise.withResolvers<void>()
  let here = 0
  const hook = await startReceiver((response) => {
    here += 1
    response.writeHead(204).end()
    if (here === 200) resolve()
  })
  after(() => hook.close())
  await fixture.addEndpoint(hook.url)
  const events = await fixture.append(200)
  const couriers = await Promise.all([1, 2].map(() => fixture.startCourier({ maxPerEndpoint: 4 })))
  await allHere
  // What is in flight is recorded when they have stopped.
  for (const courier of couriers) await courier.stop()
  assert.deepEqual(await fixture.statuses(), { delivered: 200 })
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

/** Several endpoints with the given numbers of deliveries, in the order of their ids. */
async function withEndpoints(counts: readonly number[]) {
  const fixture = await startFixture()
  const added: string[] = []
  for (const _ of counts) added.push((await fixture.addEndpoint('http://127.0.0.1:1/')).endpointId)
  const endpointIds = added.toSorted()
  await fixture.append(Math.max(...counts))
  for (const [index, count] of counts.entries()) {
    await fixture.db.query(
      `update deliveries set status = 'delivered' where endpoint_id = $1 and delivery_id in (
         select delivery_id from deliveries where endpoint_id = $1 order by delivery_id offset $2::int)`,
      [endpointIds[index] ?? '', count],
    )
  }
  const countsOf = (claimed: readonly ClaimedDelivery[]) =>
    endpointIds.map((endpointId) => claimed.filter((one) => one.endpointId === endpointId).length)
  return { fixture, endpointIds, countsOf }
}

test('only what is already due is claimed, by the clock of the request', async () => {
  const { fixture, endpointIds, countsOf } = await withEndpoints([3, 2, 0])
  assert.deepEqual(countsOf(await claim(fixture)), [3, 2, 0])
  await fixture.db.query('update deliveries set claimed_until = null')
  const at = new Date(Date.now() + 3_600_000)
  await fixture.db.query(`update deliveries set next_attempt_at = $2 where endpoint_id = $1`, [
    endpointIds[0] ?? '',
    at,
  ])
  assert.deepEqual(countsOf(await claim(fixture)), [0, 2, 0])
  await fixture.db.query(`update deliveries set status = 'exhausted' where endpoint_id = $1 and status = 'due'`, [
    endpointIds[1] ?? '',
  ])
  assert.deepEqual(countsOf(await claim(fixture, { now: new Date(at.getTime() - 1) })), [0, 0, 0])
  const claimed = await claim(fixture, { now: at })
  assert.deepEqual(countsOf(claimed), [3, 0, 0])
  assert.deepEqual(
    claimed.map(({ claimedAt }) => claimedAt),
    [at, at, at],
  )
  const until = await fixture.db.query('select distinct claimed_until from deliveries where claimed_until > $1', [at])
  assert.deepEqual(until, [{ claimed_until: new Date(at.getTime() + CLAIM_MS) }])
  assert.deepEqual(countsOf(await claim(fixture, { now: new Date(at.getTime() + CLAIM_MS - 1) })), [0, 0, 0])
  assert.deepEqual(countsOf(await claim(fixture, { now: new Date(at.getTime() + CLAIM_MS) })), [3, 0, 0])
})

test('an endpoint gets its share less what is in flight to it, and the others are not counted', async () => {
  const { fixture, endpointIds, countsOf } = await withEndpoints([5, 5, 5])
  const [first = '', second = ''] = endpointIds
  const inFlight = new Map([
    [first, 1],
    [second, 3],
    ['we_of_nobody', 9],
  ])
  assert.deepEqual(countsOf(await claim(fixture, { perEndpoint: 3, inFlight })), [2, 0, 3])
})

test('a limit is filled in turns, each in flight counting as a turn taken, and each endpoint gives its oldest first', async () => {
  const { fixture, endpointIds, countsOf } = await withEndpoints([5, 5, 5])
  const [first = ''] = endpointIds
  await fixture.db.query(
    `update deliveries set next_attempt_at = now() - delivery_id * interval '1 second' where endpoint_id = $1`,
    [first],
  )
  const claimed = await claim(fixture, { limit: 4, inFlight: new Map([[first, 1]]) })
  assert.deepEqual(countsOf(claimed).toSorted(), [1, 1, 2])
  assert.equal(countsOf(claimed)[0], 1)
  const oldestFirst = await fixture.db.query<{ id: bigint }>(
    'select delivery_id as id from deliveries where endpoint_id = $1 order by next_attempt_at',
    [first],
  )
  const [next] = await claim(fixture, { limit: 1, slowEndpoints: endpointIds.slice(1), slowLimit: 0 })
  assert.deepEqual(
    [claimed.find(({ endpointId }) => endpointId === first)?.deliveryId, next?.deliveryId],
    oldestFirst.slice(0, 2).map(({ id }) => id),
  )
})

test('slow endpoints share their limit, the others are not held to it', async () => {
  const { fixture, endpointIds, countsOf } = await withEndpoints([4, 4, 4])
  const [first = '', second = ''] = endpointIds
  assert.deepEqual(
    countsOf(await claim(fixture, { slowEndpoints: [first, second], slowLimit: 3 })).map((count, index) =>
      index === 2 ? count : count > 0 && count < 3,
    ),
    [true, true, 4],
  )
})

test('a claim carries what its own delivery needs, and only its own delivery moves', async () => {
  const { fixture, endpointIds, countsOf } = await withEndpoints([1, 2])
  const [first = '', second = ''] = endpointIds
  await fixture.db.query('update webhook_endpoints set url = $2 where endpoint_id = $1', [second, 'http://second/'])
  await fixture.db.query(`update deliveries set attempts = 3 where endpoint_id = $1`, [second])
  const claimed = await claim(fixture)
  assert.deepEqual(countsOf(claimed), [1, 2])
  for (const { endpointId, url, attempts, payload, eventId } of claimed) {
    assert.deepEqual([url, attempts], endpointId === first ? ['http://127.0.0.1:1/', 0] : ['http://second/', 3])
    assert.equal(JSON.parse(payload).id, eventId)
  }
  const [moved, other] = claimed.filter(({ endpointId }) => endpointId === second)
  await record(fixture, moved, failed, { status: 'exhausted' })
  const states = await fixture.admin.deliveries({ endpointId: second })
  assert.deepEqual(
    states.map(({ deliveryId, status, attempts }) => [deliveryId, status, attempts]),
    [
      [String(other?.deliveryId), 'due', 3],
      [String(moved?.deliveryId), 'exhausted', 4],
    ].sort(([a = ''], [b = '']) => Number(b) - Number(a)),
  )
  assert.ok(other)
  await endUnattempted(fixture.db, other, 'dropped')
  assert.deepEqual((await fixture.admin.deliveries({ endpointId: first })).map(({ status }) => status).sort(), [
    'delivered',
    'due',
  ])
  await endUnattempted(fixture.db, other, 'exhausted')
  const ended = (await fixture.admin.deliveries({ endpointId: second })).find(
    ({ deliveryId }) => deliveryId === String(other.deliveryId),
  )
  assert.equal(ended?.status, 'dropped', 'a delivery that has ended is not ended again')
})

test('a result without an instant of its own leaves the next attempt where it was, and frees the claim', async () => {
  const { fixture } = await withDeliveries(1)
  const [claimed] = await claim(fixture)
  const next = new Date(Date.now() + 60_000)
  await record(fixture, claimed, failed, { status: 'due', nextAttemptAt: next })
  const row = () => fixture.db.query('select next_attempt_at, claimed_until, claim from deliveries')
  assert.deepEqual(await row(), [{ next_attempt_at: next, claimed_until: null, claim: 1 }])
  const [again] = await claim(fixture, { now: next })
  await record(fixture, again, acknowledged, { status: 'delivered' })
  assert.deepEqual(await row(), [{ next_attempt_at: next, claimed_until: null, claim: 2 }])
})
