// engine: pglite
/** Somebody starts a newer checkout on the sandbox of an older one, whose schema was another. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { pino } from 'pino'
import { MigrationError } from '../../src/db/migrate.ts'
import { prepareDatabase } from '../../src/roles/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

const logger = pino({ level: 'silent' })
const metrics = { dropped() {}, monthsAhead() {}, strays() {} }
const settings = { environment: 'sandbox', booksTimezone: 'Asia/Kuala_Lumpur' } as const

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

it('is told how to begin afresh, and of a database on a server nothing of the kind', async () => {
  await db.query(`update schema_migrations set checksum = 'another'`)
  const refusal = async (kind: TestDatabase['kind']) => {
    const error: unknown = await prepareDatabase({ ...db, kind }, settings, { logger, metrics }).catch((it) => it)
    assert.ok(error instanceof MigrationError, String(error))
    return error.message
  }
  assert.match(await refusal('pglite'), /`npm run sandbox:reset`.*was edited after it was applied/)
  assert.doesNotMatch(await refusal('postgres'), /reset/)
})
