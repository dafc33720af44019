import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import type { KnownKey } from '../integrations/key-cache.ts'
import { createSecretCheck } from './key-proofs.ts'

const SECRET = 'a'.repeat(43)

/** A key as a look-up finds it; what its hash is read for is counted. */
function foundKey(secret: string = SECRET) {
  let hashed = 0
  const key = {
    get secretSha256() {
      hashed += 1
      return hash('sha256', secret)
    },
  } as KnownKey
  return { key, hashed: () => hashed }
}

test('a secret that was proven is not hashed again while the key is the same', () => {
  const isSecretOf = createSecretCheck()
  const { key, hashed } = foundKey()
  for (let times = 0; times < 3; times += 1) assert.ok(isSecretOf(SECRET, key))
  assert.equal(hashed(), 1)
})

test('a wrong secret stays wrong, before and after the right one', () => {
  const isSecretOf = createSecretCheck()
  const { key } = foundKey()
  const wrong = ['', 'a', `b${SECRET.slice(1)}`, `${SECRET}a`, 'ä'.repeat(21)]
  const judged = () => wrong.map((secret) => isSecretOf(secret, key))
  assert.deepEqual(judged(), [false, false, false, false, false])
  assert.ok(isSecretOf(SECRET, key))
  assert.deepEqual(judged(), [false, false, false, false, false])
  assert.ok(isSecretOf(SECRET, key))
})

test('each key has its own secret, and a key that was looked up again is asked again', () => {
  const isSecretOf = createSecretCheck()
  assert.ok(isSecretOf(SECRET, foundKey().key))
  const other = 'b'.repeat(43)
  assert.ok(isSecretOf(other, foundKey(other).key))
  assert.ok(!isSecretOf(SECRET, foundKey(other).key))
  assert.ok(!isSecretOf(SECRET, undefined))
})

test('a secret is forgotten after a second', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const isSecretOf = createSecretCheck()
  const { key, hashed } = foundKey()
  isSecretOf(SECRET, key)
  t.mock.timers.tick(999)
  isSecretOf(SECRET, key)
  assert.equal(hashed(), 1)
  t.mock.timers.tick(1)
  isSecretOf(SECRET, key)
  assert.equal(hashed(), 2)
})
