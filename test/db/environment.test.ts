import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Database } from '../../src/db/database.ts'
import { claimEnvironment, requireEnvironment } from '../../src/db/environment.sql.ts'
import { createTestDatabase } from '../support/database.ts'

const databases: Database[] = []
async function newDatabase(): Promise<Database> {
  const db = await createTestDatabase()
  databases.push(db)
  return db
}
let sandbox: Database
let live: Database
before(async () => {
  sandbox = await newDatabase()
  live = await newDatabase()
})
after(() => Promise.all(databases.map((db) => db.close())))

it('a database belongs to the environment that first used it, for ever', async () => {
  await claimEnvironment(sandbox, 'sandbox')
  await claimEnvironment(live, 'live')
  await assert.rejects(claimEnvironment(sandbox, 'live'), {
    name: 'DatabaseUnsuitableError',
    message: 'This database belongs to a sandbox, and COIN_ENVIRONMENT=live: name another one with DATABASE_URL.',
  })
  await assert.rejects(claimEnvironment(live, 'sandbox'), {
    name: 'DatabaseUnsuitableError',
    message:
      'This database belongs to a live service, and COIN_ENVIRONMENT=sandbox: name another one with DATABASE_URL or DATA_DIR.',
  })
  await claimEnvironment(sandbox, 'sandbox')
  await claimEnvironment(live, 'live')
})

it('of two services that start together on a new one, one decides', async () => {
  const db = await newDatabase()
  await assert.rejects(requireEnvironment(db, 'sandbox'), /belongs to no environment yet: run `npm run migrate`/)
  const started = await Promise.allSettled([claimEnvironment(db, 'live'), claimEnvironment(db, 'sandbox')])
  assert.deepEqual(started.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})
