import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../db/database.ts'
import { createFewLooks } from './few-looks.ts'

test('what a look has left running when it failed still has its turns, also while the person looks again', async () => {
  const db = { query: async () => [] } as unknown as Database
  const looks = createFewLooks(db, 4)
  const look = (work: () => Promise<void>) => looks.look('opr_1', async () => {}, work)
  const failed = Promise.withResolvers<void>()
  const left: Promise<unknown>[] = []
  const fails = look(async () => {
    left.push(failed.promise.then(() => looks.db.query('select 1')))
    throw new Error('the other half')
  })
  await assert.rejects(fails, /the other half/)
  failed.resolve()
  const ended = await Promise.race([Promise.all(left), new Promise((resolve) => setImmediate(resolve, 'waits'))])
  assert.deepEqual(ended, [[]])
})
