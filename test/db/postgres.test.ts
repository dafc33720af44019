// engine: postgres
/** A PostgreSQL server that misbehaves: it is slow, full, killed, or gone. */
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { type Database, DatabaseUnavailableError, type Queryable, violatedConstraint } from '../../src/db/database.ts'
import { sqlState } from '../../src/db/failures.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { freePort } from '../support/ports.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'

let server: PostgresServer
const open: Database[] = []

before(async () => {
  server = await startPostgresServer()
})
after(async () => {
  await Promise.all(open.map((db) => db.close()))
  await server.stop()
})

async function connect(settings: Partial<Parameters<typeof openPostgres>[0]> = {}): Promise<Database> {
  const db = await openPostgres({ url: server.url, ...settings })
  open.push(db)
  return db
}

async function refusal(work: Promise<unknown>): Promise<Error> {
  return await work.then(
    () => assert.fail('it should have been refused'),
    (error: Error) => error,
  )
}

test('the server keeps what it acknowledged', async () => {
  const db = await connect()
  assert.deepEqual(await db.query(`select current_setting('fsync') as f, current_setting('synchronous_commit') as s`), [
    { f: 'on', s: 'on' },
  ])
})

test('sessions are named and limited', async () => {
  const db = await connect()
  const [row] = await db.query(`select current_setting('application_name') as name,
    current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle`)
  assert.deepEqual(row, { name: 'stablecoin-partner-api', statement: '10s', idle: '30s' })
})

test('a row that somebody else has changed meanwhile fails no transaction, however the database isolates those of others', async () => {
  const before = await connect()
  await before.script(`create table counted (n int); insert into counted values (0);
    alter role postgres set default_transaction_isolation = 'serializable'`)
  try {
    const db = await connect()
    const count = (by: Queryable) => by.query('update counted set n = n + 1 returning n')
    const counted = await db.transaction(async (tx) => {
      await tx.query('select n from counted')
      await count(db)
      return await count(tx)
    })
    assert.deepEqual(counted, [{ n: 2 }])
  } finally {
    await before.script('alter role postgres reset default_transaction_isolation')
  }
})

test('statements and values mean the same whatever the database or the role has set, and nothing waits or goes by their limits', async () => {
  const before = await connect()
  const others = {
    search_path: 'pg_temp',
    standard_conforming_strings: 'off',
    array_nulls: 'off',
    bytea_output: 'escape',
    extra_float_digits: '-15',
    lock_timeout: '1ms',
    idle_session_timeout: '1s',
  }
  const names = Object.keys(others)
  await before.script(`create table found_by_name (n int); insert into found_by_name values (1);
    ${Object.entries(others)
      .map(([name, value]) => `alter role postgres set ${name} = '${value}';`)
      .join(' ')}`)
  try {
    const db = await connect()
    const [row] = await db.query(
      `select n, $1::text[] as list, ($1::text[])[1] is null as "isNull", '\\x00ff5c'::bytea as bytes, 1234.5678::float8 as float, 'a\\b' as text,
         current_setting('lock_timeout') as lock, current_setting('idle_session_timeout') as idle from found_by_name`,
      [[null, 'NULL']],
    )
    assert.deepEqual(row, {
      n: 1,
      list: [null, 'NULL'],
      isNull: true,
      bytes: Buffer.from([0, 255, 92]),
      float: 1234.5678,
      text: 'a\\b',
      lock: '0',
      idle: '0',
    })
  } finally {
    await before.script(names.map((name) => `alter role postgres reset ${name};`).join(' '))
  }
})

test('a script has no time limit, whatever statements have by the database or the role', async () => {
  const before = await connect()
  await before.script(`alter role postgres set statement_timeout = '100ms'`)
  try {
    const db = await connect()
    await db.script('select pg_sleep(0.3)')
  } finally {
    await before.script('alter role postgres reset statement_timeout')
  }
})

test('a slow statement is cancelled, alone or in a transaction, and its connection stays usable', async () => {
  const db = await connect({ poolSize: 1, statementTimeoutMs: 100 })
  const [before] = await db.query('select pg_backend_pid() as pid')
  assert.ok((await refusal(db.query('select pg_sleep(30)'))) instanceof DatabaseUnavailableError)
  const inside = db.transaction((tx) => tx.query('select pg_sleep(30)'))
  assert.ok((await refusal(inside)) instanceof DatabaseUnavailableError)
  assert.deepEqual(await db.query('select pg_backend_pid() as pid'), [before])
})

