// engine: pglite
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import Stripe from 'stripe'
import { FEED_START, readFeed } from '../../src/events/feed.sql.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { announce } from '../../src/webhooks/queue/announce.sql.ts'
import { RETRY_DELAYS_MS } from '../../src/webhooks/schedule.ts'
import { waitFor } from '../support/wait-for.ts'
import { mintEvent, startFixture, testClock } from './fixture.ts'
import { type Answerer, startReceiver } from './http-receiver.ts'

const DAY_MS = 24 * 3_600_000
const stripe = new Stripe('sk_test_unused')

async function receiver(answer?: Answerer) {
  const started = await startReceiver(answer)
  after(() => started.close())
  return started
}

test('delivers to every subscribed endpoint, each signed with its own secret, as soon as it is appended', async () => {
  const fixture = await startFixture()
  const hook = await receiver()
  const all = await fixture.addEndpoint(`${hook.url}/all`)
  const some = await fixture.addEndpoint(`${hook.url}/some`, ['mint.failed'])
  await fixture.startCourier()
  const [completed] = await fixture.append(1, 'completed')
  const [failed] = await fixture.append(1, 'failed')
  await waitFor('three deliveries', async () => (await fixture.statuses()).delivered === 3)

  const secrets: Record<string, string> = { '/hooks/all': all.secret, '/hooks/some': some.secret }
  const ids = hook.received.map(({ path, headers, body }) => {
    const header = headers['x-coin-signature'] as string
    return `${path} ${stripe.webhooks.constructEvent(body, header, secrets[path] ?? '', 300).id}`
  })
  assert.deepEqual(ids.sort(), [`/hooks/all ${completed}`, `/hooks/all ${failed}`, `/hooks/some ${failed}`].sort())
  const log = fixture.lines.join('')
  assert.match(log, new RegExp(completed ?? '-'))
  for (const hidden of [all.secret, some.secret, 'whsec_', 'v1=', 'order-', hook.url])
    assert.ok(!log.includes(hidden), hidden)
})

test('keeps to the schedule, signs every attempt afresh over the same bytes, records each, then gives up', async () => {
  const fixture = await startFixture()
  const time = testClock()
  const hook = await receiver((response) => response.writeHead(500).end('try\0later'))
  const { endpointId, secret } = await fixture.addEndpoint(hook.url)
  await fixture.append(1)
  const created = time.now()
  const courier = await fixture.startCourier({ clock: time.clock })

  for (let attempt = 1; attempt <= 9; attempt += 1) {
    const [delivery] = await waitFor(`attempt ${attempt}`, async () => {
      const found = await fixture.admin.deliveries({ endpointId, failedOnly: true })
      return found[0]?.attempts === attempt ? found : undefined
    })
    const last = delivery?.attemptLog.at(-1)
    assert.deepEqual(
      [last?.attempt, last?.httpStatus, last?.error, last?.responseExcerpt],
      [attempt, 500, 'http_500', 'try?later'],
    )
    const sent = hook.received[attempt - 1]
    const header = sent?.headers['x-coin-signature'] as string
    stripe.webhooks.constructEvent(sent?.body ?? '', header, secret, 300, undefined, time.now())
    assert.equal(Number(/t=(\d+)/.exec(header)?.[1]), Math.floor(time.now() / 1000))
    if (attempt === 9) assert.deepEqual([delivery?.status, delivery?.nextAttemptAt], ['exhausted', null])
    else {
      const next = delivery?.nextAttemptAt as Date
      const waitMs = next.getTime() - time.now() - (last?.durationMs ?? 0)
      const delayMs = RETRY_DELAYS_MS[attempt - 1] ?? 0
      assert.ok(waitMs <= delayMs && waitMs >= delayMs * 0.9 - 1, `${attempt}: ${waitMs}`)
      time.moveTo(new Date(next.getTime() - 1))
      courier.wake()
      time.moveTo(next)
      courier.wake()
    }
  }
  assert.equal(hook.received.length, 9)
  assert.equal(new Set(hook.received.map(({ body }) => body)).size, 1)
  assert.ok(time.now() - created < DAY_MS)
  assert.match(fixture.lines.join(''), /given up/)
})

