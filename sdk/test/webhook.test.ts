import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { generateWebhookSecret, signatureHeader } from '../../src/webhooks/signature.ts'
import { testRequest } from '../../src/webhooks/test-event.ts'
import { type OrderEvent, verifyWebhook, type WebhookDelivery } from '../src/index.ts'

const secret = generateWebhookSecret()
const now = new Date('2026-01-31T12:00:00Z')
const t = now.getTime() / 1000
const rawBody = JSON.stringify({
  id: 'evt_1',
  type: 'mint.completed',
  note: 'RM ✓',
  data: { referenceId: 'order-2026-0001' },
})
const header = signatureHeader(secret, rawBody, now)
const verify = (changes: Partial<WebhookDelivery> = {}) => verifyWebhook({ rawBody, header, secret, now, ...changes })

test('accepts what the service signs, as bytes and as text', async () => {
  assert.deepEqual(await verify(), JSON.parse(rawBody))
  assert.deepEqual(await verify({ rawBody: Buffer.from(rawBody) }), JSON.parse(rawBody))
  // As in jsdom or an edge runtime, whose Uint8Array is not that of the code that is called.
  const elsewhere: Uint8Array = runInNewContext('Uint8Array.from(bytes)', { bytes: [...Buffer.from(rawBody)] })
  assert.deepEqual(await verify({ rawBody: elsewhere }), JSON.parse(rawBody))
  // As `await request.arrayBuffer()` gives it, in this realm and in another.
  assert.deepEqual(await verify({ rawBody: new Uint8Array(elsewhere).buffer }), JSON.parse(rawBody))
  assert.deepEqual(await verify({ rawBody: elsewhere.buffer as ArrayBuffer }), JSON.parse(rawBody))
  assert.deepEqual(await verify({ header: header.replace(',', ', ') }), JSON.parse(rawBody))
  const { eventId, request } = testRequest('http://127.0.0.1/', secret, new Date())
  const event = await verifyWebhook({ rawBody: request.body, header: request.signature, secret })
  assert.deepEqual([event.id, event.type], [eventId, 'webhook.test'])
})

test('what is verified are the bytes as they were given, and the event is read from these', async () => {
  const forged = rawBody.replace('mint.completed', 'mint.failedxxx')
  assert.equal(forged.length, rawBody.length)
  const received = Buffer.from(rawBody)
  for (const secrets of [secret, [generateWebhookSecret(), secret]]) {
    for (let turns = 0; turns < 6; turns += 1) {
      received.write(rawBody)
      const verified = verify({ rawBody: received, secret: secrets })
      // The server reads the next request into the same memory, as soon as it was handed over or a little later.
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      received.write(forged)
      assert.deepEqual(await verified, JSON.parse(rawBody))
    }
  }
  // Or takes it back, as uWebSockets does once its callback has returned.
  const lent = new Uint8Array(Buffer.from(rawBody)).buffer
  const verified = verify({ rawBody: lent })
  structuredClone(lent, { transfer: [lent] })
  assert.deepEqual(await verified, JSON.parse(rawBody))
  await assert.rejects(verify({ rawBody: lent }), { reason: 'body_not_raw' }, 'nothing is left of it')
})

test('one function deals with what webhooks bring and what is read', async () => {
  const dealt: string[] = []
  // The compiler is what this tests: but for `webhook.test`, what was verified is what `events.list` gives.
  const deal = ({ id }: OrderEvent) => dealt.push(id)
  const event = await verify()
  if (event.type !== 'webhook.test') deal(event)
  assert.deepEqual(dealt, ['evt_1'])
})

test('while a secret is replaced, accepts what either of the two signs, and nothing else', async () => {
  const next = generateWebhookSecret()
  for (const one of [[secret, next], [next, secret], [secret]]) await verify({ secret: one })
  await assert.rejects(verify({ secret: [next, generateWebhookSecret()] }), { reason: 'signature_mismatch' })
  for (const missing of [[], [''], [secret, ''], [secret, undefined as unknown as string]])
    await assert.rejects(verify({ secret: missing }), TypeError)
})

test('keeps to the tolerance on both sides', async () => {
  const at = (seconds: number) => ({ now: new Date((t + seconds) * 1000) })
  for (const seconds of [-300, 300]) await verify(at(seconds))
  for (const seconds of [-301, 301])
    await assert.rejects(verify(at(seconds)), { reason: 'timestamp_outside_tolerance' })
  for (const seconds of [-300.001, 300.001])
    await assert.rejects(verify(at(seconds)), { reason: 'timestamp_outside_tolerance' }, 'a part of a second counts')
  await verify({ ...at(5), toleranceSeconds: 5 })
  await assert.rejects(verify({ ...at(6), toleranceSeconds: 5 }), { reason: 'timestamp_outside_tolerance' })
  const notNumbers: Partial<WebhookDelivery>[] = [{ toleranceSeconds: Number.NaN }, { now: new Date('x') }]
  for (const broken of notNumbers) await assert.rejects(verify(broken), { reason: 'timestamp_outside_tolerance' })
})

test('refuses every changed byte, another secret, another time', async () => {
  const bytes = Buffer.from(rawBody)
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes)
    changed[index] = (changed[index] ?? 0) ^ 1
    await assert.rejects(verify({ rawBody: changed }), { reason: 'signature_mismatch' })
  }
  await assert.rejects(verify({ secret: generateWebhookSecret() }), { reason: 'signature_mismatch' })
  await assert.rejects(verify({ header: header.replace(`t=${t}`, `t=${t + 1}`) }), { reason: 'signature_mismatch' })
  await assert.rejects(verify({ rawBody: JSON.stringify(JSON.parse(rawBody), null, 1) }), {
    reason: 'signature_mismatch',
  })
})

test('says why there is nothing to compare', async () => {
  for (const missing of [undefined, null, ''])
    await assert.rejects(verify({ header: missing }), { reason: 'header_missing' })
  const [, v1 = ''] = header.split(',')
  const malformed = [
    'x',
    `t=${t}`,
    v1,
    `t=,${v1}`,
    `t=-1,${v1}`,
    `t=1e9,${v1}`,
    `t=${t},v1=`,
    `t=${t},v1=${'g'.repeat(64)}`,
    header.slice(0, -1),
  ]
  const twice = [`${header},${v1}`, `t=${t},${header}`, `${header},${'x'.repeat(2_000)}`]
  for (const bad of [...malformed, ...twice])
    await assert.rejects(verify({ header: bad }), { reason: 'header_malformed' }, bad)
  for (const parsed of [JSON.parse(rawBody), [...Buffer.from(rawBody)], undefined, null, 1]) {
    await assert.rejects(verify({ rawBody: parsed as string }), { reason: 'body_not_raw' })
  }
  await assert.rejects(verify({ secret: '' }), TypeError)
})

test('a genuine body that is not an event is refused as such', async () => {
  const bodies = ['', 'null', '[]', '{}', '{"id":1,"type":"x","data":{}}', '{"id":"a"', '\ufeff{}']
  for (const body of bodies) {
    await assert.rejects(
      verify({ rawBody: body, header: signatureHeader(secret, body, now) }),
      { reason: 'body_not_an_event' },
      body,
    )
  }
})
