/** An integration with webhook endpoints and events on a database of its own. */
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { pino } from 'pino'
import { eventOf } from '../../src/events/event.ts'
import { createIntegration } from '../../src/integrations/integrations.sql.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { createWebhookAdmin } from '../../src/webhooks/admin.ts'
import { type Courier, type CourierDeps, createCourier } from '../../src/webhooks/courier.ts'
import { announce } from '../../src/webhooks/queue/announce.sql.ts'
import { createSender } from '../../src/webhooks/send.ts'
import { createTestDatabase } from '../support/database.ts'

/** A clock that stands still until it is moved. Deliveries are created by the database's clock, so it starts there. */
export function testClock() {
  let now = Date.now() + 1000
  return { clock: () => new Date(now), moveTo: (at: Date) => (now = at.getTime()), now: () => now }
}

/** A completed mint with the given reference, as an event shows it. */
export function mintEvent(integrationId: string, referenceId: string, status = 'completed') {
  const settled = { txHash: `0x${'ab'.repeat(32)}`, blockNumber: 7n }
  const event = eventOf(
    { integrationId, referenceId, status, direction: 'MINT', amountMicro: 100_500_000n, ...settled },
    new Date(),
  )
  if (event === undefined) throw new Error('no event')
  return { ...event, integrationId }
}

/** Ends with the test, or after all tests of the file, where it was started. */
export async function startFixture() {
  const fixture = await makeFixture()
  after(fixture.close)
  return fixture
}

/** What a courier logs is kept, so that tests can look for what must not be there. For a hook, in which `after` would end it too soon. */
export async function makeFixture() {
  const db = await createTestDatabase()
  const lines: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line) => void lines.push(line) })
  const secrets = createSecretBox(randomBytes(32))
  const admin = createWebhookAdmin({ db, secrets, send: createSender({ allowLoopback: true }), allowLoopback: true })
  const { integrationId } = await createIntegration(db, { name: 'Acme' })
  const couriers: Courier[] = []

  return {
    db,
    async close(): Promise<void> {
      await Promise.all(couriers.map((courier) => courier.stop()))
      await db.close()
    },
    admin,
    integrationId,
    lines,
    addEndpoint: (url: string, eventTypes?: string[]) =>
      admin.add(db, { integrationId, url, ...(eventTypes === undefined ? {} : { eventTypes }) }),
    /** Appends events of `count` completed mints in one transaction. @returns their ids */
    async append(count: number, status = 'completed'): Promise<string[]> {
      const events = Array.from({ length: count }, () =>
        mintEvent(integrationId, `order-${randomBytes(6).toString('hex')}`, status),
      )
      await db.transaction((tx) => announce(tx, events))
      return events.map((event) => event.eventId)
    },
    async startCourier(options: Partial<CourierDeps> = {}): Promise<Courier> {
      const courier = createCourier({ db, logger, secrets, allowLoopback: true, ...options })
      couriers.push(courier)
      courier.start()
      return courier
    },
    /** How many deliveries are in each status. */
    async statuses(): Promise<Record<string, number>> {
      const rows = await db.query<{ status: string; count: bigint }>(
        'select status, count(*) as count from deliveries group by status',
      )
      return Object.fromEntries(rows.map((row) => [row.status, Number(row.count)]))
    },
  }
}

export type Fixture = Awaited<ReturnType<typeof startFixture>>
