// engine: postgres; both in test:long
/** Two partners with two endpoints each: whatever is done to one endpoint or event touches no other. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createIntegration } from '../../src/integrations/integrations.sql.ts'
import { announce } from '../../src/webhooks/queue/announce.sql.ts'
import { SOME_COLUMNS, SOME_VALUES } from '../support/events.ts'
import { waitFor } from '../support/wait-for.ts'
import { type Fixture, makeFixture, mintEvent } from './fixture.ts'
import { startReceiver } from './http-receiver.ts'

const NOWHERE = 'http://127.0.0.1:1/'

let fixture: Fixture
let one: string
let other: string

before(async () => {
  fixture = await makeFixture()
})

after(() => fixture.close())

beforeEach(async () => {
  one = (await createIntegration(fixture.db, { name: 'Acme' })).integrationId
  other = (await createIntegration(fixture.db, { name: 'Acme' })).integrationId
})

const happened = new Map<string, number>()

async function add(integrationId: string, eventTypes?: string[], url = NOWHERE): Promise<string> {
  const types = eventTypes === undefined ? {} : { eventTypes }
  return (await fixture.admin.add(fixture.db, { integrationId, url, ...types })).endpointId
}

/** Appends one event of a new mint; the references of integrations are the same. @returns its id */
async function happen(integrationId: string, status = 'completed'): Promise<string> {
  const mints = (happened.get(integrationId) ?? 0) + 1
  happened.set(integrationId, mints)
  const event = mintEvent(integrationId, `reference-${mints}`, status)
  await fixture.db.transaction((tx) => announce(tx, [event]))
  return event.eventId
}

const eventsOf = async (endpointId: string): Promise<string[]> =>
  (await fixture.admin.deliveries({ endpointId })).map(({ eventId }) => eventId).reverse()
const statesOf = async (endpointId: string): Promise<string[]> =>
  (await fixture.admin.deliveries({ endpointId })).map(({ status }) => status).reverse()
const endpointOf = async (endpointId: string) =>
  (await fixture.admin.list()).find((listed) => listed.endpointId === endpointId)

describe('an event', () => {
  it('goes to the enabled endpoints of its own integration that are subscribed to its type', async () => {
    const [all, failures, asleep] = [await add(one), await add(one, ['mint.failed', 'mint.pending']), await add(one)]
    const theirs = await add(other)
    await fixture.admin.disable(fixture.db, asleep, 'not now')
    const [completed, failed] = [await happen(one, 'completed'), await happen(one, 'failed')]
    const foreign = await happen(other)
    assert.deepEqual(await eventsOf(all), [completed, failed])
    assert.deepEqual(await eventsOf(failures), [failed])
    assert.deepEqual(await eventsOf(asleep), [])
    assert.deepEqual(await eventsOf(theirs), [foreign])
  })
})

describe('an endpoint', () => {
  it('is disabled and enabled alone, with what is due to it', async () => {
    const [mine, sibling, theirs] = [await add(one), await add(one), await add(other)]
    await happen(one)
    await happen(other)
    await fixture.db.query(`update deliveries set status = 'exhausted' where endpoint_id = $1`, [mine])
    await happen(one)
    await fixture.admin.disable(fixture.db, mine, 'moving')
    assert.deepEqual(await statesOf(mine), ['exhausted', 'dropped'])
    assert.deepEqual(await statesOf(sibling), ['due', 'due'])
    assert.deepEqual(await statesOf(theirs), ['due'])
    for (const endpointId of [sibling, theirs]) {
      assert.equal((await endpointOf(endpointId))?.status, 'enabled')
      await fixture.admin.disable(fixture.db, endpointId, 'also')
    }
    await fixture.admin.enable(fixture.db, mine)
    assert.deepEqual(
      [(await endpointOf(mine))?.status, (await endpointOf(sibling))?.status, (await endpointOf(theirs))?.status],
      ['enabled', 'disabled', 'disabled'],
    )
    assert.equal((await endpointOf(sibling))?.disabledReason, 'also')
  })

  it('gets a secret alone, and keeps it until it is activated', async () => {
    const [mine, sibling] = [await add(one), await add(one)]
    const secrets = () =>
      fixture.db.query<{ endpoint_id: string; secret_encrypted: string; next_secret_encrypted: string | null }>(
        'select endpoint_id, secret_encrypted, next_secret_encrypted from webhook_endpoints where integration_id = $1',
        [one],
      )
    const secretOf = async (endpointId: string) => (await secrets()).find((row) => row.endpoint_id === endpointId)
    const [before, untouched] = [await secretOf(mine), await secretOf(sibling)]
    await fixture.admin.rotate(fixture.db, mine)
    assert.equal((await secretOf(mine))?.secret_encrypted, before?.secret_encrypted)
    assert.deepEqual(await secretOf(sibling), untouched)
    await fixture.admin.rotate(fixture.db, sibling)
    const waiting = await secretOf(sibling)
    await fixture.admin.activate(fixture.db, mine)
    assert.deepEqual([(await endpointOf(mine))?.rotating, (await endpointOf(sibling))?.rotating], [false, true])
    assert.notEqual((await secretOf(mine))?.secret_encrypted, before?.secret_encrypted)
    assert.deepEqual(await secretOf(sibling), waiting)
  })

  it('is listed with its own integration, oldest first, and counts against its own limit only', async () => {
    const mine = [await add(one), await add(one)]
    for (let count = 0; count < 20; count += 1) await add(other)
    await assert.rejects(add(other), /already has 20 endpoints/)
    mine.push(await add(one))
    assert.deepEqual(
      (await fixture.admin.list({ integrationId: one })).map(({ endpointId }) => endpointId),
      mine,
    )
    const everybodys = (await fixture.admin.list()).map(({ endpointId }) => endpointId)
    assert.ok(mine.every((endpointId) => everybodys.includes(endpointId)) && everybodys.length >= 23)
  })

  it('is one of twenty at most, also where two are added at once', async () => {
    for (let count = 0; count < 19; count += 1) await add(one)
    const adding = () =>
      fixture.db.transaction(async (tx) => {
        const added = await fixture.admin.add(tx, { integrationId: one, url: NOWHERE })
        // Until the other one has counted, or waits to.
        await sleep(100)
        return added
      })
    const both = await Promise.allSettled([adding(), adding()])
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal((await fixture.admin.list({ integrationId: one })).length, 20)
  })
})