test('with a key that opens no secret, deliveries wait and lose nothing of their schedule', async () => {
  const fixture = await startFixture()
  const time = testClock()
  const hook = await receiver()
  await fixture.addEndpoint(hook.url)
  await fixture.append(2)
  const wrong = await fixture.startCourier({ clock: time.clock, secrets: createSecretBox(randomBytes(32)) })
  const rows = () =>
    fixture.db.query<{ status: string; attempts: number; tried: bigint; next: Date; from: Date }>(
      `select status, attempts, next_attempt_at as next, scheduled_from as from,
         (select count(*) from delivery_attempts) as tried from deliveries where claimed_until is null order by 1`,
    )
  const begun = await fixture.db.query<{ from: Date }>(
    'select coalesce(scheduled_from, event_at) as from from deliveries',
  )
  for (let hour = 0; hour < 30; hour += 1) {
    const put = await waitFor('both to wait', async () => {
      const found = await rows()
      return found.length === 2 && found.every(({ next }) => next.getTime() > time.now()) ? found : undefined
    })
    for (const { status, attempts, tried } of put) assert.deepEqual([status, attempts, tried], ['due', 0, 0n])
    time.moveTo(new Date(Math.max(...put.map(({ next }) => next.getTime()))))
    wrong.wake()
  }
  await wrong.stop()
  const waited = await rows()
  const shiftMs = Math.min(...waited.map(({ from }) => from.getTime())) - (begun[0]?.from.getTime() ?? 0)
  assert.ok(shiftMs >= 29 * 60_000, String(shiftMs))
  time.moveTo(new Date(time.now() + 120_000))
  await fixture.startCourier({ clock: time.clock })
  await waitFor('the deliveries', async () => (await fixture.statuses()).delivered === 2)
  assert.equal(hook.received.length, 2)
})

test('what is due to an endpoint that was removed meanwhile is dropped', async () => {
  const fixture = await startFixture()
  const hook = await receiver()
  const { endpointId } = await fixture.addEndpoint(hook.url)
  await fixture.append(2)
  // As a transaction leaves it that saw the endpoint before it was removed, and committed afterwards.
  await fixture.admin.remove(fixture.db, endpointId)
  await fixture.db.query(`update deliveries set status = 'due'`)
  await fixture.startCourier()
  await waitFor('the end', async () => (await fixture.statuses()).dropped === 2)
  assert.equal(hook.connections(), 0)
})

test('what was not attempted in 24 hours is given up without an attempt', async () => {
  const fixture = await startFixture()
  const time = testClock()
  const hook = await receiver()
  await fixture.addEndpoint(hook.url)
  await fixture.append(3)
  time.moveTo(new Date(Date.now() + DAY_MS))
  await fixture.startCourier({ clock: time.clock, untilSteadyMs: () => 0 })
  await waitFor('the end', async () => (await fixture.statuses()).exhausted === 3)
  assert.equal(hook.connections(), 0)
})

test('410 of an address that the endpoint no longer has disables nothing: what was sent there goes to the new one', async () => {
  const fixture = await startFixture()
  const fine = await receiver()
  const gone = await receiver((response) => {
    const moved = fixture.admin.change(fixture.db, endpointId, { url: fine.url })
    void moved.then(() => response.writeHead(410).end('moved away'))
  })
  const { endpointId } = await fixture.addEndpoint(gone.url)
  const [event = '-'] = await fixture.append(1)
  const time = testClock()
  await fixture.startCourier({ clock: time.clock })
  await waitFor('the answer', async () => (await fixture.admin.deliveries({ endpointId }))[0]?.attempts === 1)
  const [endpoint] = await fixture.admin.list({ integrationId: fixture.integrationId })
  assert.deepEqual([endpoint?.status, endpoint?.url], ['enabled', fine.url])
  time.moveTo(new Date(Date.now() + 10_000))
  await waitFor('the new address', () => fine.received.some(({ body }) => body.includes(event)))
  await waitFor('its answer', async () => (await fixture.statuses()).delivered === 1)
})

test('with a wrong SECRETS_KEY deliveries wait with their schedule whole; with the right one they go out, each once', async () => {
  const fixture = await startFixture()
  const hook = await receiver()
  const { endpointId } = await fixture.addEndpoint(hook.url)
  await fixture.append(2)
  const wrong = await fixture.startCourier({ secrets: createSecretBox(randomBytes(32)) })
  await waitFor('the log', () => fixture.lines.some((line) => line.includes('its deliveries wait')) || undefined)
  await wrong.stop()
  const waiting = await fixture.admin.deliveries({ endpointId })
  assert.deepEqual(
    waiting.map(({ status, attempts, attemptLog }) => [status, attempts, attemptLog]),
    [
      ['due', 0, []],
      ['due', 0, []],
    ],
  )
  // It would be tried again within a minute.
  await fixture.db.query('update deliveries set next_attempt_at = now(), claimed_until = null')
  await fixture.startCourier()
  await waitFor('both', async () => (await fixture.statuses()).delivered === 2)
  assert.equal(hook.received.length, 2)
  assert.deepEqual(
    (await fixture.admin.deliveries({ endpointId })).map(({ attempts }) => attempts),
    [1, 1],
  )
})

