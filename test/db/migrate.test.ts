import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { dumpSchema } from '../../src/db/dump.ts'
import { MigrationError, migrate } from '../../src/db/migrate.ts'
import { createTestDatabase } from '../support/database.ts'
import { testConnections } from '../support/needs-connections.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'

const MIGRATIONS = path.join(import.meta.dirname, '../../migrations')

function folderWith(files: Record<string, string>): string {
  const folder = temporaryFolder('migrations')
  for (const [name, sql] of Object.entries(files)) writeFileSync(path.join(folder, name), sql)
  return folder
}

test('the migrations make exactly the committed schema', async () => {
  // The prepared database of PostgreSQL has grants besides, which are given by the command and not by a migration.
  const db = await createTestDatabase({ migrated: false })
  await migrate(db)
  assert.equal(await dumpSchema(db), readFileSync(path.join(MIGRATIONS, 'schema.sql'), 'utf8'))
  await db.close()
})

test('migrating twice changes nothing', async () => {
  const db = await createTestDatabase()
  const { version, applied } = await migrate(db)
  assert.deepEqual(
    { version, applied },
    { version: readdirSync(MIGRATIONS).filter((n) => /^\d/.test(n)).length, applied: 0 },
  )
  await db.close()
})

test('processes that start together apply every migration once', async () => {
  const db = await createTestDatabase({ migrated: false })
  const folder = folderWith({
    '000001.sql': 'create table a (n int); insert into a values (1);',
    '000002.sql': 'insert into a values (2);',
    '000003.sql': 'insert into a values (3);',
  })
  const results = await Promise.all(Array.from({ length: 4 }, () => migrate(db, { folder })))
  assert.deepEqual(
    results.map(({ version }) => version),
    [3, 3, 3, 3],
  )
  assert.equal(
    results.reduce((sum, { applied }) => sum + applied, 0),
    3,
  )
  assert.deepEqual(await db.query('select n from a order by n'), [{ n: 1 }, { n: 2 }, { n: 3 }])
  await db.close()
})

test('a migration that fails is named, leaves nothing behind and can be mended', async () => {
  const db = await createTestDatabase({ migrated: false })
  const folder = folderWith({ '000001.sql': 'create table b (n int); select 1 / 0;' })
  await assert.rejects(migrate(db, { folder }), {
    name: 'MigrationError',
    message: 'Migration 000001.sql failed, and nothing of it remains: division by zero.',
  })
  writeFileSync(path.join(folder, '000001.sql'), 'create table b (n int);')
  assert.equal((await migrate(db, { folder })).applied, 1)
  await db.close()
})

test('an applied migration that was edited is refused by name', async () => {
  const db = await createTestDatabase()
  const folder = temporaryFolder('migrations')
  for (const name of readdirSync(MIGRATIONS)) copyFileSync(path.join(MIGRATIONS, name), path.join(folder, name))
  appendFileSync(path.join(folder, '000001.sql'), '\n-- edited')
  await assert.rejects(migrate(db, { folder }), (error) => {
    assert.ok(error instanceof MigrationError)
    assert.match(error.message, /000001\.sql was edited .* another version of this program made it, and only that one/)
    return true
  })
  await db.close()
})

/** A database that two releases have migrated, and the folder of the first of them. */
async function migratedByNext(second: string) {
  const db = await createTestDatabase({ migrated: false })
  const first = 'create table orders_of_old (n int primary key);'
  await migrate(db, { folder: folderWith({ '000001.sql': first, '000002.sql': second }) })
  return { db, folder: folderWith({ '000001.sql': first }) }
}

test('a release starts and works on the schema of the next one, so that starting the old one rolls a bad release back', async () => {
  const { db, folder } = await migratedByNext('-- expands\nalter table orders_of_old add note text;')
  assert.deepEqual(await migrate(db, { folder }), { version: 2, applied: 0 })
  await db.query('insert into orders_of_old (n) values (1)')
  const again = folderWith({
    '000001.sql': 'create table orders_of_old (n int primary key);',
    '000002.sql': '-- expands\nalter table orders_of_old add note text;',
    '000003.sql': 'alter table orders_of_old alter note set default $$new$$;',
  })
  assert.deepEqual(await migrate(db, { folder: again }), { version: 3, applied: 1 })
  await assert.rejects(migrate(db, { folder }), /at version 3, this program knows 1 and cannot run after 000003\.sql/)
  await db.close()
})

test('a database that is newer than the program is refused, unless the newer migrations were made for both', async () => {
  for (const second of [
    'drop table orders_of_old;',
    '-- expanding\nselect 1;',
    'select 1; -- expands',
    ' -- expands',
  ]) {
    const { db, folder } = await migratedByNext(second)
    await assert.rejects(migrate(db, { folder }), (error) => {
      assert.ok(error instanceof MigrationError)
      assert.match(error.message, /at version 2, this program knows 1 and cannot run after 000002\.sql\. Run the newer/)
      return true
    })
    await db.close()
  }
})

testConnections('a migration waits briefly for a lock, again and again, and holds nobody up for longer', async () => {
  const db = await createTestDatabase({ migrated: false })
  await db.script('create table busy (n int)')
  const folder = folderWith({ '000001.sql': 'create table early (n int); alter table busy add m int;' })
  const warned: object[] = []
  const logger = { info: () => {}, warn: (fields: object) => void warned.push(fields) }
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const holder = db.transaction(async (tx) => {
    await tx.query('select * from busy')
    begun.resolve()
    await held.promise
  })
  await begun.promise
  const impatient = migrate(db, { folder, logger, lockTimeoutMs: 20, attempts: 2, pauseMs: 1 })
  await assert.rejects(impatient, (error) => {
    assert.ok(error instanceof MigrationError)
    assert.match(error.message, /000001\.sql did not get its locks in 2 attempts/)
    return true
  })
  assert.deepEqual(warned, [{ migration: '000001.sql', attempt: 1 }])
  assert.deepEqual(await db.query('select version from schema_migrations'), [])

  const patient = migrate(db, { folder, logger, lockTimeoutMs: 20, attempts: 1_000, pauseMs: 5 })
  await waitFor('the migration to wait', () => warned.length > 3)
  assert.deepEqual(await db.query('select count(*)::int as count from busy'), [{ count: 0 }])
  held.resolve()
  await holder
  assert.deepEqual(await patient, { version: 1, applied: 1 })
  assert.deepEqual(await db.query('select n, m from busy'), [])
  await db.close()
})

test('a gap between the files is refused', async () => {
  const db = await createTestDatabase({ migrated: false })
  const folder = folderWith({ '000001.sql': 'select 1;', '000003.sql': 'select 3;' })
  await assert.rejects(migrate(db, { folder }), /Migration 2 is missing/)
  await db.close()
})

test('a migration that only changes indexes makes them on either engine', async () => {
  const db = await createTestDatabase({ migrated: false })
  const folder = folderWith({
    '000001.sql': 'create table found (n int, m int); create index found_by_n on found (n);',
    '000002.sql': '-- expands\n-- indexes\ncreate index found_by_m on found (m);\ndrop index found_by_n;',
  })
  assert.deepEqual(await migrate(db, { folder }), { version: 2, applied: 2 })
  assert.deepEqual(await db.query(`select indexname from pg_indexes where tablename = 'found'`), [
    { indexname: 'found_by_m' },
  ])
  await db.close()
})
