// engine: postgres; both in test:long
/** Somebody who may write to Redis, or has taken its place: keys are refused or not limited by it, and nothing else happens. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { createRedisRateCounter } from '../../src/http/redis-rate-counter.ts'
import { freePort } from '../support/ports.ts'
import { missingRedis, startRedis } from '../support/redis.ts'
import { waitFor } from '../support/wait-for.ts'

const PASSWORD = 'canary%Password'
const ends: (() => unknown)[] = []
after(async () => {
  for (const end of ends.reverse()) await end()
})

function counterAt(port: number, commandTimeoutMs = 20_000) {
  const log: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => void log.push(line) })
  const url = `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`
  const told: boolean[] = []
  const counter = createRedisRateCounter({ url, logger, commandTimeoutMs, answers: (does) => told.push(does) })
  ends.push(() => counter.close())
  return { counter, log, told }
}

const GREETING = '%1\r\n$6\r\nserver\r\n$5\r\nredis\r\n'

/** Takes the place of Redis: greets like it, counts when it is tried, and says of any other count what `say` sends. */
async function startImpostor(say: (socket: Socket) => void, greeting = GREETING) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      const asked = bytes.toString().toLowerCase()
      if (asked.includes('hello')) socket.write(greeting)
      for (const _ of asked.match(/setinfo/g) ?? []) socket.write('+OK\r\n')
      if (/\binfo\r\n/.test(asked)) socket.write('$21\r\nredis_version:7.0.0\r\n\r\n')
      for (const _ of asked.match(/rate:tried/g) ?? []) socket.write(':1\r\n')
      if (/rate:(?!tried)/.test(asked)) say(socket)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}

describe('who may write to Redis', { skip: missingRedis() }, () => {
  test('plants what is no count: it is replaced, and no other key is counted otherwise', async () => {
    const port = await freePort()
    const server = await startRedis(port)
    ends.push(() => server.end('SIGKILL'))
    const redis = new Redis(port, '127.0.0.1')
    ends.push(() => redis.disconnect())
    await redis.config('SET', 'requirepass', PASSWORD)
    await redis.auth(PASSWORD)
    const { counter, told, log } = counterAt(port)
    await waitFor('the counter to be connected', () => told.at(-1) === true)
    const plants: Record<string, (key: string) => Promise<unknown>> = {
      text: (key) => redis.set(key, 'many'),
      negative: (key) => redis.set(key, -1_000_000),
      'more than counts': (key) => redis.set(key, '9223372036854775807'),
      fraction: (key) => redis.set(key, '1.5'),
      list: (key) => redis.lpush(key, 'a', 'b'),
      // As long as Redis takes is eight times as much, of which a few fill the memory of any process.
      huge: (key) => redis.setrange(key, 64 * 1024 * 1024, 'x'),
    }
    for (const [name, plant] of Object.entries(plants)) {
      const key = `rate:${name}:read:60`
      await plant(key)
      const before = process.memoryUsage.rss()
      const peeked = await Promise.all(Array.from({ length: 8 }, () => counter.peek(name, 'read', 60)))
      assert.ok(
        peeked.every((count) => Number.isSafeInteger(count) && count >= 0),
        `${name}: ${peeked}`,
      )
      assert.ok(process.memoryUsage.rss() - before < 256 * 1024 * 1024, `${name}: memory`)
      assert.deepEqual([await counter.hit(name, 'read', 60), await counter.hit(name, 'read', 60)], [1, 2], name)
      assert.equal(await redis.get(key), '2', name)
      assert.ok((await redis.ttl(key)) > 0, name)
    }
    assert.deepEqual(log, [])
    assert.ok(!told.includes(false))
  })

  test('the password is in no line of the log', async () => {
    const port = await freePort()
    const server = await startRedis(port)
    ends.push(() => server.end('SIGKILL'))
    const redis = new Redis(port, '127.0.0.1')
    await redis.config('SET', 'requirepass', 'another')
    redis.disconnect()
    const { log } = counterAt(port)
    await waitFor('the refusal', () => log.some((line) => line.includes('WRONGPASS')))
    assert.ok(!log.join('').includes('canary'), log.join(''))
  })
})

test('a Redis that knows no greeting repeats the password, and the log does not', async () => {
  const unknown = `-ERR unknown command hello, with args beginning with: 3 AUTH default ${PASSWORD} \r\n`
  const { port } = await startImpostor(() => {}, unknown)
  const { log, counter } = counterAt(port, 200)
  await waitFor('a failure to be told', () => log.length > 0)
  await counter.hit('k', 'read', 60)
  assert.ok(!log.join('').includes('canary'), log.join(''))
})

test('an answer without end is cut off, and the process counts by itself', { timeout: 60_000 }, async () => {
  const piece = Buffer.alloc(1024 * 1024, 'a')
  const { port, sockets } = await startImpostor((socket) => {
    socket.write('$400000000\r\n')
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    }
    socket.on('drain', more)
    more()
  })
  const { counter, told, log } = counterAt(port)
  await waitFor('the counter to be connected', () => told.at(-1) === true)
  assert.equal(await counter.hit('k', 'read', 60), 1)
  await waitFor('the connection to end', () => [...sockets].some(({ destroyed }) => destroyed))
  assert.match(log.join(''), /the answer is too long/)
  const sent = Math.max(...[...sockets].map(({ bytesWritten }) => bytesWritten))
  assert.ok(sent < 32 * 1024 * 1024, `${sent} bytes were taken`)
})

test('an answer that is no count is none', async () => {
  for (const answer of ['$3\r\nabc\r\n', ':-5\r\n', '*0\r\n', '_\r\n', ',1.5\r\n']) {
    const { port } = await startImpostor((socket) => socket.write(answer))
    const { counter, told } = counterAt(port)
    await waitFor('the counter to be connected', () => told.at(-1) === true)
    assert.deepEqual([await counter.hit('k', 'read', 60), await counter.peek('k', 'read', 60)], [1, 1], answer)
  }
})

test('behind half an answer another connection is made', { timeout: 60_000 }, async () => {
  let isHalf = true
  const { port, sockets } = await startImpostor((socket) => socket.write(isHalf ? '*1000000\r\n' : ':7000\r\n'))
  const { counter, told } = counterAt(port, 200)
  await waitFor('the counter to be connected', () => told.at(-1) === true)
  assert.equal(await counter.hit('k', 'read', 60), 1)
  isHalf = false
  await waitFor('Redis to count again', async () => (await counter.hit('k', 'read', 60)) === 7000, { everyMs: 500 })
  assert.ok(sockets.size > 1)
})
