import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { secretMatches } from '../secrets/token-secret.ts'
import { generateApiKey, isScope, parseApiKey, SCOPES } from './api-key.ts'

test('a generated key has four segments and parses back to what is stored', () => {
  for (const environment of ['sandbox', 'live'] as const) {
    const { keyId, apiKey, secretSha256 } = generateApiKey(environment)
    assert.match(apiKey, /^coin_(sandbox|live)_[0-9a-f]{16}_[0-9A-Za-z]{43}$/)
    assert.equal(apiKey.split('_').length, 4)
    const parsed = parseApiKey(apiKey)
    assert.equal(parsed?.keyId, keyId)
    assert.equal(parsed?.environment, environment)
    assert.equal(hash('sha256', parsed?.secret ?? ''), secretSha256)
  }
})

test('every base62 character is about equally likely', () => {
  const counts = new Map<string, number>()
  const keys = 2000
  for (let n = 0; n < keys; n++) {
    for (const character of parseApiKey(generateApiKey('live').apiKey)?.secret ?? '') {
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
  }
  assert.equal(counts.size, 62)
  const expected = (keys * 43) / 62
  // A modulo of the whole byte would make the first eight characters 25 % likelier; six standard deviations are 16 %.
  for (const [character, count] of counts) {
    assert.ok(Math.abs(count - expected) < expected * 0.165, `${character}: ${count} of ${expected} expected`)
  }
})

test('what does not have the exact form of a key is not one', () => {
  const { apiKey } = generateApiKey('sandbox')
  const malformed = [
    '',
    'coin',
    apiKey.slice(0, -1),
    `${apiKey}A`,
    ` ${apiKey}`,
    `${apiKey}\n`,
    apiKey.toUpperCase(),
    apiKey.replace('coin_', 'token_'),
    apiKey.replace('sandbox', 'staging'),
    apiKey.replace(/.$/, '-'),
    apiKey.replace(/^(coin_sandbox_)./, '$1g'),
  ]
  for (const text of malformed) assert.equal(parseApiKey(text), undefined, text)
})

test('only the right secret matches, and nothing matches an unknown key', () => {
  const { apiKey, secretSha256 } = generateApiKey('live')
  const secret = parseApiKey(apiKey)?.secret ?? ''
  assert.equal(secretMatches(secret, secretSha256), true)
  assert.equal(secretMatches(`${secret.slice(0, -1)}-`, secretSha256), false)
  assert.equal(secretMatches('', secretSha256), false)
  assert.equal(secretMatches(secret, undefined), false)
})

test('there are 13 scopes', () => {
  assert.equal(new Set(SCOPES).size, 13)
  assert.equal(isScope('mint:create'), true)
  assert.equal(isScope('mint:delete'), false)
})
