import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createSecretBox, SecretBoxError } from './secrets.ts'

const key = randomBytes(32)
const box = createSecretBox(key)

test('opens whatever text it sealed', () => {
  for (const text of ['', 'whsec_abc', 'ringgit \u{1F4B0} ✓', 'x'.repeat(10_000)]) {
    assert.equal(box.open(box.seal(text, 'we_1'), 'we_1'), text)
  }
})

test('never seals to the same value twice and hides the text', () => {
  const first = box.seal('whsec_abc')
  assert.notEqual(first, box.seal('whsec_abc'))
  assert.match(first, /^sb1\.[0-9a-f]{16}\.[A-Za-z0-9_-]+$/)
  assert.ok(first.startsWith(box.prefix))
  assert.ok(!Buffer.from(first.slice(box.prefix.length), 'base64url').includes('whsec'))
})

test('does not open under another key, for another owner, altered, cut or foreign, and reveals nothing of the content', () => {
  const secret = 'whsec_very-secret'
  const sealed = box.seal(secret, 'we_1')
  const bytes = Buffer.from(sealed.slice(box.prefix.length), 'base64url')
  const altered = bytes.map((byte, index) => (index === 14 ? byte ^ 1 : byte))
  const attempts: (() => string)[] = [
    () => createSecretBox(randomBytes(32)).open(sealed, 'we_1'),
    () => box.open(sealed, 'we_2'),
    () => box.open(sealed),
    () => box.open(`${box.prefix}${Buffer.from(altered).toString('base64url')}`, 'we_1'),
    () => box.open(`${box.prefix}${bytes.subarray(0, -1).toString('base64url')}`, 'we_1'),
    () => box.open('sb1.AAAA', 'we_1'),
    () => box.open(`${box.prefix}AAAA`, 'we_1'),
    () => box.open(`${createSecretBox(randomBytes(32)).prefix}${sealed.slice(box.prefix.length)}`, 'we_1'),
    () => box.open(`sb2.${sealed.slice(4)}`, 'we_1'),
    () => box.open(`${sealed}.x`, 'we_1'),
    () => box.open(secret, 'we_1'),
    () => box.open('', 'we_1'),
  ]
  for (const attempt of attempts) {
    assert.throws(attempt, (error: unknown) => {
      assert.ok(error instanceof SecretBoxError)
      assert.ok(!`${error.message}${error.stack}${String(error.cause)}`.includes('very-secret'))
      return true
    })
  }
})

test('opens what the previous key sealed, and seals under the present one', () => {
  const old = createSecretBox(key)
  const next = randomBytes(32)
  const both = createSecretBox(next, key)
  assert.equal(both.open(old.seal('a', 'we_1'), 'we_1'), 'a')
  const sealed = both.seal('b', 'we_1')
  assert.equal(createSecretBox(next).open(sealed, 'we_1'), 'b')
  assert.throws(() => old.open(sealed, 'we_1'), SecretBoxError)
  assert.notEqual(both.prefix, old.prefix)
  assert.throws(() => createSecretBox(next, randomBytes(31)), SecretBoxError)
})

test('takes only a key of 32 bytes, and does not follow later changes to it', () => {
  assert.throws(() => createSecretBox(randomBytes(16)), SecretBoxError)
  const mutable = randomBytes(32)
  const copy = createSecretBox(mutable)
  const sealed = copy.seal('a')
  mutable.fill(0)
  assert.equal(copy.open(sealed), 'a')
})
