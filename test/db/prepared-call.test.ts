// engine: postgres
/** Prepared statements whose answers never come, come late, or come while another one waits on the same connection. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { Reading } from '../../src/db/columns.ts'
import { DatabaseUnavailableError } from '../../src/db/database.ts'
import { createDeadlines } from '../../src/db/deadlines.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { createRunner } from '../../src/db/runner.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { waitFor } from '../support/wait-for.ts'
import { cert, key } from '../webhooks/tls-identity.ts'

let server: PostgresServer

before(async () => {
  server = await startPostgresServer()
})
after(() => server.stop())

const sleep = 'select pg_sleep($1::float), 1 as slept'

test('a statement that is not answered in time is given up, on an idle client and behind another one', async () => {
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => {})
  await client.connect()
  let nowMs = 0
  const deadlines = createDeadlines(100, () => nowMs)
  const reading: Reading = { known: new WeakMap(), decodeOf: () => (text) => text }
  const { run, control } = createRunner({
    nameOf: (text) => (text === sleep ? 's' : undefined),
    reading,
    deadlines,
  })
  for (let n = 0; n < 2; n += 1) assert.equal((await run(client, sleep, [0])).length, 1)
  const calls = [
    run(client, sleep, [1000]),
    run(client, sleep, [0]),
    run(client, 'select 1'),
    control(client, 'begin'),
    control(client, 'commit'),
  ]
  nowMs = 99
  deadlines.tick()
  const early = await Promise.race([...calls, new Promise((resolve) => setImmediate(resolve, 'nobody was given up'))])
  assert.equal(early, 'nobody was given up')
  nowMs = 100
  deadlines.tick()
  for (const call of calls) await assert.rejects(call, /the database did not answer in time/)
  await client.end()
})

test('a pool gives up what is not answered in time, also while it closes, and the next statement has another connection', async () => {
  const db = await openPostgres({ url: server.url, poolSize: 1, statementTimeoutMs: 100, answerGraceMs: 100 })
  const hung = () =>
    db.transaction(async (tx) => {
      await tx.query("select set_config('statement_timeout', '0', true)")
      await tx.query('select pg_sleep(1000)')
    })
  const inTime = { name: 'DatabaseUnavailableError', message: 'the database did not answer in time' }
  await assert.rejects(hung(), inTime)
  assert.deepEqual(await db.query('select 1 as one'), [{ one: 1 }])
  const last = assert.rejects(hung(), inTime)
  await db.close()
  await last
})

test('statements side by side in a transaction each get their own rows, errors included', async () => {
  const db = await openPostgres({ url: server.url, poolSize: 1 })
  const square = 'select $1::int * $1::int as square'
  for (let n = 0; n < 2; n += 1) await db.query(square, [n])
  const rows = await db.transaction((tx) => Promise.all([1, 2, 3].map((n) => tx.query(square, [n]))))
  assert.deepEqual(rows, [[{ square: 1 }], [{ square: 4 }], [{ square: 9 }]])
  const settled = await db
    .transaction((tx) =>
      Promise.allSettled([2, 1_000_000, 3].map((n) => tx.query(square, [n]))).then((all) =>
        all.map(({ status }) => status),
      ),
    )
    .catch((error: { code?: string }) => error.code)
  assert.equal(settled, '25P02')
  assert.deepEqual(await db.query(square, [5]), [{ square: 25 }])
  await db.close()
})

test('a prepared statement whose connection an administrator ends fails, and the next one has another connection', async () => {
  const db = await openPostgres({ url: server.url, poolSize: 1 })
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  for (let n = 0; n < 2; n += 1) await db.query(sleep, [0])
  const failing = assert.rejects(db.query(sleep, [1000]), DatabaseUnavailableError)
  await waitFor('the connection to end', async () => {
    const { rows } = await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where state = 'active' and query = '${sleep}'`,
    )
    return rows.length > 0
  })
  await failing
  await admin.end()
  const [row] = await waitFor('another connection', () => db.query(sleep, [0]))
  assert.equal(row?.slept, 1)
  await db.close()
})

test('closing lets a prepared statement end', async () => {
  const db = await openPostgres({ url: server.url, poolSize: 2 })
  for (let n = 0; n < 2; n += 1) await db.query(sleep, [0])
  const running = db.query(sleep, [0.2])
  await db.close()
  assert.equal((await running)[0]?.slept, 1)
})

test('answers over TLS are the same, however long', async () => {
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  for (const [file, text] of Object.entries({ 'server.crt': cert, 'server.key': key })) {
    const lines = `select regexp_split_to_table('${text.trim()}', E'\\n')`
    await admin.query(`copy (${lines}) to program 'umask 077; cat > ${file}'`)
  }
  await admin.query('alter system set ssl = on')
  await admin.query('select pg_reload_conf()')
  await admin.end()
  const url = `${server.url}?sslmode=no-verify`
  const db = await waitFor('the server to speak TLS', () => openPostgres({ url, poolSize: 1 }).catch(() => undefined))
  const text = `select (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as is_encrypted, repeat($1, 100000) as long
    from generate_series(1, 3)`
  for (let n = 0; n < 3; n += 1) {
    const rows = await db.query(text, ['ü'])
    assert.deepEqual(
      rows,
      Array.from({ length: 3 }, () => ({ is_encrypted: true, long: 'ü'.repeat(100_000) })),
    )
  }
  await db.close()
})