describe('deliveries', () => {
  it('that failed are those given up, dropped, or waiting for another attempt', async () => {
    const [mine, sibling] = [await add(one), await add(one)]
    const states = [
      ['due', 0],
      ['due', 1],
      ['delivered', 3],
      ['exhausted', 9],
      ['dropped', 0],
    ] as const
    const failed: string[] = []
    for (const [status, attempts] of states) {
      const eventId = await happen(one)
      if (status !== 'delivered' && (status !== 'due' || attempts > 0)) failed.push(eventId)
      await fixture.db.query(
        'update deliveries set status = $3, attempts = $4 where event_id = $1 and endpoint_id = $2',
        [eventId, mine, status, attempts],
      )
    }
    const listed = await fixture.admin.deliveries({ endpointId: mine, failedOnly: true })
    assert.deepEqual(listed.map(({ eventId }) => eventId).reverse(), failed)
    assert.deepEqual(
      listed.map(({ nextAttemptAt }) => nextAttemptAt !== null),
      [false, false, true],
    )
    assert.equal((await fixture.admin.deliveries({ endpointId: mine })).length, 5)
    assert.deepEqual(await fixture.admin.deliveries({ endpointId: sibling, failedOnly: true }), [])
  })

  it('are shown with the latest twenty of their own attempts, oldest first', async () => {
    const [mine, sibling] = [await add(one), await add(one)]
    await happen(one)
    const attempt = (endpointId: string, first: number, last: number) =>
      fixture.db.query(
        `insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, http_status)
         select d.delivery_id, n, now(), 5, 500 from deliveries d, generate_series($2::int, $3::int) n
         where d.endpoint_id = $1`,
        [endpointId, first, last],
      )
    await attempt(mine, 1, 25)
    await attempt(sibling, 3, 4)
    const numbers = async (endpointId: string) =>
      (await fixture.admin.deliveries({ endpointId }))[0]?.attemptLog.map((one) => one.attempt)
    assert.deepEqual(
      await numbers(mine),
      Array.from({ length: 20 }, (_, index) => index + 6),
    )
    assert.deepEqual(await numbers(sibling), [3, 4])
  })
})

