// engine: postgres; both in test:long
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Database, DatabaseUnavailableError } from '../../src/db/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { startFixture } from './fixture.ts'
import { startReceiver } from './http-receiver.ts'

/** The real database, which is away for the given number of matching statements. */
function away(db: Database, pattern: RegExp, times: number): Database {
  let left = times
  return {
    ...db,
    async query(text, params) {
      if (pattern.test(text) && left > 0) {
        left -= 1
        throw new DatabaseUnavailableError('the connection was lost')
      }
      return db.query(text, params)
    },
  }
}

async function deliverThrough(pattern: RegExp, times: number) {
  const fixture = await startFixture()
  const hook = await startReceiver()
  after(() => hook.close())
  await fixture.addEndpoint(hook.url)
  await fixture.append(1)
  await fixture.startCourier({ db: away(fixture.db, pattern, times) })
  await waitFor('the delivery', async () => (await fixture.statuses()).delivered === 1)
  return { fixture, hook }
}

test('a courier that cannot look for work says so and goes on', async () => {
  const { fixture, hook } = await deliverThrough(/for update skip locked/, 1)
  assert.equal(hook.received.length, 1)
  assert.match(fixture.lines.join(''), /looking for due webhooks failed/)
})

test('a result that cannot be recorded at once is recorded later, without sending again', async () => {
  const { hook } = await deliverThrough(/insert into delivery_attempts/, 3)
  assert.equal(hook.received.length, 1)
})
