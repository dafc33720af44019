// engine: postgres; both in test:long
/**
 * Rate limits shared by several API processes. Needs a real Redis. No npm package brings one, so it uses `redis-server`
 * from the path (Debian: apt-get install redis-server) or the binary that REDIS_SERVER names; .ci/run provides it.
 */
// Runbook: Redis is away
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { createRedisRateCounter } from '../../src/http/redis-rate-counter.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { startTestApi } from '../support/api.ts'
import { createTestDatabase } from '../support/database.ts'
import type { GuardedProcess } from '../support/guarded-process.ts'
import { freePort } from '../support/ports.ts'
import { missingRedis, startRedis } from '../support/redis.ts'
import { waitFor } from '../support/wait-for.ts'

const opened: { close(): void }[] = []
after(() => {
  for (const counter of opened) counter.close()
})

/** A connected counter, whose counts are in Redis, also on a machine so busy that Redis answers late. */
async function connectedCounter(
  port: number,
  commandTimeoutMs = 20_000,
  answers = (_: boolean): unknown => undefined,
  behind = port,
) {
  const counter = createRedisRateCounter({
    url: `redis://127.0.0.1:${port}`,
    logger: silent,
    commandTimeoutMs,
    answers,
  })
  opened.push(counter)
  const redis = new Redis(behind, '127.0.0.1')
  const name = randomUUID()
  await waitFor('the counter to be connected', async () => {
    await counter.hit(name, 'read', 60)
    return await redis.get(`rate:${name}:read:60`)
  }).finally(() => redis.disconnect())
  return counter
}

const silent = pino({ level: 'silent' })

describe('with Redis', { skip: missingRedis() }, () => {
  let port: number
  let server: GuardedProcess
  before(async () => {
    port = await freePort()
    server = await startRedis(port)
  })
  after(() => server.end('SIGKILL'))

  test('two processes count together, exactly', async () => {
    const [one, two] = [await connectedCounter(port), await connectedCounter(port)]
    const counts = await Promise.all(
      Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? one : two).hit('k', 'write', 60)),
    )
    assert.deepEqual(
      counts.sort((a, b) => a - b),
      Array.from({ length: 200 }, (_, n) => n + 1),
    )
    assert.equal(await one.peek('k', 'write', 60), 200)
    assert.equal(await one.hit('k', 'read', 60), 1)
    assert.equal(await one.hit('k', 'write', 120), 1)
    const redis = new Redis(port, '127.0.0.1')
    const seconds = await redis.ttl('rate:k:write:60')
    assert.ok(seconds > 0 && seconds <= 120, `expires in ${seconds} s`)
    redis.disconnect()
  })

  test('two APIs over one database share a limit', async () => {
    const db = await createTestDatabase()
    const counters = [await connectedCounter(port), await connectedCounter(port)]
    const clock = () => new Date('2026-03-01T10:00:00Z')
    const apis = await Promise.all(counters.map((rateCounter) => startTestApi({ db, rateCounter, clock })))
    const [one, two] = apis
    assert.ok(one && two)
    const key = await one.makeKey({ rates: { read: 20, write: null, balances: null } })
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? one : two).get('/v1/config', { key })),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 20)
    for (const api of apis) await api.close()
    await db.close()
  })

  test('that was late once is told to be back also where nobody calls any more', async () => {
    const told: boolean[] = []
    const counter = await connectedCounter(port, 200, (does) => told.push(does))
    process.kill(server.pid, 'SIGSTOP')
    await counter.hit('late', 'read', 60)
    const whileLate = [...told]
    process.kill(server.pid, 'SIGCONT')
    assert.equal(whileLate.at(-1), false)
    await waitFor('the process to find out by itself', () => told.at(-1) === true)
  })

  test('a hanging Redis holds nobody up, and is used again when it answers', async () => {
    const told: boolean[] = []
    const counter = await connectedCounter(port, 200, (does) => told.push(does))
    process.kill(server.pid, 'SIGSTOP')
    try {
      assert.deepEqual([await counter.hit('hung', 'read', 60), await counter.hit('hung', 'read', 60)], [1, 2])
      assert.equal(told.at(-1), false)
    } finally {
      process.kill(server.pid, 'SIGCONT')
    }
    const redis = new Redis(port, '127.0.0.1')
    await waitFor('Redis to be used again', async () => {
      await counter.hit('after', 'read', 60)
      return await redis.get('rate:after:read:60')
    }).finally(() => redis.disconnect())
    assert.equal(told.at(-1), true)
  })
})

test('a Redis that has become a replica is left for the one that has taken over', {
  skip: missingRedis(),
}, async (t) => {
  const [first, second] = [await freePort(), await freePort()]
  const servers = [await startRedis(first), await startRedis(second)]
  const clients = [new Redis(first, '127.0.0.1'), new Redis(second, '127.0.0.1')] as const
  t.after(async () => {
    for (const client of clients) client.disconnect()
    for (const server of servers) await server.end('SIGKILL')
  })
  // An address behind which another one stands after a failover; what was connected stays with the one that was there.
  let behind = first
  const front = createServer((socket) => {
    const server = connect(behind, '127.0.0.1')
    for (const end of [socket, server]) end.on('error', () => {})
    socket.pipe(server).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  t.after(() => front.close())
  const told: boolean[] = []
  const counter = await connectedCounter((front.address() as AddressInfo).port, 1_000, (does) => told.push(does), first)
  const [replica, taken] = clients
  // Of nobody who is there: what it would copy would be put into a file.
  await replica.replicaof('127.0.0.1', await freePort())
  await counter.hit('moved', 'read', 60)
  await sleep(2_500)
  assert.equal(told.at(-1), false, 'what only answers does not count')
  behind = second
  await waitFor('the other one to count', async () => {
    await counter.hit('moved', 'read', 60)
    return await taken.get('rate:moved:read:60')
  })
  await waitFor('the process to say so', () => told.at(-1) === true)
})

test('without Redis each process counts for itself, at once and with one warning', async () => {
  const warnings: unknown[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) })
  const metrics = createMetrics()
  const url = `redis://127.0.0.1:${await freePort()}`
  const counter = createRedisRateCounter({ url, logger, nowMs: () => 0, answers: metrics.showRedis() })
  const counts = []
  for (let n = 0; n < 50; n++) counts.push(await counter.hit('k', 'read', 60))
  assert.deepEqual(
    counts,
    Array.from({ length: 50 }, (_, n) => n + 1),
  )
  assert.equal(await counter.peek('k', 'read', 60), 50)
  counter.close()
  assert.equal(warnings.length, 1)
  assert.match(await metrics.registry.metrics(), /^redis_up 0$/m)
})
