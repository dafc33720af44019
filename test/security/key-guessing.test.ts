// engine: postgres; both in test:long
/**
 * The time of a refusal does not reveal key ids: the work done for a known and an unknown one is counted, not timed.
 */
import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { after, before, test } from 'node:test'
import { generateApiKey } from '../../src/integrations/api-key.ts'
import { assertRefused, startTestApi, type TestApi } from '../support/api.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { countingDatabase } from './counted.ts'

const real = crypto.timingSafeEqual
let compares = 0
let database: TestDatabase
let api: TestApi
let take: () => string[]

before(async () => {
  database = await createTestDatabase()
  const counted = countingDatabase(database)
  take = counted.take
  api = await startTestApi({ db: counted.db })
  crypto.timingSafeEqual = ((...args: Parameters<typeof real>) => {
    compares += 1
    return real(...args)
  }) as typeof real
  syncBuiltinESMExports()
})
after(async () => {
  crypto.timingSafeEqual = real
  syncBuiltinESMExports()
  await api.close()
  await database.close()
})

async function costOf(key: string) {
  take()
  compares = 0
  const answer = await api.get('/v1/config', { key })
  return { queries: take(), compares, answer }
}

test('a known and an unknown key id take the same path: one lookup, one constant-time compare', async () => {
  const known = await api.makeKey()
  const wrongSecret = `${known.slice(0, -43)}${generateApiKey('sandbox').apiKey.slice(-43)}`
  const onKnown = await costOf(wrongSecret)
  const onUnknown = await costOf(generateApiKey('sandbox').apiKey)
  assertRefused(onKnown.answer, 401, 'UNAUTHORIZED')
  assert.equal(onKnown.answer.text, onUnknown.answer.text)
  assert.deepEqual([onKnown.compares, onUnknown.compares], [1, 1])
  assert.equal(onKnown.queries.length, 1)
  assert.deepEqual(onKnown.queries, onUnknown.queries)
  const right = await costOf(known)
  assert.deepEqual([right.answer.status, right.compares], [200, 1])
})

test('nor does it the second time, or while its owner uses it: a refusal is asked for though the key is remembered', async () => {
  const known = await api.makeKey()
  const wrongSecret = `${known.slice(0, -43)}${generateApiKey('sandbox').apiKey.slice(-43)}`
  const unknown = generateApiKey('sandbox').apiKey
  const { queries } = await costOf(unknown)
  assert.equal((await costOf(known)).answer.status, 200)
  for (const key of [wrongSecret, wrongSecret, unknown]) {
    const cost = await costOf(key)
    assertRefused(cost.answer, 401, 'UNAUTHORIZED')
    assert.deepEqual(cost.queries, queries)
  }
})

test('revoked, expired and foreign-environment keys with the right secret cost the same, too', async () => {
  for (const key of [await api.makeKey({ expiresAt: new Date(0) }), await api.makeKey({ environment: 'live' })]) {
    const { answer, queries, compares: counted } = await costOf(key)
    assertRefused(answer, 401, 'UNAUTHORIZED')
    assert.deepEqual([queries.length, counted], [1, 1])
  }
})
