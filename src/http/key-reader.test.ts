import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { Socket } from 'node:net'
import { test } from 'node:test'
import type { KnownKey } from '../integrations/key-cache.ts'
import { isProven, type Presented } from './authenticate.ts'
import { createKeyReader } from './key-reader.ts'

const SECRET = 'a'.repeat(43)
const headerOf = (secret: string) => `Bearer coin_sandbox_${'0'.repeat(16)}_${secret}`

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

function presenting(secret: string): Presented {
  return { environment: 'sandbox', keyId: '0'.repeat(16), secret }
}

/** A connection, and what it presents with a header. */
function connectionOf(read: ReturnType<typeof createKeyReader>) {
  const socket = new Socket()
  return (authorization: string | undefined) =>
    read({ socket, headers: authorization === undefined ? {} : { authorization } })
}

test('a secret that was proven is not hashed again while the key is the same', () => {
  const { key, hashed } = foundKey()
  const presented = presenting(SECRET)
  for (let times = 0; times < 3; times += 1) assert.ok(isProven(presented, key))
  assert.equal(hashed(), 1)
})

test('a wrong secret stays wrong, whoever has proven the right one', () => {
  const { key } = foundKey()
  const wrong = ['', 'a', `b${SECRET.slice(1)}`, `${SECRET}a`, 'ä'.repeat(21)].map(presenting)
  const right = presenting(SECRET)
  for (let times = 0; times < 2; times += 1) {
    for (const presented of wrong) assert.ok(!isProven(presented, key), presented.secret)
    assert.ok(isProven(right, key))
  }
})

test('each key has its own secret, and a key that was looked up again is asked again', () => {
  const presented = presenting(SECRET)
  assert.ok(isProven(presented, foundKey().key))
  const { key, hashed } = foundKey()
  assert.ok(isProven(presented, key))
  assert.equal(hashed(), 1)
  assert.ok(!isProven(presented, foundKey('b'.repeat(43)).key))
  assert.ok(!isProven(presented, undefined))
})

test('a connection presents what its newest header says, and no other connection’s', () => {
  const read = createKeyReader()
  const [one, other] = [connectionOf(read), connectionOf(read)]
  const first = one(headerOf(SECRET))
  assert.equal(first?.secret, SECRET)
  assert.equal(one(headerOf(SECRET)), first, 'read once')
  assert.notEqual(other(headerOf(SECRET)), first)
  assert.equal(other(undefined), undefined)
  assert.equal(other('Bearer nothing'), undefined)
  assert.equal(other(headerOf('b'.repeat(43)))?.secret, 'b'.repeat(43))
  assert.equal(one(undefined), undefined)
  assert.equal(one('Bearer nothing'), undefined)
  assert.equal(one(headerOf('c'.repeat(43)))?.secret, 'c'.repeat(43))
})

test('a secret is forgotten after a second', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const present = connectionOf(createKeyReader())
  const first = present(headerOf(SECRET))
  t.mock.timers.tick(999)
  assert.equal(present(headerOf(SECRET)), first)
  t.mock.timers.tick(1)
  assert.notEqual(present(headerOf(SECRET)), first)
})
