// engine: postgres; both in test:long
/** Months are made ahead and dropped whole; exactness never needs what is dropped, and nobody's POST waits for it. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { RetentionConfig } from '../../src/config.ts'
import type { BatchStatus } from '../../src/orders/order.ts'
import { dropMonths, makeMonths, type RetentionMetrics } from '../../src/retention/keeper.ts'
import { type Month, monthsFrom } from '../../src/retention/months.ts'
import { dropPartition, makePartition, readPartitions } from '../../src/retention/partitions.sql.ts'
import { MONTHLY_TABLES, type MonthlyName } from '../../src/retention/tables.ts'
import { addBatchRow } from '../support/batch-rows.ts'
import { SOME_COLUMNS, SOME_VALUES } from '../support/events.ts'
import { testConnections } from '../support/needs-connections.ts'
import { CHAIN_ID, createOrdersFixture, type OrdersFixture } from '../support/orders.ts'
import { withoutGuards } from '../support/without-guards.ts'

const RETENTION: RetentionConfig = { answerDays: 100, deliveryDays: 100, eventDays: 400, batchDays: 100 }
const DAY_MS = 86_400_000

let fixture: OrdersFixture
before(async () => {
  fixture = await createOrdersFixture()
  await fixture.db.query(
    `insert into webhook_endpoints (endpoint_id, integration_id, url, secret_encrypted) values ('we_1', $1, 'https://x', 'sb1.s')`,
    [fixture.integrationId],
  )
})
after(() => fixture.close())

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)
const monthOf = (at: Date) => monthsFrom(at, 0)[0] as Month
const START = monthOf(new Date())

let told: string[] = []
afterEach(() => {
  told = []
})
const metrics: RetentionMetrics = {
  dropped: (table) => told.push(`dropped ${table}`),
  monthsAhead: (table, months) => told.push(`ahead ${table} ${months}`),
  strays: (table, there) => told.push(`strays ${table} ${there}`),
}
const lines: string[] = []
const logger = Object.fromEntries(
  ['info', 'warn', 'error'].map((level) => [level, (_: object, text: string) => lines.push(`${level} ${text}`)]),
) as unknown as Parameters<typeof makeMonths>[0]['logger']
const deps = (changes: { nowMs?: () => number; untilSteadyMs?: () => number } = {}) => ({
  db: fixture.db,
  retention: RETENTION,
  logger,
  metrics,
  nowMs: Date.now,
  untilSteadyMs: () => 0,
  ...changes,
})
const tableOf = (name: MonthlyName) => MONTHLY_TABLES.find((table) => table.name === name) ?? MONTHLY_TABLES[0]
const namesOf = async (name: MonthlyName) =>
  (await readPartitions(fixture.db, tableOf(name))).map((partition) => partition.name)
const makeMonthOf = (name: MonthlyName, at: Date) => makePartition(fixture.db, tableOf(name), monthOf(at))
const count = async (table: string) =>
  Number((await fixture.db.query<{ n: bigint }>(`select count(*) as n from ${table}`))[0]?.n)

/** An event on a given day, and its delivery. */
async function happened(at: Date, status: 'due' | 'delivered'): Promise<string> {
  const eventId = `evt_${at.getTime()}_${status}`
  await fixture.db.query(
    `insert into events (event_id, type, integration_id, ${SOME_COLUMNS}, created_at) values ($1, 'mint.pending', $2, ${SOME_VALUES}, $3)`,
    [eventId, fixture.integrationId, at],
  )
  await fixture.db.query(
    `insert into deliveries (event_id, event_at, endpoint_id, status, scheduled_from) values ($1, $2, 'we_1', $3, $2)`,
    [eventId, at, status],
  )
  return eventId
}

test('without any month a POST is recorded; rows of this month then stay in the default partition', async () => {
  const { body } = await fixture.call('mint', fixture.mintBody({ fiatConfirmed: true }))
  assert.equal(JSON.parse(body).status, 'pending')
  assert.equal(await count('events_default'), 1)
  await makeMonths(deps())
  const events = await namesOf('events')
  assert.equal(events.length, 3)
  assert.ok(!events.includes(`events_${START.suffix}`))
  assert.ok(told.includes('strays events true') && told.includes('ahead events 2'))
  assert.ok(told.includes('strays remembered_answers false') && told.includes('ahead remembered_answers 3'))
  await fixture.call('mint', fixture.mintBody({ fiatConfirmed: true }))
  await fixture.db.query('delete from events_default')
  await fixture.db.query('delete from deliveries_default')
})

