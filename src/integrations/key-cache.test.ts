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
  expiresAt: null,
  revokedAt: null,
  createdAt: new Date(0),
  integrationStatus: 'active',
  dpaSignedOn: null,
}

function setUp(options: { maxEntries?: number } = {}) {
  let nowMs = 0
  const asked: string[] = []
  const stored = new Map<string, ApiKey>()
  const lookup = createKeyCache({
    find: async (keyId) => {
      asked.push(keyId)
      return stored.get(keyId)
    },
    nowMs: () => nowMs,
    ...options,
  })
  return { lookup, asked, stored, pass: (ms: number) => (nowMs += ms) }
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

test('concurrent lookups share one query; its age counts from when it was sent', async () => {
  let nowMs = 0
  const answers: ((key: ApiKey) => void)[] = []
  const lookup = createKeyCache({ find: () => new Promise((resolve) => answers.push(resolve)), nowMs: () => nowMs })
  const both = [lookup('a'), lookup('a')]
  assert.equal(answers.length, 1)
  nowMs = 600
  answers[0]?.(KEY)
  await Promise.all(both)
  const later = lookup('a')
  assert.equal(answers.length, 2, 'an answer older than the time to live is not used again')
  answers[1]?.(KEY)
  await later
})

test('unknown keys are asked about every time, and a failed query is not remembered', async () => {
  const { lookup, asked } = setUp()
  assert.equal(await lookup('x'), undefined)
  assert.equal(await lookup('x'), undefined)
  assert.deepEqual(asked, ['x', 'x'])

  let fail = true
  const failing = createKeyCache({ find: async () => (fail ? Promise.reject(new Error('down')) : KEY) })
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
