// engine: postgres
/** A migration on whose schema the release before it cannot run waits until no process of that release is connected. */
import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { Database } from '../../src/db/database.ts'
import { MigrationError, migrate } from '../../src/db/migrate.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createLogins, type Logins } from '../support/logins.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'

const MIGRATIONS = path.join(import.meta.dirname, '../../migrations')

let db: TestDatabase
let logins: Logins
let owner: Database
let api: pg.Client

before(async () => {
  db = await createTestDatabase({ migrated: false })
  logins = await createLogins(db.url ?? '', ['api'])
  owner = await openPostgres({ url: logins.ownerUrl, poolSize: 1 })
  api = new pg.Client({ connectionString: logins.urlOf('api') })
  await api.connect()
})
after(async () => {
  await api?.end()
  await owner?.close()
  await db?.close()
  await logins?.drop()
})

/** The migrations of a next release. */
function nextRelease(...more: readonly string[]): string {
  const folder = temporaryFolder('next')
  const names = readdirSync(MIGRATIONS).filter((name) => /^\d/.test(name))
  for (const name of names) copyFileSync(path.join(MIGRATIONS, name), path.join(folder, name))
  for (const [index, sql] of more.entries())
    writeFileSync(path.join(folder, `${String(names.length + index + 1).padStart(6, '0')}.sql`), sql)
  return folder
}

test('while a process is connected, what it can run on is applied, and what it cannot is not', async () => {
  const expands = '-- expands\ncreate table of_next (n int);'
  assert.equal((await migrate(owner, { folder: nextRelease(expands) })).applied, 1)
  const folder = nextRelease(expands, 'drop table of_next;')
  const warned: object[] = []
  const logger = { info: () => {}, warn: (fields: object) => void warned.push(fields) }
  const user = new URL(logins.urlOf('api')).username
  await assert.rejects(migrate(owner, { folder, logger, attempts: 2, pauseMs: 1 }), (error) => {
    assert.ok(error instanceof MigrationError)
    assert.match(
      error.message,
      new RegExp(`cannot run after \\d+\\.sql, and ${user} is connected\\. Stop all processes`),
    )
    return true
  })
  assert.equal(warned.length, 1)
  assert.deepEqual(await owner.query('select n from of_next'), [])

  const patient = migrate(owner, { folder, logger, attempts: 10_000, pauseMs: 5 })
  await waitFor('the migration to wait', () => warned.length > 2)
  await api.end()
  assert.equal((await patient).applied, 1)
})