describe('a replay', () => {
  const replay = (selection: Parameters<Fixture['admin']['replay']>[1]) => fixture.admin.replay(fixture.db, selection)
  const finish = () => fixture.db.query(`update deliveries set status = 'delivered', attempts = 1, claim = 4`)

  it('of one event goes to the endpoints of its integration, or to the one that is named', async () => {
    const [mine, sibling, theirs] = [await add(one), await add(one), await add(other)]
    const [eventId] = [await happen(one), await happen(one), await happen(other)]
    await finish()
    assert.deepEqual(await replay({ eventId, endpointId: mine }), { scheduled: 1 })
    assert.deepEqual(await statesOf(mine), ['due', 'delivered'])
    assert.deepEqual(await statesOf(sibling), ['delivered', 'delivered'])
    assert.deepEqual(await replay({ eventId }), { scheduled: 2 })
    assert.deepEqual(await statesOf(sibling), ['due', 'delivered'])
    assert.deepEqual(await statesOf(theirs), ['delivered'])
    await assert.rejects(replay({ eventId, endpointId: theirs }), /no such event/)
  })

  it('goes to no endpoint that is disabled or not subscribed', async () => {
    const [asleep, pendings] = [await add(one), await add(one, ['mint.pending'])]
    const eventId = await happen(one)
    await fixture.admin.disable(fixture.db, asleep, 'not now')
    await assert.rejects(replay({ eventId }), /no enabled endpoint/)
    await assert.rejects(replay({ eventId, endpointId: asleep }), /Enable it first/)
    await assert.rejects(replay({ eventId, endpointId: pendings }), /no enabled endpoint/)
    assert.deepEqual([await statesOf(asleep), await statesOf(pendings)], [['dropped'], []])
  })

  it('of a time has the events from its beginning up to its end', async () => {
    const mine = await add(one)
    const instants = ['2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z']
    const ids: string[] = []
    for (const instant of instants) {
      const eventId = await happen(one)
      ids.push(eventId)
      const moved = [eventId, new Date(instant)]
      await fixture.db.query('update events set created_at = $2 where event_id = $1', moved)
      await fixture.db.query('update deliveries set event_at = $2 where event_id = $1', moved)
    }
    await finish()
    const since = new Date('2026-03-02T00:00:00Z')
    const until = new Date('2026-03-03T00:00:00Z')
    assert.deepEqual(await replay({ since, until, endpointId: mine }), { scheduled: 1 })
    assert.deepEqual(await statesOf(mine), ['delivered', 'due', 'delivered'])
    assert.deepEqual(await replay({ since, endpointId: mine }), { scheduled: 2 })
    assert.deepEqual(await replay({ since: new Date('2026-03-03T00:00:00.001Z'), endpointId: mine }), { scheduled: 0 })
  })

  it('of an old event begins a schedule of its own at an endpoint that came later', async () => {
    const mine = await add(one)
    const eventId = await happen(one)
    const old = new Date(Date.now() - 72 * 3_600_000)
    await fixture.db.query('update events set created_at = $2 where event_id = $1', [eventId, old])
    await fixture.db.query('update deliveries set event_at = $2 where event_id = $1', [eventId, old])
    const late = await add(one)
    await replay({ eventId, endpointId: late })
    const [first] = await fixture.admin.deliveries({ endpointId: mine })
    assert.deepEqual([first?.scheduledFrom, first?.createdAt], [old, old])
    const [replayed] = await fixture.admin.deliveries({ endpointId: late })
    for (const since of [replayed?.scheduledFrom, replayed?.createdAt]) {
      assert.ok(Date.now() - (since?.getTime() ?? 0) < 3_600_000, String(since))
    }
  })

  it('begins a schedule of its own and frees what is claimed', async () => {
    const mine = await add(one)
    const eventId = await happen(one)
    await fixture.db.query(
      `update deliveries set attempts = 7, claim = 4, claimed_until = now() + interval '1 hour',
         next_attempt_at = now() + interval '8 hours', scheduled_from = now() - interval '20 hours'`,
    )
    await replay({ eventId, endpointId: mine })
    const [row] = await fixture.db.query(
      `select status, attempts, claim, claimed_until, next_attempt_at <= now() as is_due,
         scheduled_from > now() - interval '1 minute' as is_fresh from deliveries where event_id = $1`,
      [eventId],
    )
    assert.deepEqual(row, {
      status: 'due',
      attempts: 0,
      claim: 5,
      claimed_until: null,
      is_due: true,
      is_fresh: true,
    })
  })

  it('wakes the courier', async (t) => {
    const heard: string[] = []
    const unlisten = await fixture.db.listen('deliveries_due', () => heard.push('due'))
    t.after(unlisten)
    const mine = await add(one)
    const eventId = await happen(one)
    await waitFor('the event', () => heard.length === 1)
    await replay({ eventId, endpointId: mine })
    await waitFor('the replay', () => heard.length === 2)
  })
})

describe('410 of one endpoint', () => {
  it('disables that one and drops what is due to it, and nothing of its sibling', async () => {
    const gone = await startReceiver((response) => response.writeHead(410).end())
    const broken = await startReceiver((response) => response.writeHead(500).end())
    after(() => Promise.all([gone.close(), broken.close()]))
    const mine = await add(one, undefined, gone.url)
    const sibling = await add(one, undefined, broken.url)
    for (let count = 0; count < 3; count += 1) await happen(one)
    const courier = await fixture.startCourier({ maxPerEndpoint: 1 })
    await waitFor('the end', async () => (await statesOf(mine)).every((status) => status === 'dropped'))
    await waitFor('attempts at the sibling', () => broken.received.length === 3)
    await courier.stop()
    assert.deepEqual(await statesOf(sibling), ['due', 'due', 'due'])
    assert.deepEqual([(await endpointOf(mine))?.status, (await endpointOf(sibling))?.status], ['disabled', 'enabled'])
    assert.equal(gone.received.length, 1)
  })
})

describe('the limit of a replay', () => {
  it('counts deliveries: ten thousand are scheduled, one more is refused', async () => {
    const mine = await add(one)
    const since = new Date()
    const bulk = (count: number) =>
      fixture.db.query(
        `insert into events (event_id, type, integration_id, ${SOME_COLUMNS})
         select $3 || n, 'mint.completed', $1, ${SOME_VALUES} from generate_series(1, $2::int) n`,
        [one, count, `evt_${randomBytes(8).toString('hex')}_`],
      )
    await bulk(10_000)
    assert.deepEqual(await replayed(since, mine), { scheduled: 10_000 })
    await bulk(1)
    await assert.rejects(replayed(since, mine), /more than 10,000 .*--until/)
  })
})

const replayed = (since: Date, endpointId: string) => fixture.admin.replay(fixture.db, { since, endpointId })
