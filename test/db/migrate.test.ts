import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { dumpSchema } from '../../src/db/dump.ts'
import { MigrationError, migrate } from '../../src/db/migrate.ts'
import { createTestDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/temp.ts'

const MIGRATIONS = path.join(import.meta.dirname, '../../migrations')

function folderWith(files: Record<string, string>): string {
  const folder = temporaryFolder('migrations')
  for (const [name, sql] of Object.entries(files)) writeFileSync(path.join(folder, name), sql)
  return folder
}

test('the migrations make exactly the committed schema', async () => {
  const db = await createTestDatabase()
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

test('a migration that fails leaves nothing behind and can be mended', async () => {
  const db = await createTestDatabase({ migrated: false })
  const folder = folderWith({ '000001.sql': 'create table b (n int); select 1 / 0;' })
  await assert.rejects(migrate(db, { folder }), { code: '22012' })
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
    assert.match(error.message, /000001\.sql was edited/)
    return true
  })
  await db.close()
})

test('a database that is newer than the program is refused', async () => {
  const db = await createTestDatabase({ migrated: false })
  const folder = folderWith({ '000001.sql': 'select 1;', '000002.sql': 'select 2;' })
  await migrate(db, { folder })
  rmSync(path.join(folder, '000002.sql'))
  await assert.rejects(migrate(db, { folder }), /database is at version 2, this program knows 1/)
  await db.close()
})

test('a gap between the files is refused', async () => {
  const db = await createTestDatabase({ migrated: false })
  const folder = folderWith({ '000001.sql': 'select 1;', '000003.sql': 'select 3;' })
  await assert.rejects(migrate(db, { folder }), /Migration 2 is missing/)
  await db.close()
})