test('410 disables the endpoint, says why, and drops what is due to it; others go on', async () => {
  const fixture = await startFixture()
  const gone = await receiver((response) => response.writeHead(410).end('moved away'))
  const fine = await receiver()
  const { endpointId } = await fixture.addEndpoint(gone.url)
  await fixture.addEndpoint(fine.url)
  const events = await fixture.append(5)
  await fixture.startCourier({ maxPerEndpoint: 1 })
  await waitFor('all ended', async () => (await fixture.statuses()).due === undefined)

  assert.deepEqual(await fixture.statuses(), { delivered: 5, dropped: 5 })
  assert.equal(gone.received.length, 1)
  const [endpoint] = await fixture.admin.list({ integrationId: fixture.integrationId })
  assert.equal(endpoint?.status, 'disabled')
  assert.match(endpoint?.disabledReason ?? '', /^The endpoint answered 410 Gone to evt_[0-9a-f]{32} at 20.*Z\.$/)
  const attempts = (await fixture.admin.deliveries({ endpointId })).flatMap(({ attemptLog }) => attemptLog)
  assert.deepEqual(
    attempts.map(({ httpStatus, responseExcerpt }) => [httpStatus, responseExcerpt]),
    [[410, 'moved away']],
  )

  const [later] = await fixture.append(1)
  await waitFor('the other endpoint', () => fine.received.some(({ body }) => body.includes(later ?? '-')))
  assert.deepEqual(
    await fixture.admin.deliveries({ endpointId }).then((all) => all.map(({ eventId }) => eventId).sort()),
    events.sort(),
  )
})

test('a redirect counts as a failed attempt; where the secret does not open, nothing is sent and nothing counted', async () => {
  const fixture = await startFixture()
  const hook = await receiver((response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())
  const redirecting = await fixture.addEndpoint(hook.url)
  const unreadable = await fixture.addEndpoint(hook.url)
  await fixture.db.query('update webhook_endpoints set secret_encrypted = $2 where endpoint_id = $1', [
    unreadable.endpointId,
    'sb1.AAAA',
  ])
  await fixture.append(1)
  await fixture.startCourier()
  const [delivery] = await waitFor('the redirect', async () => {
    const found = await fixture.admin.deliveries({ endpointId: redirecting.endpointId, failedOnly: true })
    return found.length > 0 ? found : undefined
  })
  assert.deepEqual([delivery?.status, delivery?.attemptLog[0]?.error], ['due', 'redirect'])
  await waitFor('the log', () => fixture.lines.some((line) => line.includes('its deliveries wait')) || undefined)
  const [waiting] = await fixture.admin.deliveries({ endpointId: unreadable.endpointId })
  assert.deepEqual([waiting?.status, waiting?.attempts, waiting?.attemptLog], ['due', 0, []])
  assert.equal(hook.received.length, 1)
})

test('an event of no time that there is, as somebody with a login of the database may write one, keeps no other from being delivered', async () => {
  const fixture = await startFixture()
  const hook = await receiver()
  await fixture.addEndpoint(hook.url)
  for (const at of ['infinity', '-infinity', '290000-01-01T00:00:00Z']) {
    const event = { ...mintEvent(fixture.integrationId, `order${at.slice(0, 4)}`), happenedAt: at as never }
    await fixture.db.transaction((tx) => announce(tx, [event]))
  }
  const events = await fixture.append(5)
  await fixture.startCourier()
  await waitFor('the others', () => events.every((id) => hook.received.some(({ body }) => body.includes(id))))
  const { events: read } = await readFeed(fixture.db, fixture.integrationId, {
    after: FEED_START,
    types: null,
    since: null,
    limit: 100,
  })
  assert.equal(read.length, 8)
})

test('deliveries that no event has made, as somebody with a login of the database may write them, are dropped, and keep no other waiting', async () => {
  const fixture = await startFixture()
  const hook = await receiver()
  const { endpointId } = await fixture.addEndpoint(hook.url)
  await fixture.db.query(
    `insert into deliveries (event_at, event_id, endpoint_id, next_attempt_at, claim)
     select now(), 'evt_' || n, e.id, now() - interval '1 day', 2147483647
     from generate_series(1, 50) n cross join lateral (values ('whe_' || n), ($1)) e (id)`,
    [endpointId],
  )
  const events = await fixture.append(3)
  await fixture.db.query('update deliveries set claim = 2147483647')
  await fixture.startCourier({ maxInFlight: 16 })
  await waitFor('the others', () => events.every((id) => hook.received.some(({ body }) => body.includes(id))))
  await waitFor('the end of those', async () => {
    const { due, dropped, delivered } = await fixture.statuses()
    return due === undefined && dropped === 100 && delivered === 3
  })
  assert.equal(hook.received.length, 3)
})