test('this month and the three after it are made, once, by many at a time', async () => {
  await Promise.all([1, 2, 3].map(() => makeMonths(deps())))
  await makeMonths(deps())
  const expected = monthsFrom(new Date(), 3).map(({ suffix }) => suffix)
  for (const { name: table } of MONTHLY_TABLES) {
    assert.deepEqual(
      await namesOf(table),
      expected.map((suffix) => `${table}_${suffix}`),
    )
    assert.ok(told.includes(`ahead ${table} 3`))
  }
  const waiting = fixture.mintBody()
  await fixture.call('mint', waiting)
  await fixture.call('mint', { ...waiting, fiatConfirmed: true })
  for (const table of ['events', 'deliveries', 'remembered_answers']) {
    assert.deepEqual([await count(`${table}_${START.suffix}`), await count(`${table}_default`)], [1, 0], table)
  }
})

test('months follow one another without a gap', () => {
  const months = monthsFrom(new Date('2027-11-30T23:59:59.999Z'), 3)
  assert.deepEqual(
    months.map(({ first, next, suffix }) => [first, next, suffix]),
    [
      ['2027-11-01', '2027-12-01', '2027_11'],
      ['2027-12-01', '2028-01-01', '2027_12'],
      ['2028-01-01', '2028-02-01', '2028_01'],
      ['2028-02-01', '2028-03-01', '2028_02'],
    ],
  )
})

test('only months that are past their retention to the last instant are dropped', async () => {
  const past = Array.from({ length: 20 }, (_, n) => monthOf(daysAgo(30 * n + 10)))
  for (const table of MONTHLY_TABLES) for (const month of past) await makePartition(fixture.db, table, month)
  const kept = new Map<string, string[]>()
  for (const [name, days] of [
    ['remembered_answers', 100],
    ['batch_attempts', 100],
    ['deliveries', 100],
    ['delivery_attempts', 100],
    ['events', 400],
  ] as const) {
    const table = tableOf(name)
    const all = await readPartitions(fixture.db, table)
    assert.ok(all.length > 18)
    const staying = all.filter(({ until }) => until.getTime() > Date.now() - days * DAY_MS)
    kept.set(
      name,
      staying.map((partition) => partition.name),
    )
    // The month in which the retention ends is not over yet.
    const edge = staying.find((partition) => partition.name.endsWith(monthOf(daysAgo(days)).suffix))
    if (edge !== undefined) await assert.rejects(dropPartition(fixture.db, table, edge, daysAgo(days)), /not past/)
  }
  await dropMonths(deps())
  for (const { name } of MONTHLY_TABLES) assert.deepEqual(await namesOf(name), kept.get(name), name)
  assert.ok(told.includes('dropped events') && told.includes('dropped delivery_attempts'))
  assert.ok(lines.some((line) => line.startsWith('info a month was dropped')))
  await assert.rejects(
    dropPartition(fixture.db, tableOf('events'), { name: 'orders', until: daysAgo(999) }, daysAgo(1)),
    /no month/,
  )
})

test('what is due is never dropped, nor the event that it carries', async () => {
  const old = daysAgo(500)
  for (const table of ['events', 'deliveries'] as const) await makeMonthOf(table, old)
  const due = await happened(old, 'due')
  await dropMonths(deps())
  const rowOf = (table: string) => fixture.db.query(`select from ${table} where event_id = $1`, [due])
  assert.deepEqual([(await rowOf('deliveries')).length, (await rowOf('events')).length], [1, 1])
  await fixture.db.query(`update deliveries set status = 'delivered' where event_id = $1`, [due])
  await dropMonths(deps())
  assert.deepEqual([(await rowOf('deliveries')).length, (await rowOf('events')).length], [0, 0])
  assert.ok(!(await namesOf('events')).includes(`events_${monthOf(old).suffix}`))
})

/** A batch of one order, with an attempt signed at each instant. */
async function signed(batchId: bigint, status: BatchStatus, ...attemptsAt: readonly Date[]): Promise<void> {
  await addBatchRow(fixture.db, { chainId: CHAIN_ID, batchId, status })
  for (const at of attemptsAt) {
    await fixture.db.query(
      `insert into batch_attempts (chain_id, batch_id, tx_hash, signer, nonce, raw_transaction, max_fee_per_gas,
         max_priority_fee_per_gas, gas_limit, created_at) values ($1, $2, $3, '0x51', $2, '\\x5ec4e7', 1, 1, 21000, $4)`,
      [CHAIN_ID, batchId, `0x${batchId}-${at.getTime()}`, at],
    )
  }
}

