// engine: postgres; both in test:long
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import path from 'node:path'
import { after, test } from 'node:test'
import Stripe from 'stripe'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { generateWebhookSecret } from '../../src/webhooks/signature.ts'
import { createTestDatabase, testEngine } from '../support/database.ts'
import { SOME_COLUMNS, SOME_VALUES } from '../support/events.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from './http-receiver.ts'
import { type KillableCourier, spawnCourier } from './killable-courier.ts'

const EVENTS = 1000
const KILLS_AFTER = [150, 500, 900, 1200]
const DAY_MS = 24 * 3_600_000
const CLAIM_MS = 30_000
/** Shorter than the contract's five seconds, so that stalls cost the test less. */
const TIMEOUT_MS = 1500
/** How far time moves past the next attempt, so that attempts close to each other are made together. */
const STRIDE_MS = 10_000
const ENDPOINT = 'we_000000000000000000000001'

const stripe = new Stripe('sk_test_unused')
const secretsKey = randomBytes(32)
const secret = generateWebhookSecret()

type Attempt = { eventId: string; at: number; acknowledged: boolean; problem: string | undefined }

/**
 * 30 % fail, 5 % stall, decided by the event and the number of its arrival, so that every run meets the same receiver.
 */
function moodOf(eventId: string, arrival: number): 'acknowledge' | 'fail' | 'stall' {
  const dice = createHash('sha256').update(`${eventId}:${arrival}`).digest().readUInt32BE() / 2 ** 32
  return dice < 0.3 ? 'fail' : dice < 0.35 ? 'stall' : 'acknowledge'
}

async function moodyReceiver(clock: () => number) {
  const attempts: Attempt[] = []
  const arrivals = new Map<string, number>()
  const receiver = await startReceiver((response, { headers, body }) => {
    const eventId: string = JSON.parse(body).id
    const arrival = (arrivals.get(eventId) ?? 0) + 1
    arrivals.set(eventId, arrival)
    const mood = moodOf(eventId, arrival)
    let problem: string | undefined
    try {
      stripe.webhooks.constructEvent(body, headers['x-coin-signature'] as string, secret, 300, undefined, clock())
    } catch (error) {
      problem = String(error)
    }
    attempts.push({ eventId, at: clock(), acknowledged: mood === 'acknowledge', problem })
    if (mood === 'acknowledge') response.writeHead(204).end()
    if (mood === 'fail') response.writeHead(500).end('not now')
  })
  after(() => receiver.close())
  return { url: receiver.url, attempts }
}

/** Appends all events at once, as the real statement does. */
async function seed(courier: KillableCourier, url: string, createdAt: Date): Promise<void> {
  await courier.query(`insert into integrations (integration_id, name) values ('int_1', 'Acme')`)
  await courier.query(
    `insert into webhook_endpoints (endpoint_id, integration_id, url, secret_encrypted) values ($1, 'int_1', $2, $3)`,
    [ENDPOINT, url, createSecretBox(secretsKey).seal(secret, ENDPOINT)],
  )
  await courier.query(
    `with source as (
       insert into events (event_id, type, integration_id, ${SOME_COLUMNS}, created_at)
       select id, 'mint.completed', 'int_1', ${SOME_VALUES}, $2::timestamptz
       from (select 'evt_' || lpad(to_hex(n), 32, '0') as id from generate_series(1, $1::int) n) ids
       returning event_id)
     insert into deliveries (event_id, event_at, endpoint_id, scheduled_from, next_attempt_at, created_at)
     select event_id, $2, $3, $2, $2, $2 from source`,
    [EVENTS, createdAt, ENDPOINT],
  )
}

test('1,000 events reach a receiver that fails and stalls, though the courier is killed again and again', async () => {
  const created = Date.now()
  let now = created
  const receiver = await moodyReceiver(() => now)
  const testDatabase = testEngine === 'postgres' ? await createTestDatabase() : undefined
  after(() => testDatabase?.close())
  const place = testDatabase?.url ?? path.join(temporaryFolder('courier'), 'db')

  let courier = await spawnCourier(testEngine, place)
  const setClock = async (to: number) => {
    now = to
    await courier.setClock(new Date(now))
  }
  await seed(courier, receiver.url, new Date(created))
  await setClock(now)
  await courier.start({ timeoutMs: TIMEOUT_MS, secretsKey })

  after(() => courier.kill())

  const kills = [...KILLS_AFTER]
  const killWhenDue = async () => {
    if (receiver.attempts.length < (kills[0] ?? Number.POSITIVE_INFINITY)) return
    kills.shift()
    await courier.kill()
    courier = await spawnCourier(testEngine, place)
    await setClock(now + CLAIM_MS + 1)
    await courier.start({ timeoutMs: TIMEOUT_MS, secretsKey })
  }
  /** The clock stands still while anything is left to do at this instant, then moves on to the next attempt. */
  const workIsOver = async () => {
    await killWhenDue()
    const [row] = await courier.query<{ waiting: bigint; next: Date | null }>(
      `select count(*) filter (where next_attempt_at <= $1::timestamptz) as waiting, min(next_attempt_at) as next
       from deliveries where status = 'due'`,
      [new Date(now)],
    )
    if (row === undefined || row.waiting > 0n) return false
    if (row.next !== null) await setClock(row.next.getTime() + STRIDE_MS)
    return row.next === null
  }
  await waitFor('the end of all deliveries', workIsOver, { timeoutMs: 300_000 })

  assert.deepEqual(kills, [], 'the courier was killed as often as intended')
  const outcomes = await courier.query('select status, count(*)::int as count from deliveries group by status')
  assert.deepEqual(outcomes, [{ status: 'delivered', count: EVENTS }])
  const [lost] = await courier.query<{ count: number }>(
    `select count(*)::int as count from deliveries d
     where d.claim > (select count(*) from delivery_attempts a where a.delivery_id = d.delivery_id)`,
  )
  assert.ok((lost?.count ?? 0) > 0, 'the kills hit deliveries in flight')
  assert.deepEqual(
    receiver.attempts.filter(({ problem }) => problem !== undefined),
    [],
  )
  assert.equal(
    new Set(receiver.attempts.filter(({ acknowledged }) => acknowledged).map(({ eventId }) => eventId)).size,
    EVENTS,
  )
  assert.ok(receiver.attempts.every(({ at }) => at >= created && at < created + DAY_MS))
  assert.ok(receiver.attempts.length > EVENTS * 1.4)
  await courier.stop()
})
