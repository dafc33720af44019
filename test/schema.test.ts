// engine: pglite
/** What the sources say about database roles is what is committed. (test/db/migrate.test.ts compares schema.sql.) */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { readCatalogue } from '../scripts/grants/catalogue.ts'
import { generateGrants } from '../scripts/grants/generate.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

const committed = (name: string) => readFileSync(path.join(import.meta.dirname, '../migrations', name), 'utf8')

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ engine: 'pglite' })
})
after(() => db.close())

test('grants.sql is what the sources say: npm run grants', async () => {
  assert.equal(committed('grants.sql'), generateGrants(await readCatalogue(db)))
})
