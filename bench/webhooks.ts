/** Webhook deliveries per second of one courier, compared with bare HTTPS POSTs from the same process to the same receiver. */
import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:https'
import path from 'node:path'
import { setDefaultCACertificates } from 'node:tls'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { openPostgres } from '../src/db/postgres.ts'
import { createIntegration } from '../src/integrations/integrations.sql.ts'
import { createSecretBox } from '../src/secrets/secrets.ts'
import { createWebhookAdmin } from '../src/webhooks/admin.ts'
import { createCourier } from '../src/webhooks/courier.ts'
import { announce } from '../src/webhooks/queue/announce.sql.ts'
import { createSender } from '../src/webhooks/send.ts'
import { SIGNATURE_HEADER, signatureHeader } from '../src/webhooks/signature.ts'
import { startGuarded } from '../test/support/guarded-process.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { mintEvent } from '../test/webhooks/fixture.ts'
import { cert } from '../test/webhooks/tls-identity.ts'
import { currentLoad, progress, publish } from './support/report.ts'
import { medians, roundsTable } from './support/rounds.ts'
import { startBench } from './support/service.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, deliveries: { type: 'string', default: '3200' } },
})
const [rounds, deliveries] = [Number(values.rounds), Number(values.deliveries)]
/** As many in flight as a courier has at most: each of its endpoints gets eight at a time. */
const IN_FLIGHT = 256
const ENDPOINTS = 32
const BODY = JSON.stringify({ eventId: `evt_${'0'.repeat(24)}`, type: 'mint.completed', data: 'x'.repeat(300) })
const COLUMNS = {
  bare: 'bare POSTs/s',
  deliveries: 'deliveries/s',
  ratio: 'ratio',
  kept: 'bare POSTs/s over kept connections',
  bareUs: 'µs a bare POST',
  courierUs: 'courier µs a delivery',
  postgresUs: 'PostgreSQL µs a delivery',
}

setDefaultCACertificates([cert])
const loadBefore = currentLoad()
const bench = await startBench()
const receiver = await startGuarded(process.execPath, [path.join(import.meta.dirname, 'support/https-receiver.ts')])
const db = await openPostgres({ url: bench.url, poolSize: 10 })
try {
  const port = await waitFor('the receiver to listen', () => /port (\d+)/.exec(receiver.output())?.[1])
  const url = `https://localhost:${port}/hooks`
  const secrets = createSecretBox(randomBytes(32))
  const admin = createWebhookAdmin({ db, secrets, send: createSender({ allowLoopback: true }), allowLoopback: true })
  const integrations = await Promise.all(Array.from({ length: 2 }, () => createIntegration(db, { name: 'Acme' })))
  for (const { integrationId } of integrations) {
    for (let n = 0; n < ENDPOINTS / integrations.length; n += 1) await admin.add(db, { integrationId, url })
  }
  const deliver = () => timed(deliveries, (done) => deliverAll(secrets, done))
  const bare = (keepAlive: boolean) => timed(deliveries, () => postAll(url, keepAlive))
  const measured: Record<keyof typeof COLUMNS, number>[] = []
  // The first round warms up.
  for (let turn = 0; turn <= rounds; turn += 1) {
    const alone = await bare(false)
    await prepare(integrations)
    const before = bench.postgresCpuUs()
    const delivered = await deliver()
    const postgresUs = (bench.postgresCpuUs() - before) / deliveries
    const kept = await bare(true)
    const rates = { bare: alone.perSecond, deliveries: delivered.perSecond, kept: kept.perSecond }
    const found = { bareUs: alone.us, courierUs: delivered.us, postgresUs, ratio: rates.deliveries / rates.bare }
    if (turn === 0) continue
    measured.push({ ...rates, ...found })
    progress(turn, rounds, measured.at(-1) ?? {})
  }
  publish({
    name: 'webhooks',
    title: 'Delivering webhooks',
    method: `${deliveries} due deliveries to ${ENDPOINTS} endpoints at one HTTPS receiver (a process of its own, which answers 204), by one courier over PostgreSQL with
durable commits: claimed, signed, sent each over a new connection with a whole TLS handshake, and recorded. Against as many bare HTTPS POSTs of that size from the same
process, ${IN_FLIGHT} at a time like the courier's, each over a new connection, too; and, to show what that costs, over kept ones. ${rounds} rounds in turn, after one
that warms up. µs are processor time, user and system, of the bench's process and of PostgreSQL.`,
    rows: roundsTable(COLUMNS, measured),
    measured: { webhooks: medians(measured).ratio },
    numbers: medians(measured),
    versions: { PostgreSQL: bench.postgresVersion },
    loadBefore,
  })
} finally {
  await db.close()
  await receiver.end('SIGTERM')
  await bench.end()
}

/** Events of completed mints that are due to each endpoint of their integration. */
async function prepare(integrations: readonly { integrationId: string }[]): Promise<void> {
  for (let made = 0; made < deliveries / ENDPOINTS; made += 1) {
    for (const { integrationId } of integrations) await announce(db, [mintEvent(integrationId, `order-${made}`)])
  }
}

/** Starts a courier and resolves when everything due is delivered and recorded. */
async function deliverAll(secrets: ReturnType<typeof createSecretBox>, done: PromiseWithResolvers<void>) {
  let left = deliveries
  const ended = (status: string): void => {
    if (status !== 'delivered') done.reject(new Error(`a delivery ended ${status}`))
    left -= 1
    if (left === 0) done.resolve()
  }
  const attempted = (result: string): void => {
    if (result !== 'acknowledged')
      done.reject(new Error('a delivery failed: is the machine too busy for five seconds a POST?'))
  }
  const courier = createCourier({
    db,
    secrets,
    allowLoopback: true,
    logger: pino({ level: 'silent' }),
    metrics: { attempted, ended, secretUnopened() {}, inFlight() {} },
  })
  courier.start()
  await done.promise
  await courier.stop()
}

async function postAll(url: string, keepAlive: boolean): Promise<void> {
  const agent = new Agent(keepAlive ? { keepAlive, maxSockets: IN_FLIGHT } : { keepAlive, maxCachedSessions: 0 })
  const signature = signatureHeader('whsec_x', BODY, new Date())
  let left = deliveries
  const keepPosting = async (): Promise<void> => {
    while (left-- > 0) await postOne(url, agent, signature)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, keepPosting))
  agent.destroy()
}

function postOne(url: string, agent: Agent, signature: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': BODY.length, [SIGNATURE_HEADER]: signature }
    const one = request(url, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 204) reject(new Error(`answered ${response.statusCode}`))
      response.resume().on('end', resolve)
    })
    one.on('error', reject).end(BODY)
  })
}

/** How many a second, and this process's own processor time of each. */
async function timed(count: number, work: (done: PromiseWithResolvers<void>) => Promise<void>) {
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  await work(Promise.withResolvers<void>())
  const { user, system } = process.cpuUsage(cpu)
  return { perSecond: count / ((performance.now() - began) / 1_000), us: (user + system) / count }
}
