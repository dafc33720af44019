// engine: postgres
/** What was acknowledged survives a crash of PostgreSQL, however the database was configured. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { type Database, DatabaseUnavailableError, DatabaseUnsuitableError } from '../../src/db/database.ts'
import { describeReplication, readDurability, requireDurability } from '../../src/db/durability.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { createOrdersFixture, newReference, type OrdersFixture } from '../support/orders.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { waitFor } from '../support/wait-for.ts'

/** Commits that do not wait for the disk stay in memory for this long, where a crash destroys them. */
const LAZY = { wal_writer_delay: '10s', wal_writer_flush_after: '100MB' }
const POOL_SIZE = 10

describe('a database that was configured not to wait for the disk', () => {
  let server: PostgresServer
  let db: Database
  let orders: OrdersFixture

  before(async () => {
    server = await startPostgresServer(LAZY)
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query('alter database postgres set synchronous_commit = off')
    await client.query('alter role postgres set synchronous_commit = off')
    await client.end()
    db = await openPostgres({ url: server.url, poolSize: POOL_SIZE })
    await migrate(db)
    orders = await createOrdersFixture('postgres', { ...db, url: server.url })
  })
  after(async () => {
    await db.close()
    await server.stop()
  })

  it('waits on every connection of the service', async () => {
    const read = `select pg_backend_pid() as pid, setting, reset_val from pg_settings, pg_sleep(0.05)
      where name = 'synchronous_commit'`
    type Session = { pid: number; setting: string; reset_val: string }
    const sessions = await Promise.all(Array.from({ length: POOL_SIZE }, () => db.query<Session>(read)))
    const [inside] = await db.transaction((tx) => tx.query<Session>(read))
    await db.script(`create table seen as ${read}`)
    const all = [...sessions.flat(), inside, ...(await db.query<Session>('select * from seen'))]
    assert.ok(new Set(all.map((session) => session?.pid)).size > 2)
    for (const session of all) assert.deepEqual([session?.setting, session?.reset_val], ['on', 'on'])
  })

  it('loses no acknowledged order in a crash under load', async () => {
    const acknowledged: string[] = []
    let crashed = false
    const post = async () => {
      while (!crashed) {
        const referenceId = newReference()
        try {
          await orders.call('mint', orders.mintBody({ referenceId, fiatConfirmed: true }))
          acknowledged.push(referenceId)
        } catch {
          return
        }
      }
    }
    const load = Array.from({ length: POOL_SIZE }, post)
    await waitFor('orders to come in', () => acknowledged.length > 100)
    await server.kill()
    crashed = true
    await Promise.all(load)
    await server.restart()
    const stored = await waitFor('the database to be back', () =>
      db
        .query<{ reference_id: string }>('select reference_id from orders')
        .catch((error: unknown) => (error instanceof DatabaseUnavailableError ? undefined : Promise.reject(error))),
    )
    const known = new Set(stored.map(({ reference_id: referenceId }) => referenceId))
    assert.deepEqual(
      acknowledged.filter((referenceId) => !known.has(referenceId)),
      [],
      `of ${acknowledged.length}`,
    )
  })
})

// Runbook: The database is away
describe('a database whose only standby is away', () => {
  it('acknowledges nothing while commits wait for it, and does what waits once they wait for none', async () => {
    const server = await startPostgresServer({}, 'memory')
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query('create table noted (n int)')
    const db = await openPostgres({ url: server.url, statementTimeoutMs: 500, answerGraceMs: 500 })
    after(async () => {
      await db.close()
      await client.end()
      await server.stop()
    })
    const standbys = async (names: string) => {
      await client.query(`alter system set synchronous_standby_names = '${names}'`)
      await client.query('select pg_reload_conf()')
    }
    const note = (n: number) => db.transaction((tx) => tx.query('insert into noted values ($1)', [n]))
    const read = async () => (await db.query<{ n: number }>('select n from noted order by n')).map(({ n }) => n)
    const acknowledged: number[] = []
    await standbys('away')
    let late: unknown
    await waitFor('commits to wait', async () => {
      const n = acknowledged.length
      await note(n).then(
        () => acknowledged.push(n),
        (error: unknown) => {
          late = error
        },
      )
      return late !== undefined || acknowledged.length > 1_000
    })
    assert.ok(late instanceof DatabaseUnavailableError && /did not answer in time/.test(late.message), String(late))
    await assert.rejects(db.query('insert into noted values (2000)'), DatabaseUnavailableError)
    assert.deepEqual(await read(), acknowledged)
    const waiting = await client.query(`select from pg_stat_activity where wait_event = 'SyncRep'`)
    assert.equal(waiting.rows.length, 2)
    await standbys('')
    await waitFor('what waited', async () => (await read()).length === acknowledged.length + 2)
    await note(3_000)
  })
})

describe('what live asks of the server', () => {
  const safe = { fsync: true, fullPageWrites: true, synchronousStandbys: '' }

  it('is read from it', async () => {
    const server = await startPostgresServer({ fsync: 'off', synchronous_standby_names: 'FIRST 1 (a, b)' })
    const db = await openPostgres({ url: server.url })
    after(async () => {
      await db.close()
      await server.stop()
    })
    assert.deepEqual(await readDurability(db), {
      fsync: false,
      fullPageWrites: true,
      synchronousStandbys: 'FIRST 1 (a, b)',
    })
  })

  it('refuses, by name, settings with which a crash could lose or corrupt data', () => {
    requireDurability(safe)
    for (const [off, says] of [
      [{ fsync: false }, /with fsync off: .* Switch it on\.$/],
      [{ fullPageWrites: false }, /with full_page_writes off: .* Switch it on\.$/],
      [{ fsync: false, fullPageWrites: false }, /with fsync and full_page_writes off: .* Switch them on\.$/],
    ] as const) {
      assert.throws(
        () => requireDurability({ ...safe, ...off }),
        (error) => error instanceof DatabaseUnsuitableError && says.test(error.message),
      )
    }
  })

  it('says whether a standby has what was acknowledged', () => {
    assert.match(describeReplication(safe), /^replication is asynchronous/)
    assert.match(describeReplication({ ...safe, synchronousStandbys: '*' }), /^replication is synchronous/)
  })
})