test('what was prepared before a migration changed its columns is done all the same, by another connection, on all of the pool', async () => {
  const warned: string[] = []
  const logger = { warn: (_: object, text: string) => warned.push(text), info() {}, error() {} }
  const db = await connect({ poolSize: 5, logger: logger as never })
  await db.query('create table of_before (id int primary key, note text)')
  const [text, move] = ['select * from of_before', 'insert into of_before (id) values ($1) returning *'] as const
  const onAll = (work: (id: number) => Promise<unknown>) => Promise.all([1, 2, 3, 4, 5].map(work))
  const held = (id: number) =>
    db.transaction(async (tx) => {
      await tx.query(text)
      await tx.query(move, [id])
      await tx.query('select pg_sleep(0.2)')
    })
  await onAll(held)
  await db.query('alter table of_before add next_flag boolean not null default false')
  // Nobody waits meanwhile: one after the other meets every connection.
  assert.equal((await db.query(text)).length, 5)
  await onAll((id) => held(id + 5))
  assert.deepEqual(
    await db.query('select count(*)::int as rows, count(*) filter (where next_flag)::int as set from of_before'),
    [{ rows: 10, set: 0 }],
  )
  assert.deepEqual(warned, [])
})

test('a certificate that is away while connections are made anew ends nothing', async () => {
  const ca = path.join(temporaryFolder('certificates'), 'ca.crt')
  writeFileSync(ca, '')
  // The file is read whatever the mode is.
  const db = await connect({ url: `${server.url}?sslmode=disable&sslrootcert=${ca}`, poolSize: 2 })
  const other = await connect({ poolSize: 1 })
  const heard: string[] = []
  const ended: string[] = []
  await db.listen('of_certificates', (word) => heard.push(word))
  const note = (error: Error) => ended.push(error.message)
  process.on('uncaughtException', note)
  rmSync(ca)
  const seen: Promise<unknown>[] = []
  for (let n = 0; n < 3; n += 1) {
    for (let each = 0; each < 12; each += 1) seen.push(db.query('select pg_sleep(0.05)').catch(String))
    await other.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'stablecoin-partner-api' and pid <> pg_backend_pid()`)
    await Promise.all(seen)
  }
  assert.deepEqual(await db.query('select 1 as one'), [{ one: 1 }])
  await waitFor('its notifications', async () => {
    await other.query(`select pg_notify('of_certificates', 'again')`)
    return heard.includes('again')
  })
  process.off('uncaughtException', note)
  assert.deepEqual(ended, [])
})

test('a script has no time limit', async () => {
  const db = await connect({ statementTimeoutMs: 50 })
  await db.script('select pg_sleep(0.2)')
})

test('waiting for a connection is bounded', async () => {
  const db = await connect({ poolSize: 1, acquireTimeoutMs: 500 })
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const transaction = db.transaction(async () => {
    begun.resolve()
    await held.promise
  })
  await begun.promise
  assert.ok((await refusal(db.query('select 1'))) instanceof DatabaseUnavailableError)
  held.resolve()
  await transaction
  assert.deepEqual(await db.query('select 1 as one'), [{ one: 1 }])
})

test('a transaction that loses a deadlock runs again', async () => {
  const db = await connect()
  await db.script('create table pair (id int primary key, n int); insert into pair values (1, 0), (2, 0)')
  let runs = 0
  let holding = 0
  const bothHold = Promise.withResolvers<void>()
  const add = (first: number, second: number) =>
    db.transaction(async (tx) => {
      runs += 1
      await tx.query('update pair set n = n + 1 where id = $1', [first])
      holding += 1
      if (holding === 2) bothHold.resolve()
      await bothHold.promise
      await tx.query('update pair set n = n + 1 where id = $1', [second])
    })
  await Promise.all([add(1, 2), add(2, 1)])
  assert.ok(runs >= 3, `${runs} runs`)
  assert.deepEqual(await db.query('select n from pair order by id'), [{ n: 2 }, { n: 2 }])
})

test('a conflict that never ends is given up after three runs', async () => {
  const db = await connect()
  let runs = 0
  const work = db.transaction(async (tx) => {
    runs += 1
    await tx.query(`do $$ begin raise exception 'lost' using errcode = '40001'; end $$`)
  })
  assert.ok((await refusal(work)) instanceof DatabaseUnavailableError)
  assert.equal(runs, 3)
})

test('prepared statements survive a change of the table they read', async () => {
  const db = await connect({ poolSize: 1 })
  await db.script('create table changing (a int); insert into changing values (1)')
  for (let n = 0; n < 3; n += 1) await db.query('select * from changing')
  await db.script('alter table changing add b int')
  assert.deepEqual(await db.query('select * from changing'), [{ a: 1, b: null }])
})

test('a connection that has lost its prepared statements is not used again', async () => {
  const db = await connect({ poolSize: 1 })
  const select = () => db.query('select pg_backend_pid() as pid')
  const [before] = await select()
  assert.deepEqual(await select(), [before])
  await db.query('deallocate all')
  const [after] = await select()
  assert.notDeepEqual(after, before)
  assert.deepEqual(await select(), [after])
})

test('a statement whose preparation is lost each time is given up in the end', async () => {
  const db = await connect({ poolSize: 1 })
  let runs = 0
  const work = db.transaction(async (tx) => {
    runs += 1
    await tx.query(`do $$ begin raise exception 'gone' using errcode = '26000'; end $$`)
  })
  assert.ok((await refusal(work)) instanceof DatabaseUnavailableError)
  assert.equal(runs, 20)
})

test('a statement that is executed again has its own values, rows and errors each time', async () => {
  const db = await connect({ poolSize: 1 })
  await db.script('create table again (word text primary key, at timestamptz, big bigint)')
  const insert = 'insert into again values ($1, $2, $3::bigint)'
  const at = new Date('2026-02-03T04:05:06.789Z')
  const rows = [
    { word: 'first', at, big: 1n },
    { word: '', at: null, big: null },
    { word: 'größer ☂ \\ "', at, big: 2n ** 62n },
    { word: 'x'.repeat(100_000), at: null, big: -1n },
  ]
  for (const { word, at: time, big } of rows) assert.deepEqual(await db.query(insert, [word, time, big]), [])
  assert.equal(violatedConstraint(await refusal(db.query(insert, ['first', null, null]))), 'again_pkey')
  const find = 'select word, at, big, null::int2[] as none from again where word = $1'
  for (const row of [...rows, ...rows]) assert.deepEqual(await db.query(find, [row.word]), [{ ...row, none: null }])
  assert.deepEqual(await db.query(find, ['nobody']), [])
  assert.deepEqual(await db.query(find, ['first']), [{ ...rows[0], none: null }])
  const divide = 'select 6 / $1::int as quotient'
  const quotients: unknown[] = []
  for (const by of [1, 2, 0, 3]) {
    quotients.push(await db.query(divide, [by]).catch((error: Error & { code?: string }) => error.code))
  }
  assert.deepEqual(quotients, [[{ quotient: 6 }], [{ quotient: 3 }], '22012', [{ quotient: 2 }]])
  assert.deepEqual(await db.query(divide, [6]), [{ quotient: 1 }])
})

test('a statement that fails when it is first prepared can be prepared later', async () => {
  const db = await connect({ poolSize: 1 })
  const text = 'select a from to_come'
  for (let n = 0; n < 3; n += 1) assert.equal(sqlState(await refusal(db.query(text))), '42P01')
  await db.script('create table to_come (a int); insert into to_come values (7)')
  for (let n = 0; n < 3; n += 1) assert.deepEqual(await db.query(text), [{ a: 7 }])
})

test('a constraint that is checked at the commit is named', async () => {
  const db = await connect()
  await db.script('create table late (n int constraint late_once unique deferrable initially deferred)')
  const work = db.transaction((tx) => tx.query('insert into late values (1), (1)'))
  const error = (await refusal(work)) as Error & { constraint?: string; detail?: string }
  assert.equal(error.constraint, 'late_once')
  assert.equal(error.detail, undefined)
})

test('neither a wrong password nor a missing server reveals the password', async () => {
  const wrong = server.url.replace(/:[^:@/]+@/, ':hunter2-secret@')
  const gone = `postgres://me:hunter2-secret@127.0.0.1:${await freePort()}/x`
  for (const url of [wrong, gone]) {
    const error = await refusal(openPostgres({ url }))
    assert.ok(error instanceof DatabaseUnavailableError)
    assert.doesNotMatch(`${error.message}${error.stack}${JSON.stringify(error)}`, /hunter2/)
  }
  const broken = await refusal(openPostgres({ url: 'postgres://me:hunter2-secret@[/x' }))
  assert.ok(broken instanceof TypeError)
  assert.doesNotMatch(`${broken.message}${broken.stack}`, /hunter2/)
})

test('a crash of the server is reported as unavailable everywhere and is over when it is back', async () => {
  const db = await connect()
  await db.script('create table survivors (n int primary key)')
  const heard: string[] = []
  await db.listen('signals', (payload) => heard.push(payload))
  await db.query('insert into survivors values (1)')
  const begun = Promise.withResolvers<void>()
  const killed = Promise.withResolvers<void>()
  const inside = db.transaction(async (tx) => {
    await tx.query('insert into survivors values (2)')
    begun.resolve()
    await killed.promise
    await tx.query('insert into survivors values (3)')
  })
  const running = refusal(db.query('select pg_sleep(30)'))
  await begun.promise
  await server.kill()
  killed.resolve()
  for (const error of [await refusal(inside), await running, await refusal(db.query('select 1'))]) {
    assert.ok(error instanceof DatabaseUnavailableError, String(error))
  }
  await server.restart()
  const rows = await waitFor('the database to be back', () => db.query('select n from survivors'))
  assert.deepEqual(rows, [{ n: 1 }])
  await waitFor('notifications to be back', async () => {
    await db.query(`select pg_notify('signals', 'again')`)
    return heard.includes('again')
  })
})

test('a connection that an administrator ends is replaced', async () => {
  const db = await connect({ poolSize: 1 })
  const [mine] = await db.query<{ pid: number }>('select pg_backend_pid() as pid')
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  await admin.query('select pg_terminate_backend($1)', [mine?.pid])
  await admin.end()
  const [next] = await waitFor('another connection', () => db.query<{ pid: number }>('select pg_backend_pid() as pid'))
  assert.notEqual(next?.pid, mine?.pid)
})
