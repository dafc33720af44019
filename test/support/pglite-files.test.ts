// engine: pglite
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { dumpSchema } from '../../src/db/dump.ts'
import { createTestDatabase } from './database.ts'
import { packFolder, unpacked } from './pglite-files.ts'
import { temporaryFolder } from './temp.ts'

test('a folder is kept with its empty folders and files', () => {
  const folder = temporaryFolder()
  mkdirSync(path.join(folder, 'a/empty'), { recursive: true })
  writeFileSync(path.join(folder, 'a/one'), 'first')
  writeFileSync(path.join(folder, 'a/zero'), '')
  writeFileSync(path.join(folder, 'b'), 'second')
  const { entries, bytes } = unpacked(packFolder(folder))
  assert.deepEqual(entries, [
    { path: 'a' },
    { path: 'a/empty' },
    { path: 'a/one', size: 5 },
    { path: 'a/zero', size: 0 },
    { path: 'b', size: 6 },
  ])
  assert.equal(Buffer.from(bytes).toString(), 'firstsecond')
})

test('a database that is opened from the kept one has what the migrations make, is whole, and was closed', async () => {
  const db = await createTestDatabase()
  // First of all: to read the whole catalogue writes to the log, too.
  const [closed] = await db.query<{ same: boolean }>(
    'select checkpoint_lsn = redo_lsn and pg_walfile_name(checkpoint_lsn) = pg_walfile_name(pg_current_wal_lsn()) as same from pg_control_checkpoint()',
  )
  assert.deepEqual(closed, { same: true })
  assert.equal(
    await dumpSchema(db),
    readFileSync(path.join(import.meta.dirname, '../../migrations/schema.sql'), 'utf8'),
  )
  // Every page of every table and index is read.
  for (const statement of ['analyze', 'reindex database', 'vacuum (full, freeze)']) await db.script(statement)
  await db.close()
})

test('what is written to one database is not in another, and its log goes on over many files', async () => {
  const one = await createTestDatabase()
  await one.script(
    'create table filled as select n, repeat(md5(n::text), 20) as filler from generate_series(1, 20000) n',
  )
  await one.script('checkpoint; update filled set n = n + 1; checkpoint')
  const [after] = await one.query<{ files: number }>('select count(*)::int as files from pg_ls_waldir()')
  assert.ok(Number(after?.files) > 2, `${after?.files} files`)
  assert.deepEqual(await one.query('select count(*)::int as rows, min(n) as least from filled'), [
    { rows: 20000, least: 2 },
  ])
  const other = await createTestDatabase()
  assert.deepEqual(await other.query(`select to_regclass('filled') as found`), [{ found: null }])
  await one.close()
  await other.close()
})