const attemptsOf = async (batchId: bigint) =>
  (await fixture.db.query('select from batch_attempts where batch_id = $1', [batchId])).length

test('signed bytes are dropped when their batch is final or abandoned, and never before', async () => {
  const [old, younger] = [daysAgo(200), daysAgo(60)]
  for (const at of [old, younger]) await makeMonthOf('batch_attempts', at)
  await signed(1n, 'final', old, younger)
  await signed(2n, 'abandoned', old)
  for (const [batchId, status] of [
    [3n, 'signed'],
    [4n, 'mined'],
  ] as const) {
    await signed(batchId, status, old)
    await dropMonths(deps())
    // The month is dropped whole or not at all.
    assert.deepEqual([await attemptsOf(1n), await attemptsOf(2n), await attemptsOf(batchId)], [2, 1, 1], status)
    await withoutGuards(fixture.db, (tx) =>
      tx.query(
        `update batches set status = 'abandoned', mined_block = null, mined_hash = null where chain_id = $1 and batch_id = $2`,
        [CHAIN_ID, batchId],
      ),
    )
  }
  await dropMonths(deps())
  assert.deepEqual(await Promise.all([1n, 2n, 3n, 4n].map(attemptsOf)), [1, 0, 0, 0])
  assert.ok(told.includes('dropped batch_attempts'))
})

test('without their month, signed bytes go one by one, as their batches are decided', async () => {
  const [old, younger] = [daysAgo(700), daysAgo(99)]
  await signed(11n, 'signed', old)
  await signed(12n, 'final', old, younger)
  await signed(13n, 'mined', old)
  await dropMonths(deps())
  assert.deepEqual(await Promise.all([11n, 12n, 13n].map(attemptsOf)), [1, 1, 1])
})

test('rows of the default partition go when their time is over, and not before', async () => {
  // A month may have been made of each: the whole of it is over by then, on whichever day this runs.
  const [gone, waiting, young] = [daysAgo(450), daysAgo(449), daysAgo(140)]
  const events = [await happened(gone, 'delivered'), await happened(waiting, 'due'), await happened(young, 'delivered')]
  const left = async (table: string) =>
    (
      await fixture.db.query<{ id: string }>(
        `select event_id as id from ${table} where event_id = any ($1) order by 1`,
        [events],
      )
    ).map(({ id }) => events.indexOf(id))
  await dropMonths(deps())
  assert.deepEqual([await left('deliveries'), (await left('events')).toSorted()], [[1], [0, 1, 2]])
  await fixture.db.query(`update deliveries set status = 'exhausted', scheduled_from = now() where event_id = $1`, [
    events[1] ?? '',
  ])
  await dropMonths(deps())
  assert.deepEqual([await left('deliveries'), await left('events')], [[1], [2]])
})

test('nothing is dropped while the clocks of database and process differ', async () => {
  const old = daysAgo(600)
  await makeMonthOf('events', old)
  for (const difference of [2 * 3_600_000, -2 * 3_600_000]) {
    await dropMonths(deps({ nowMs: () => Date.now() + difference }))
    assert.ok((await namesOf('events')).includes(`events_${monthOf(old).suffix}`))
  }
  assert.ok(lines.some((line) => line.startsWith('error nothing is dropped')))
  await dropMonths(deps())
  assert.ok(!(await namesOf('events')).includes(`events_${monthOf(old).suffix}`))
})

test('nothing is dropped while both clocks may be ahead, and whoever looks after months comes back when they are believed', async () => {
  const old = daysAgo(600)
  await makeMonthOf('events', old)
  assert.equal(await dropMonths(deps({ untilSteadyMs: () => 600_000 })), 600_000)
  assert.ok((await namesOf('events')).includes(`events_${monthOf(old).suffix}`))
  assert.ok(lines.some((line) => line.startsWith('info nothing is dropped until')))
  assert.equal(await dropMonths(deps()), 0)
  assert.ok(!(await namesOf('events')).includes(`events_${monthOf(old).suffix}`))
})

