import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { pino } from 'pino'
import type { Database } from '../db/database.ts'
import { withThoseNotHere } from './not-here.ts'

/** What was logged while a stop waited for a database. */
async function stopOver(query: () => Promise<never>, waits: () => void): Promise<string> {
  const logged: string[] = []
  const logger = pino({}, { write: (line: string) => void logged.push(line) })
  const done = { ok: true, chains: [] }
  const answer = withThoseNotHere({ db: { query } as unknown as Database, chains: [], logger }, done)
  waits()
  assert.deepEqual(await answer, done)
  return logged.join('')
}

test('a stop does not wait for a database that is away or does not answer, and the log says what is not known', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const silent = await stopOver(
    () => new Promise(() => {}),
    () => mock.timers.tick(2_000),
  )
  const away = await stopOver(
    () => Promise.reject(new Error('away')),
    () => {},
  )
  for (const logged of [silent, away]) assert.match(logged, /whether there are chains .* is not known/)
})
