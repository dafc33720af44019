import assert from 'node:assert/strict'
import { test } from 'node:test'
import Stripe from 'stripe'
import { generateWebhookSecret, signatureHeader } from './signature.ts'

/** An independent implementation of this very scheme; the key only satisfies the constructor. */
const stripe = new Stripe('sk_test_unused')
const body = '{"id":"evt_1","object":"event","note":"ringgit ✓ \u{1F4B0}"}'
const secret = generateWebhookSecret()
const at = new Date('2026-01-31T12:00:00.999Z')
const t = 1_769_860_800

/** @param receivedAt unix seconds */
const verify = (header: string, receivedAt: number, payload = body, key = secret) =>
  stripe.webhooks.constructEvent(payload, header, key, 300, undefined, receivedAt * 1000)

test('a secret is whsec_ and base64 of 32 bytes, never the same', () => {
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  assert.notEqual(secret, generateWebhookSecret())
})

test('the header has the form of the contract, without a blank', () => {
  assert.match(signatureHeader(secret, body, at), new RegExp(`^t=${t},v1=[0-9a-f]{64}$`))
})

test('a known secret, body and instant give the known signature', () => {
  assert.equal(
    signatureHeader('whsec_test', '{"a":1}', new Date(1_700_000_000_000)),
    `t=1700000000,v1=38877139021993b830af32feea6e18a8da83eb2f6e49ee50bd9e4cf4ca4d3789`,
  )
})

test('the stripe library accepts it, as raw text and as bytes', () => {
  const header = signatureHeader(secret, body, at)
  assert.equal(verify(header, t).id, 'evt_1')
  assert.equal(stripe.webhooks.constructEvent(Buffer.from(body), header, secret, 300, undefined, t * 1000).id, 'evt_1')
})

test('the stripe library refuses another body, another secret, the bare secret, another time', () => {
  const header = signatureHeader(secret, body, at)
  assert.throws(() => verify(header, t, body.replace('evt_1', 'evt_2')))
  assert.throws(() => verify(header, t, `${body} `))
  assert.throws(() => verify(header, t, body, generateWebhookSecret()))
  assert.throws(() => verify(header, t, body, secret.slice('whsec_'.length)))
  assert.throws(() => verify(header.replace(`t=${t}`, `t=${t + 1}`), t))
})

test('both edges of the 300 seconds, for the stripe library (which checks only the past)', () => {
  const header = signatureHeader(secret, body, at)
  verify(header, t + 300)
  assert.throws(() => verify(header, t + 301), /Timestamp outside the tolerance zone/)
})
