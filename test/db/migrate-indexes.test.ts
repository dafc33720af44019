// engine: postgres
/** A migration that only changes indexes is carried out beside those who write, and is taken up again where it was cut off. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import type { Database } from '../../src/db/database.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'

const TABLE = 'create table coins (n int); insert into coins select generate_series(1, 1000);'
const INDEX = `-- expands
-- indexes
-- What is read by its number.
create index coins_by_number on coins (n);`
const FAST = { attempts: 10_000, pauseMs: 5 }

let made: TestDatabase
let db: Database
let folder: string

before(async () => {
  made = await createTestDatabase({ migrated: false })
  db = await openPostgres({ url: made.url ?? '', poolSize: 4 })
})
after(async () => {
  await db?.close()
  await made?.close()
})
beforeEach(async () => {
  await db.script('drop table if exists coins, schema_migrations')
  folder = folderWith(TABLE)
  await migrate(db, { folder })
})

function folderWith(...migrations: readonly string[]): string {
  const made = temporaryFolder('indexes')
  for (const [index, sql] of migrations.entries()) writeFileSync(path.join(made, `00000${index + 1}.sql`), sql)
  return made
}

async function indexes(): Promise<{ name: string; valid: boolean }[]> {
  return await db.query(
    `select indexrelid::regclass::text as name, indisvalid as valid from pg_index
     where indrelid = 'coins'::regclass order by 1`,
  )
}

/** A transaction that has written to the table and stays open until it is ended. */
async function writing(): Promise<() => Promise<void>> {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const open = db.transaction(async (tx) => {
    await tx.query('insert into coins values (0)')
    begun.resolve()
    await ended.promise
  })
  await begun.promise
  return () => {
    ended.resolve()
    return open
  }
}

const isWaiting = async () => (await indexes()).some(({ valid }) => !valid)

test('an index is built while others write, who do not wait for it although it waits for one of them', async () => {
  const end = await writing()
  const migrating = migrate(db, { folder: folderWith(TABLE, INDEX) })
  await waitFor('the build to wait', isWaiting)
  await db.query('insert into coins values (1001)')
  await end()
  assert.deepEqual(await migrating, { version: 2, applied: 1 })
  assert.deepEqual(await indexes(), [{ name: 'coins_by_number', valid: true }])
  assert.deepEqual(await migrate(db, { folder: folderWith(TABLE, INDEX) }), { version: 2, applied: 0 })
})

test('processes that start together build it once, and those who come while it is built wait their turn', async () => {
  const end = await writing()
  const both = folderWith(TABLE, INDEX)
  const warned: object[] = []
  const logger = { info: () => {}, warn: (fields: object) => void warned.push(fields) }
  const first = migrate(db, { folder: both })
  await waitFor('the build to wait', isWaiting)
  const second = migrate(db, { folder: both, logger, ...FAST })
  await waitFor('the second to wait', () => warned.length > 2)
  await assert.rejects(migrate(db, { folder: both, attempts: 2, pauseMs: 1 }), /000002\.sql did not get its locks in 2/)
  await end()
  const applied = (await Promise.all([first, second])).map((result) => result.applied)
  assert.deepEqual(applied.toSorted(), [0, 1])
  assert.deepEqual(await indexes(), [{ name: 'coins_by_number', valid: true }])
})

test('while it is built, a process of the release that runs can start', async () => {
  const end = await writing()
  const migrating = migrate(db, { folder: folderWith(TABLE, INDEX) })
  await waitFor('the build to wait', isWaiting)
  assert.deepEqual(await migrate(db, { folder }), { version: 1, applied: 0 })
  await end()
  await migrating
})

test('what a build that was cut off with its process has left is built anew', async () => {
  const end = await writing()
  const cutOff = db.script('create index concurrently coins_by_number on coins (n)').catch(() => 'cut off')
  await waitFor('the build to wait', isWaiting)
  await db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query ~ '^create index'`,
  )
  assert.equal(await cutOff, 'cut off')
  await end()
  assert.deepEqual(await indexes(), [{ name: 'coins_by_number', valid: false }])
  const two = folderWith(TABLE, `${INDEX}\ncreate index coins_half on coins (n) where n > 500;`)
  assert.deepEqual(await migrate(db, { folder: two }), { version: 2, applied: 1 })
  assert.deepEqual(await indexes(), [
    { name: 'coins_by_number', valid: true },
    { name: 'coins_half', valid: true },
  ])
})

test('rows that a unique index refuses are told of, nothing of it remains, and it is built once they are mended', async () => {
  const unique = folderWith(
    TABLE,
    `${INDEX}\ncreate unique index coins_once on coins (n);\ndrop index coins_by_number;`,
  )
  await db.query('insert into coins values (7)')
  await assert.rejects(migrate(db, { folder: unique }), {
    name: 'MigrationError',
    message: /^Migration 000002\.sql failed, and what it had done before is kept: could not create unique index/,
  })
  assert.deepEqual(await indexes(), [{ name: 'coins_by_number', valid: true }])
  await db.query('delete from coins where n = 7')
  assert.equal((await migrate(db, { folder: unique })).applied, 1)
  assert.deepEqual(await indexes(), [{ name: 'coins_once', valid: true }])
})

test('one that does anything else, or nothing, is refused by name', async () => {
  for (const sql of [
    'alter table coins add m int;',
    'create index on coins (n);',
    'create index coins_by_number on only coins (n);',
    'create index concurrently coins_by_number on coins (n);',
    '',
  ])
    await assert.rejects(readMigrations(folderWith(TABLE, `-- expands\n-- indexes\n${sql}`)), {
      name: 'MigrationError',
      message: 'Migration 000002.sql says that it only changes indexes, and has another statement, or none.',
    })
})
