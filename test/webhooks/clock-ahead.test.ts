// engine: postgres; both in test:long
/** A database clock that was ahead for a while costs no delivery, and none waits for the time that it showed. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { type DuePlace, hurryDeliveries } from '../../src/webhooks/queue/clock-ahead.sql.ts'
import { testConnections } from '../support/needs-connections.ts'
import { waitFor } from '../support/wait-for.ts'
import { startFixture, testClock } from './fixture.ts'
import { startReceiver } from './http-receiver.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const CLAIM_MS = 30_000

/** Looks at all that waits, a few at a time. */
async function hurryAll(db: Queryable, now: Date): Promise<number> {
  let all = 0
  let from: DuePlace | undefined
  do {
    const { hurried, next } = await hurryDeliveries(db, { now, claimMs: CLAIM_MS, from, atOnce: 2 })
    all += hurried
    from = next
  } while (from !== undefined)
  return all
}

async function withDeliveries(count: number) {
  const fixture = await startFixture()
  const hook = await startReceiver()
  after(() => hook.close())
  await fixture.addEndpoint(hook.url)
  await fixture.append(count)
  return { fixture, hook }
}

test('what was put off while the clock was ahead is delivered once it is right', async () => {
  const { fixture, hook } = await withDeliveries(1)
  await fixture.db.query(`update deliveries set next_attempt_at = now() + interval '1 day', attempts = 1`)
  await fixture.startCourier()
  await waitFor('the delivery', async () => (await fixture.statuses()).delivered === 1)
  assert.equal(hook.received.length, 1)
  assert.match(fixture.lines.join(''), /the database's clock was ahead/)
})

testConnections('what was put off and is locked by somebody keeps nothing else from being delivered', async () => {
  const { fixture, hook } = await withDeliveries(2)
  const [row] = await fixture.db.query<{ id: bigint }>('select min(delivery_id) as id from deliveries')
  await fixture.db.query(
    `update deliveries set next_attempt_at = now() + interval '1 day', attempts = 1 where delivery_id = $1`,
    [row?.id ?? 0n],
  )
  await fixture.db.transaction(async (tx) => {
    await tx.query('select from deliveries where delivery_id = $1 for update', [row?.id ?? 0n])
    await fixture.startCourier()
    await waitFor('the other delivery', async () => (await fixture.statuses()).delivered === 1)
  })
  assert.equal(hook.received.length, 1)
})

testConnections('what is locked by somebody is passed over at once, and found by the next look', async () => {
  const { fixture } = await withDeliveries(2)
  await fixture.db.query(`update deliveries set next_attempt_at = now() + interval '1 day', attempts = 1`)
  await fixture.db.transaction(async (tx) => {
    await tx.query('select from deliveries order by delivery_id limit 1 for update')
    assert.equal(await hurryAll(fixture.db, new Date()), 1)
  })
  assert.equal(await hurryAll(fixture.db, new Date()), 1)
})

test('of many that wait for the same instant, as of others, each is looked at', async () => {
  const { fixture } = await withDeliveries(5)
  const now = new Date()
  await fixture.db.query(`update deliveries set next_attempt_at = $1::timestamptz`, [now])
  assert.equal(await hurryAll(fixture.db, now), 0)
  await fixture.db.query(
    `update deliveries set attempts = 1, next_attempt_at = $1::timestamptz + delivery_id * interval '1 day'`,
    [now],
  )
  assert.equal(await hurryAll(fixture.db, now), 5)
  await fixture.db.query(`update deliveries set next_attempt_at = $1::timestamptz + interval '1 day'`, [now])
  assert.equal(await hurryAll(fixture.db, now), 5)
})

test('what the schedule itself puts off waits, and a claim lasts as long as claims do', async () => {
  const { fixture } = await withDeliveries(7)
  const plant = async (place: number, change: string) =>
    fixture.db.query(
      `update deliveries set ${change} where delivery_id = (select delivery_id from deliveries order by 1 offset $1 limit 1)`,
      [place],
    )
  const now = new Date(Date.now() + 1_000)
  const at = `'${now.toISOString()}'::timestamptz`
  await plant(0, `attempts = 8, next_attempt_at = ${at} + interval '8 hours'`)
  await plant(1, `attempts = 7, next_attempt_at = ${at} + interval '8 hours 11 minutes'`)
  await plant(2, `attempts = 4, next_attempt_at = ${at} + interval '39 minutes'`)
  await plant(3, `attempts = 4, next_attempt_at = ${at} + interval '41 minutes'`)
  await plant(4, `claimed_until = ${at} + interval '1 day'`)
  await plant(5, `claimed_until = ${at} + interval '29 seconds'`)
  await plant(6, `status = 'delivered', next_attempt_at = ${at} + interval '1 day'`)
  assert.equal(await hurryAll(fixture.db, now), 3)
  const rows = await fixture.db.query<{ next: Date; until: Date | null }>(
    'select next_attempt_at as next, claimed_until as until from deliveries order by delivery_id',
  )
  const waitsMs = rows.map(({ next }) => Math.max(0, next.getTime() - now.getTime()))
  assert.deepEqual(waitsMs, [8 * 3_600_000, 0, 39 * 60_000, 0, 0, 0, DAY_MS])
  const untilMs = rows.map(({ until }) => (until === null ? null : until.getTime() - now.getTime()))
  assert.deepEqual(untilMs, [null, null, null, null, CLAIM_MS, 29_000, null])
  assert.equal(await hurryAll(fixture.db, now), 0)
})

test('what is over by the clock of the database alone is not given up', async () => {
  const { fixture, hook } = await withDeliveries(2)
  // As if the database were a day ahead of this process: what it dates is past.
  await fixture.db.query(`update deliveries set next_attempt_at = now() - interval '1 hour'`)
  const tomorrow = new Date(Date.now() + DAY_MS + 60_000)
  const ahead = { ...fixture.db, query: aheadBy(fixture.db.query.bind(fixture.db), tomorrow) }
  const courier = await fixture.startCourier({ db: ahead })
  const waiting = await waitFor('both to wait', async () => {
    const found = await fixture.db.query<{ status: string; from: Date | null }>(
      'select status, scheduled_from as from from deliveries where claimed_until is null and scheduled_from is not null',
    )
    return found.length === 2 ? found : undefined
  })
  for (const { status } of waiting) assert.equal(status, 'due')
  await courier.stop()
  assert.equal(hook.received.length, 0)
  assert.match(fixture.lines.join(''), /differ by hours/)
  await fixture.startCourier()
  await waitFor('the deliveries', async () => (await fixture.statuses()).delivered === 2)
})

test('what is over by both clocks waits while they may be ahead together, and is sent once they are right', async () => {
  const { fixture, hook } = await withDeliveries(1)
  const time = testClock()
  time.moveTo(new Date(Date.now() + DAY_MS))
  const courier = await fixture.startCourier({ clock: time.clock, untilSteadyMs: () => HOUR_MS })
  const { next } = await waitFor('it to wait', async () => {
    const [row] = await fixture.db.query<{ next: Date }>(
      `select next_attempt_at as next from deliveries where status = 'due' and claim = 1 and claimed_until is null`,
    )
    return row
  })
  assert.equal(next.getTime() - time.now(), 5 * 60_000)
  await courier.stop()
  assert.equal(hook.received.length, 0)
  await fixture.startCourier()
  await waitFor('the delivery', async () => (await fixture.statuses()).delivered === 1)
})

test('what is over by both clocks is given up once they have been right for long enough, or wrong', async () => {
  const { fixture, hook } = await withDeliveries(1)
  const time = testClock()
  time.moveTo(new Date(Date.now() + DAY_MS))
  let untilSteadyMs = HOUR_MS
  const courier = await fixture.startCourier({ clock: time.clock, untilSteadyMs: () => untilSteadyMs })
  await waitFor('it to wait', () => fixture.lines.join('').includes('may be ahead'))
  untilSteadyMs = 0
  time.moveTo(new Date(time.now() + HOUR_MS))
  courier.wake()
  await waitFor('the end', async () => (await fixture.statuses()).exhausted === 1)
  assert.equal(hook.received.length, 0)
})

test('what waits for clocks to run evenly waits no longer than that, is not taken for something that a clock put off, and ends', async () => {
  const { fixture, hook } = await withDeliveries(1)
  const time = testClock()
  // Couriers were away for long, and so was their machine.
  time.moveTo(new Date(Date.now() + DAY_MS + 10 * HOUR_MS))
  let untilSteadyMs = HOUR_MS
  const courier = await fixture.startCourier({ clock: time.clock, untilSteadyMs: () => untilSteadyMs })
  const isLookedAt = async () => {
    const due = await fixture.db.query(`select from deliveries where status = 'due' and next_attempt_at <= $1`, [
      time.clock(),
    ])
    return due.length === 0
  }
  let hurried = 0
  for (; untilSteadyMs >= 0; untilSteadyMs -= 60_000) {
    courier.wake()
    await waitFor('it to wait', isLookedAt)
    time.moveTo(new Date(time.now() + 60_000))
    hurried += await hurryAll(fixture.db, time.clock())
  }
  untilSteadyMs = 0
  courier.wake()
  await waitFor('the end', async () => (await fixture.statuses()).due === undefined)
  assert.deepEqual([await fixture.statuses(), hook.received.length, hurried], [{ exhausted: 1 }, 0, 0])
})

test('a signature has the time of the process, as server time has, whatever the database says; that they differ is told once', async () => {
  const { fixture, hook } = await withDeliveries(3)
  const ahead = new Date(Date.now() + HOUR_MS)
  const courier = await fixture.startCourier({
    db: { ...fixture.db, query: aheadBy(fixture.db.query.bind(fixture.db), ahead) },
    maxInFlight: 1,
  })
  await waitFor('the deliveries', async () => (await fixture.statuses()).delivered === 3)
  await courier.stop()
  for (const { headers } of hook.received) {
    const [, t] = /^t=(\d+),/.exec(String(headers['x-coin-signature'])) ?? []
    assert.ok(Math.abs(Number(t) - Date.now() / 1000) < 300, String(t))
  }
  const told = fixture.lines.filter((line) => line.includes('signed by this process'))
  assert.match(told.join(''), /^[^\n]*"databaseAheadSeconds":3(5\d\d|600)[^\n]*\n$/)
})

/** Claims deliveries by another clock. */
function aheadBy<Query extends (text: string, params?: never) => unknown>(query: Query, now: Date): Query {
  return ((text: string, params: unknown[] = []) => {
    const isClaim = text.includes('update deliveries d set claim =')
    return query(text, (isClaim ? [now, ...params.slice(1)] : params) as never)
  }) as Query
}
