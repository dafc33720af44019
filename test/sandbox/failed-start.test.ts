// engine: pglite
/** A signal that comes while a start that failed closes what it had opened. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { loadConfig } from '../../src/config.ts'
import { createLogger } from '../../src/logs/logging.ts'
import { createService } from '../../src/service.ts'
import { temporaryFolder } from '../support/temp.ts'

test('a stop ends when everything is closed, also where the start is closing it already', async () => {
  const folder = temporaryFolder('failed-start')
  // Found out when the database is open and the chain runs.
  const settings = { DATA_DIR: folder, BANK_PROFILE: path.join(folder, 'none.json'), PORT: '0', OPERATOR_PORT: '0' }
  const service = createService(loadConfig(settings), createLogger('error', { write: () => {} }))
  let failure: unknown
  const started = service.start().catch((error: unknown) => {
    failure = error
  })
  await service.stop()
  await turn()
  // The program ends now, and with it whatever was not closed by then: the chain would be left behind.
  assert.match(String(failure), /BANK_PROFILE/)
  await started
})
