// engine: postgres; both in test:long
/** Two API processes' worth of apps over one database: what an operator withdraws is withdrawn everywhere. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { revokeKey } from '../../src/integrations/api-keys.sql.ts'
import { setIntegrationDpa, suspendIntegration } from '../../src/integrations/integrations.sql.ts'
import { startTestApi, type TestApi } from '../support/api.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

/** The promise, measured from the commit of the withdrawal, by the clock: however slow the machine is, it is kept. */
const WITHIN_MS = 1_000

let db: TestDatabase
let replicas: TestApi[]
before(async () => {
  db = await createTestDatabase()
  replicas = [await startTestApi({ db }), await startTestApi({ db })]
})
after(async () => {
  for (const replica of replicas) await replica.close()
  await db.close()
})

async function refusedEverywhere(key: string, path: string, status: number, withdraw: () => Promise<unknown>) {
  const ask = (replica: TestApi) => replica.get(path, { key })
  for (const replica of replicas) assert.notEqual((await ask(replica)).status, status)
  await withdraw()
  await sleep(WITHIN_MS)
  for (const replica of replicas) assert.equal((await ask(replica)).status, status)
}

test('a revoked key is refused by every replica within a second', async () => {
  const key = (await replicas[0]?.makeKey()) ?? ''
  await refusedEverywhere(key, '/v1/config', 401, () => revokeKey(db, key.split('_')[2] ?? ''))
})

test('so is a key of a suspended integration, and account:read without its agreement', async () => {
  const [first] = replicas
  assert.ok(first)
  const integrationId = await first.makeIntegration()
  await setIntegrationDpa(db, integrationId, '2026-01-01')
  const key = await first.makeKey({ integrationId })
  await refusedEverywhere(key, '/v1/customers/cus_x', 403, () => setIntegrationDpa(db, integrationId, null))
  await refusedEverywhere(key, '/v1/config', 401, () => suspendIntegration(db, integrationId))
})

test('an expired key is refused from the instant of its expiry', async () => {
  let now = Date.parse('2026-03-01T00:00:00Z')
  const api = await startTestApi({ db, clock: () => new Date(now) })
  const key = await api.makeKey({ expiresAt: new Date(now + 10) })
  now += 9
  assert.equal((await api.get('/v1/config', { key })).status, 200)
  now += 1
  assert.equal((await api.get('/v1/config', { key })).status, 401)
  await api.close()
})
