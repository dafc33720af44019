// engine: both
/** Whoever has the machine can switch four eyes off for a while: that stays in the audit log. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { pino } from 'pino'
import { recordWithoutFourEyes } from '../../src/operator/without-four-eyes.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

it('each live start without four eyes leaves a line, and nothing else does', async () => {
  const log: string[] = []
  const logger = pino({}, { write: (line: string) => void log.push(line) })
  const start = (environment: 'live' | 'sandbox', fourEyes: boolean) =>
    recordWithoutFourEyes({ db, logger, config: { environment, fourEyes } }, 'root@host')
  await start('live', true)
  await start('sandbox', false)
  assert.equal(log.length, 0)
  await start('live', false)
  const lines = await db.query('select actor, origin, action from audit_log')
  assert.deepEqual(lines, [{ actor: 'service', origin: 'root@host', action: 'service.without-four-eyes' }])
  assert.equal(log.length, 1)
})
