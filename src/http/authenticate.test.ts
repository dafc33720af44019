import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { parseApiKey } from '../integrations/api-key.ts'
import type { KnownKey } from '../integrations/key-cache.ts'
import { hasAgreement, judgeKey, type Presented, readPresentedKey } from './authenticate.ts'

const NOW_MS = Date.parse('2026-03-01T12:00:00.000Z')
const SECRET = 'a'.repeat(43)
const PRESENTED: Presented = { environment: 'sandbox', keyId: '0'.repeat(16), secret: SECRET }
const KEY: KnownKey = {
  keyId: PRESENTED.keyId,
  integrationId: 'int_1',
  environment: 'sandbox',
  secretSha256: hash('sha256', SECRET),
  scopes: new Set(),
  ipAllowlist: [],
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
  allowsAddress: () => true,
}

const judge = (stored: Partial<KnownKey> | undefined, presented: Partial<Presented> = {}) =>
  judgeKey({ ...PRESENTED, ...presented }, stored && { ...KEY, ...stored }, 'sandbox', NOW_MS)

test('the right secret of a key in force gives that key', () => {
  assert.equal(judge({})?.keyId, KEY.keyId)
  assert.equal(judge({ expiresAt: new Date(NOW_MS + 1) })?.keyId, KEY.keyId)
})

test('each single fault refuses a key', () => {
  const wrong: [what: string, stored: Partial<KnownKey> | undefined, presented?: Partial<Presented>][] = [
    ['unknown', undefined],
    ['wrong secret', {}, { secret: `b${SECRET.slice(1)}` }],
    ['presented for the other environment', {}, { environment: 'live' }],
    ['stored for the other environment', { environment: 'live' }],
    ['of the other environment altogether', { environment: 'live' }, { environment: 'live' }],
    ['revoked', { revokedAt: new Date(NOW_MS) }],
    ['revoked, though not to expire for a long time', { revokedAt: new Date(0), expiresAt: new Date(NOW_MS + 1e9) }],
    ['expired this instant', { expiresAt: new Date(NOW_MS) }],
    ['integration suspended', { integrationStatus: 'suspended' }],
  ]
  for (const [what, stored, presented] of wrong) assert.equal(judge(stored, presented), undefined, what)
  // An unknown id is compared with what is no secret's hash; even if it were one, it must let nobody in.
  assert.equal(judgeKey({ ...PRESENTED, secret: '' }, undefined, 'sandbox', NOW_MS), undefined)
})

test('an Authorization header presents a key, whole and alone', () => {
  const key = `coin_sandbox_${'0'.repeat(16)}_${SECRET}`
  assert.deepEqual(readPresentedKey(`Bearer ${key}`), parseApiKey(key))
  assert.deepEqual(readPresentedKey(`bEaReR  ${key}`), parseApiKey(key))
  for (const header of [
    undefined,
    '',
    'Bearer',
    key,
    `Basic ${key}`,
    `Bearer ${key} x`,
    `x Bearer ${key}`,
    `Bearer${key}`,
  ]) {
    assert.equal(readPresentedKey(header), undefined, String(header))
  }
})

test('an agreement counts from the day of its signature in Malaysia', () => {
  for (const [dpaSignedOn, counts] of [
    [null, false],
    ['2026-02-28', true],
    ['2026-03-01', true],
    ['2026-03-02', false],
  ] as const) {
    for (const time of ['2026-03-01T00:00:00+08:00', '2026-03-01T23:59:59.999+08:00'])
      assert.equal(hasAgreement({ dpaSignedOn }, Date.parse(time)), counts, `${dpaSignedOn} at ${time}`)
  }
})