test('a key whose answer was dropped is exact for ever: no second order, 409 to another request', async () => {
  const waiting = fixture.mintBody()
  const confirmed = { ...waiting, fiatConfirmed: true }
  const first = await fixture.call('mint', waiting, { idempotencyKey: 'created-long-ago' })
  const second = await fixture.call('mint', confirmed, { idempotencyKey: 'confirmed-long-ago' })
  const old = daysAgo(150)
  await makeMonthOf('remembered_answers', old)
  await fixture.db.query(
    `with k as (update idempotency_keys set answered_at = $1 where idempotency_key = 'confirmed-long-ago')
     update remembered_answers set created_at = $1 where idempotency_key = 'confirmed-long-ago'`,
    [old],
  )
  const again = () => fixture.call('mint', confirmed, { idempotencyKey: 'confirmed-long-ago' })
  assert.deepEqual(await again(), { ...second, replay: true })
  await dropMonths(deps())
  assert.ok(told.includes('dropped remembered_answers'))
  const all = await Promise.all(Array.from({ length: 5 }, again))
  for (const answer of all) assert.deepEqual(answer, { ...second, replay: false })
  const other = await fixture.attempt(
    'mint',
    { ...confirmed, amountMyr: '7' },
    { idempotencyKey: 'confirmed-long-ago' },
  )
  assert.equal(other.code, 'IDEMPOTENCY_CONFLICT')
  assert.deepEqual(await fixture.call('mint', waiting, { idempotencyKey: 'created-long-ago' }), {
    ...first,
    replay: true,
  })
  const orders = await fixture.db.query('select from orders where reference_id = $1', [String(waiting.referenceId)])
  assert.equal(orders.length, 1)
  const events = await fixture.db.query(
    'select e.type from events e join orders o using (integration_id, reference_id) where o.reference_id = $1',
    [String(waiting.referenceId)],
  )
  assert.equal(events.length, 1)
})

testConnections(
  'a reader that holds a month delays its drop, and nobody’s POST; a writer delays no new month',
  async () => {
    const old = daysAgo(550)
    await makeMonthOf('events', old)
    const [release, mayEnd] = signal()
    const [inside, isInside] = signal()
    const reader = fixture.db.transaction(async (tx) => {
      await tx.query('select count(*) from events')
      inside()
      await mayEnd
    })
    await isInside
    const posts = Array.from({ length: 5 }, () => fixture.call('mint', fixture.mintBody({ fiatConfirmed: true })))
    await dropMonths(deps())
    for (const { status } of await Promise.all(posts)) assert.equal(status, 201)
    assert.ok((await namesOf('events')).includes(`events_${monthOf(old).suffix}`))
    assert.ok(lines.some((line) => line.startsWith('warn somebody holds a lock')))
    release()
    await reader
    const [commit, mayCommit] = signal()
    const [written, isWritten] = signal()
    const writer = fixture.db.transaction(async (tx) => {
      await tx.query(
        `insert into events (event_id, type, integration_id, ${SOME_COLUMNS}) values ('evt_w', 'mint.pending', 'int_w', ${SOME_VALUES})`,
      )
      written()
      await mayCommit
    })
    await isWritten
    assert.equal(await makeMonthOf('events', daysAgo(700)), true)
    commit()
    await writer
    await dropMonths(deps())
    const left = await namesOf('events')
    assert.ok(
      !left.includes(`events_${monthOf(old).suffix}`) && !left.includes(`events_${monthOf(daysAgo(700)).suffix}`),
    )
  },
)

testConnections('a stray event that somebody is about to send once more stays until it is delivered', async () => {
  const old = daysAgo(450)
  const eventId = await happened(old, 'delivered')
  const [release, mayEnd] = signal()
  const [inside, isInside] = signal()
  const replay = fixture.db.transaction(async (tx) => {
    const [event] = await tx.query<{ created_at: Date }>('select created_at from events where event_id = $1', [eventId])
    inside()
    await mayEnd
    await tx.query(
      `insert into deliveries (event_id, event_at, endpoint_id, status, scheduled_from) values ($1, $2, 'we_1', 'due', $2)
       on conflict on constraint deliveries_once_per_endpoint do update set status = 'due'`,
      [eventId, event?.created_at ?? null],
    )
  })
  await isInside
  await dropMonths(deps())
  release()
  await replay
  const rowsOf = async (table: string) => await count(`${table} where event_id = '${eventId}'`)
  await dropMonths(deps())
  assert.deepEqual([await rowsOf('events'), await rowsOf('deliveries')], [1, 1])
  await fixture.db.query(`update deliveries set status = 'delivered' where event_id = $1`, [eventId])
  await dropMonths(deps())
  assert.deepEqual([await rowsOf('events'), await rowsOf('deliveries')], [0, 0])
})

function signal(): [send: () => void, sent: Promise<void>] {
  const { promise, resolve } = Promise.withResolvers<void>()
  return [resolve, promise]
}
