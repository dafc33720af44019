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

test('however few connections there are, looks and changes leave one to whoever stops something', async () => {
  for (let poolSize = 2; poolSize <= 12; poolSize += 1) {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    let taken = 0
    const query = async () => {
      taken += 1
      await ended
      return []
    }
    const few = createFewLooks({ query } as unknown as Database, poolSize)
    const asked = ['opr_1', 'opr_2', 'opr_3', 'opr_4'].flatMap((operatorId) =>
      Array.from({ length: 2 * poolSize }, (_, index) =>
        (index % 2 === 0 ? few.look : few.change)(
          operatorId,
          async () => {},
          () => few.db.query('select 1'),
        ),
      ),
    )
    await new Promise(setImmediate)
    assert.ok(taken > 0 && taken < poolSize, `${taken} of ${poolSize} connections are taken`)
    end()
    await Promise.all(asked)
    assert.equal(taken, asked.length)
  }
})
