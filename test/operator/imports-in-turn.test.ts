// engine: postgres
/** Whoever has bank files taken in leaves connections to whoever stops something, as the roles wire it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { startOperator } from '../../src/roles/operator.ts'
import type { Closers, Parts } from '../../src/roles/parts.ts'
import { lockRecording } from '../../src/statements/store.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { SILENT } from '../support/bank-setup.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { SETUP, someBank } from '../support/statements.ts'
import { PATIENCE_MS, waitFor } from '../support/wait-for.ts'
import { TOKEN } from './fixture.ts'
import { someAddress } from './world.ts'

/** The least that may be configured. */
const POOL_SIZE = 2
const IMPORTS = 4

let db: TestDatabase
/** Of another process. */
let other: Database
let url: string
const closers: Closers = []
before(async () => {
  db = await createTestDatabase({ poolSize: POOL_SIZE, statementTimeoutMs: PATIENCE_MS })
  other = await openPostgres({ url: db.url ?? '', logger: SILENT, statementTimeoutMs: PATIENCE_MS })
  closers.push(db.close, other.close)
  const settings = { COIN_ENVIRONMENT: 'sandbox', DATABASE_POOL_SIZE: String(POOL_SIZE) }
  const parts = {
    config: { ...loadConfig(settings), operatorPort: 0 },
    db,
    chains: [],
    lost: { isLost: () => false },
    defaultChainId: 31_337,
    logger: SILENT,
    metrics: createMetrics(),
    stopping: new AbortController().signal,
    secrets: TEST_SECRETS,
    bank: { setup: SETUP },
  } as unknown as Parts
  const running = { settlerRunning: () => true, isAnswering: () => true }
  ;({ url } = await startOperator(parts, { token: TOKEN, ...running }, closers))
})
after(async () => {
  for (const close of closers.reverse()) await close()
})

async function post(path: string, body: unknown): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/operator/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  await response.body?.cancel()
  return response.status
}

test('of two connections one is left while bank files wait for another process that takes one in: addresses are denied', async () => {
  const bank = someBank()
  const days = Array.from({ length: IMPORTS }, () => Buffer.from(bank.closeDay()).toString('base64'))
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holding = other.transaction(async (tx) => {
    await lockRecording(tx)
    held.resolve()
    await released
  })
  await held.promise
  const imports = days.map((content, day) => post('/bank/import', { name: `${day}.xml`, content }))
  try {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await waitFor('a file to wait', async () => (await other.query(waiting)).length > 0)
    for (let denial = 0; denial < 5; denial += 1)
      assert.equal(await post('/screening/deny', { address: someAddress(), reason: 'a test' }), 200)
  } finally {
    release()
    await holding
  }
  assert.deepEqual(await Promise.all(imports), Array(IMPORTS).fill(200))
})
