import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { after, test } from 'node:test'
import { verify } from '../../examples/webhook-receiver/verify.ts'
import { createSender } from '../../src/webhooks/send.ts'
import { generateWebhookSecret, signatureHeader } from '../../src/webhooks/signature.ts'
import { testRequest } from '../../src/webhooks/test-event.ts'
import { startGuarded } from '../support/guarded-process.ts'
import { waitFor } from '../support/wait-for.ts'

const secret = generateWebhookSecret()
const body = '{"id":"evt_1","note":"✓"}'
const at = new Date('2026-01-31T12:00:00Z')
const t = at.getTime() / 1000
const header = signatureHeader(secret, body, at)
const check = (nowSeconds: number, raw = Buffer.from(body), signature = header) =>
  verify(raw, signature, secret, nowSeconds)

test('accepts what the service signs', () => {
  assert.deepEqual(check(t), JSON.parse(body))
})

test('keeps to 300 seconds on both sides', () => {
  for (const now of [t - 300, t + 300]) assert.ok(check(now), String(now - t))
  for (const now of [t - 301, t + 301]) assert.equal(check(now), undefined, String(now - t))
})

test('refuses every change', () => {
  for (let index = 0; index < body.length; index += 1) {
    const changed = Buffer.from(body)
    changed[index] = (changed[index] ?? 0) ^ 1
    assert.equal(check(t, changed), undefined)
  }
  const bad = ['', 'undefined', 't=1', `t=${t}`, `v1=${'0'.repeat(64)}`, `t=${t},v1=`, `t=${t},v1=${'0'.repeat(64)}`]
  for (const signature of [
    ...bad,
    header.slice(0, -1),
    header.replace(`t=${t}`, `t=${t + 1}`),
    header.replace('t=', 't=-'),
  ]) {
    assert.equal(check(t, Buffer.from(body), signature), undefined, signature)
  }
  assert.equal(verify(Buffer.from(body), header, generateWebhookSecret(), t), undefined)
})

test('the example runs: it prints a genuine event once, refuses a forged one', async () => {
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' }
  const script = path.join(import.meta.dirname, '../../examples/webhook-receiver/receiver.ts')
  const receiver = await startGuarded(process.execPath, [script], { env })
  after(() => receiver.end('SIGKILL'))
  const url = await waitFor('the receiver', () => /http:\S+/.exec(receiver.output())?.[0])
  const send = createSender({ allowLoopback: true })

  const { request } = testRequest(url, secret, new Date())
  for (let turn = 0; turn < 2; turn += 1) {
    assert.deepEqual(
      { ...(await send(request)), durationMs: 0 },
      { httpStatus: 204, error: null, durationMs: 0, responseExcerpt: '' },
    )
  }
  const forged = testRequest(url, `whsec_${randomBytes(32).toString('base64')}`, new Date())
  assert.equal((await send(forged.request)).error, 'http_400')
  await waitFor('the printed event', () => receiver.output().includes('webhook.test'))
  assert.equal(receiver.output().match(/webhook\.test/g)?.length, 1)
})
