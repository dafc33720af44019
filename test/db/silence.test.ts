// engine: postgres
/** A PostgreSQL that takes connections and never answers: only the first requests wait for it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Database, DatabaseUnavailableError } from '../../src/db/database.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Freezable, startFreezable } from '../support/freezable.ts'
import { atLeast, waitFor } from '../support/wait-for.ts'

/** Where it is not given up, nothing ends the wait. */
const PATIENT = { timeout: atLeast(60_000) }

let server: TestDatabase
let proxy: Freezable
/** Behind the proxy, so that it can only be closed once that is. */
let db: Database
before(async () => {
  server = await createTestDatabase({ engine: 'postgres' })
  proxy = await startFreezable(Number(new URL(server.url ?? '').port))
})
after(async () => {
  proxy.close()
  await db.close()
  await server.close()
})

test(
  'a hung database is given up, whoever waits for it is told, and it is used again when it answers',
  PATIENT,
  async () => {
    const url = new URL(server.url ?? '')
    url.port = String(proxy.port)
    // No time limit of a statement or of the pool is what ends the wait.
    const limits = { poolSize: 3, acquireTimeoutMs: 600_000, connectTimeoutMs: 600_000, statementTimeoutMs: 600_000 }
    db = await openPostgres({ url: url.href, ...limits })
    await Promise.all(Array.from({ length: 3 }, () => db.query('select 1')))
    proxy.freeze()
    const isToldSo = () =>
      assert.rejects(db.query('select 1'), (error) => {
        assert.ok(error instanceof DatabaseUnavailableError)
        return error.message === 'the database does not answer'
      })
    // Three hold the connections, the others wait for one.
    await Promise.all(Array.from({ length: 10 }, isToldSo))
    const accepted = proxy.connections()
    for (let n = 0; n < 200; n += 1) await isToldSo()
    assert.ok(proxy.connections() - accepted < 10, 'those that come later do not try')

    proxy.thaw()
    await waitFor('an answer', async () => (await db.query('select 1').catch(() => [])).length === 1)
    assert.equal((await Promise.all(Array.from({ length: 20 }, () => db.query('select 1')))).length, 20)
  },
)

test('a database that takes long over every statement is not given up', async () => {
  const direct = await openPostgres({ url: server.url ?? '', poolSize: 2 })
  const slow = Array.from({ length: 4 }, () => direct.query<{ n: number }>('select 1 as n from pg_sleep(3)'))
  assert.deepEqual((await Promise.all(slow)).flat(), Array(4).fill({ n: 1 }))
  await direct.close()
})
