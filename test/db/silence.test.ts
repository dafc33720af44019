// engine: postgres
/** A PostgreSQL that takes connections and never answers: the first requests wait for it, the others do not. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { DatabaseUnavailableError } from '../../src/db/database.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'

const ACQUIRE_MS = 500
let server: TestDatabase
let proxy: Awaited<ReturnType<typeof startProxy>>
before(async () => {
  server = await createTestDatabase({ engine: 'postgres' })
  proxy = await startProxy(Number(new URL(server.url ?? '').port))
})
after(async () => {
  proxy.close()
  await server.close()
})

/** Passes bytes on until it is frozen; then it holds them, and new connections, until it thaws. */
async function startProxy(port: number) {
  const sockets = new Set<Socket>()
  let frozen = false
  const listener = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      if (frozen) from.pause()
    }
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    freeze() {
      frozen = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    thaw() {
      frozen = false
      for (const socket of sockets) socket.destroy()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      listener.close()
    },
  }
}

test('a hung database is given up after the first requests, and used again when it answers', async () => {
  const url = new URL(server.url ?? '')
  url.port = String(proxy.port)
  const limits = { poolSize: 3, acquireTimeoutMs: ACQUIRE_MS, connectTimeoutMs: ACQUIRE_MS, statementTimeoutMs: 60_000 }
  const db = await openPostgres({ url: url.href, ...limits })
  await Promise.all(Array.from({ length: 3 }, () => db.query('select 1')))
  proxy.freeze()
  const ask = async () => {
    const began = performance.now()
    await assert.rejects(db.query('select 1'), DatabaseUnavailableError)
    return performance.now() - began
  }
  // Three hold the connections; those behind them wait for one as long as anybody may.
  const hanging = Array.from({ length: 3 }, () => db.query('select 1').catch(() => {}))
  const first = await Promise.all(Array.from({ length: 10 }, ask))
  assert.ok(Math.max(...first) >= ACQUIRE_MS - 50)
  const later = await Promise.all(Array.from({ length: 200 }, ask))
  const waited = later.filter((ms) => ms > ACQUIRE_MS / 2)
  assert.ok(waited.length <= 1, `${waited.length} of 200 waited`)
  proxy.thaw()
  await Promise.all(hanging)
  await waitFor('an answer', async () => (await db.query('select 1').catch(() => [])).length === 1)
  assert.equal((await Promise.all(Array.from({ length: 20 }, () => db.query('select 1')))).length, 20)
  await db.close()
})
