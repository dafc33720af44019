import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiKey } from './api-key.ts'
import { createKeyCache } from './key-cache.ts'

const KEY: ApiKey = {
  keyId: '0'.repeat(16),
  integrationId: 'int_1',
  environment: 'sandbox',
  secretSha256: 'f'.repeat(64),
  scopes: new Set(),
  ipAllowlist: ['10.0.0.0/8'],
  rates: { read: null, write: null, balances: null },
  transferTxCapMicro: null,
  transferDayCapMicro: null,
  mintDayCapMicro: null,
  capKeyId: null,
  expiresAt: null,
  revokedAt: null,
  createdAt: new Date(0),
  integrationStatus: 'active',
  dpaSignedOn: null,
}

function setUp(options: { maxEntries?: number } = {}) {
  let nowMs = 10_000
  const asked: string[] = []
  const stored = new Map<string, ApiKey>()
  const lookup = createKeyCache({
    find: async (keyIds) => {
      asked.push(...keyIds)
      return keyIds.map((keyId) => stored.get(keyId))
    },
    nowMs: () => nowMs,
    ...options,
  })
  return { lookup, asked, stored, pass: (ms: number) => (nowMs += ms) }
}

/** Until what was asked for has been sent: that happens when the turn of the event loop ends. */
async function turn(): Promise<void> {
  for (const _ of [1, 2]) await new Promise((resolve) => setImmediate(resolve))
}

test('a key is read once while it is fresh, and again after 500 ms', async () => {
  const { lookup, asked, stored, pass } = setUp()
  stored.set('a', KEY)
  const first = await lookup('a')
  assert.equal(first?.keyId, KEY.keyId)
  assert.equal(first?.allowsAddress('10.1.1.1'), true)
  assert.equal(first?.allowsAddress('11.1.1.1'), false)
  pass(499)
  assert.ok(!(lookup('a') instanceof Promise))
  assert.deepEqual(asked, ['a'])
  const revokedAt = new Date(1)
  stored.set('a', { ...KEY, revokedAt })
  pass(1)
  assert.equal((await lookup('a'))?.revokedAt, revokedAt)
  assert.deepEqual(asked, ['a', 'a'])
})

test('concurrent lookups share one query; the age of its answer counts from when it was sent', async () => {
  let nowMs = 10_000
  const answers: ((keys: ApiKey[]) => void)[] = []
  const lookup = createKeyCache({ find: () => new Promise((resolve) => answers.push(resolve)), nowMs: () => nowMs })
  const both = [lookup('a'), lookup('a')]
  await turn()
  assert.equal(answers.length, 1)
  nowMs = 10_600
  answers[0]?.([KEY])
  await Promise.all(both)
  const later = lookup('a')
  await turn()
  assert.equal(answers.length, 2, 'an answer older than the time to live is not used again')
  answers[1]?.([KEY])
  await later
})

test('unknown keys are asked about every time, and a failed query is not remembered', async () => {
  const { lookup, asked } = setUp()
  assert.equal(await lookup('x'), undefined)
  assert.equal(await lookup('x'), undefined)
  assert.deepEqual(asked, ['x', 'x'])

  let fail = true
  const failing = createKeyCache({ find: async () => (fail ? Promise.reject(new Error('down')) : [KEY]) })
  await assert.rejects(async () => failing('a'), /down/)
  fail = false
  assert.equal((await failing('a'))?.keyId, KEY.keyId)
})

test('the oldest key makes room', async () => {
  const { lookup, asked, stored } = setUp({ maxEntries: 2 })
  for (const keyId of ['a', 'b', 'c']) {
    stored.set(keyId, KEY)
    await lookup(keyId)
  }
  await lookup('b')
  await lookup('a')
  assert.deepEqual(asked, ['a', 'b', 'c', 'a'])
})

/** A look-up whose queries a test answers one by one. */
function held(stored: readonly string[]) {
  const queries: { keyIds: readonly string[]; answer: () => void }[] = []
  let nowMs = 10_000
  const lookup = createKeyCache({
    nowMs: () => nowMs,
    find: (keyIds) =>
      new Promise((resolve) => {
        const keys = keyIds.map((keyId) => (stored.includes(keyId) ? { ...KEY, keyId } : undefined))
        queries.push({ keyIds, answer: () => resolve(keys) })
      }),
  })
  return { lookup, queries, pass: (ms: number) => (nowMs += ms) }
}
test('made-up ids share one query at a time, however many; a real key among them is found', async () => {
  const { lookup, queries } = held(['real'])
  const first = lookup('made-up-0')
  await turn()
  const flood = Array.from({ length: 20_000 }, (_, n) => lookup(`made-up-${n + 1}`))
  const real = lookup('real')
  await turn()
  assert.deepEqual(
    queries.map(({ keyIds }) => keyIds),
    [['made-up-0']],
  )
  for (let at = 0; at < queries.length; at += 1) {
    queries[at]?.answer()
    await turn()
  }
  assert.equal(queries.length, 1 + Math.ceil(20_001 / 1_000))
  assert.equal((await real)?.keyId, 'real')
  assert.deepEqual(new Set(await Promise.all([first, ...flood])), new Set([undefined]))
})

test('a key in use neither waits for made-up ids nor is pushed out by them', async () => {
  const { lookup, queries, pass } = held(['used'])
  const first = lookup('used')
  await turn()
  queries[0]?.answer()
  await first
  const flood = Array.from({ length: 20_000 }, (_, n) => lookup(`made-up-${n}`))
  assert.ok(!(lookup('used') instanceof Promise), 'it is still known')
  pass(600)
  const again = lookup('used')
  await turn()
  const own = queries.find(({ keyIds }, place) => place > 0 && keyIds.includes('used'))
  assert.deepEqual(own?.keyIds, ['used'])
  own?.answer()
  assert.equal((await again)?.keyId, 'used')
  for (let at = 0; at < queries.length; at += 1) {
    queries[at]?.answer()
    await turn()
  }
  await Promise.all(flood)
})
