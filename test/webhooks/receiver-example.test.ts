import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { verify } from '../../examples/webhook-receiver/verify.js'
import { createSender } from '../../src/webhooks/send.ts'
import { generateWebhookSecret, signatureHeader } from '../../src/webhooks/signature.ts'
import { testRequest } from '../../src/webhooks/test-event.ts'
import { startGuarded } from '../support/guarded-process.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'

const secret = generateWebhookSecret()
const body = '{"id":"evt_1","note":"✓"}'
const at = new Date('2026-01-31T12:00:00Z')
const t = at.getTime() / 1000
const header = signatureHeader(secret, body, at)
const check = (nowSeconds: number, raw = Buffer.from(body), signature = header) =>
  verify(raw, signature, [secret], nowSeconds)

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
  const others = [generateWebhookSecret(), generateWebhookSecret()]
  assert.equal(verify(Buffer.from(body), header, others, t), undefined)
  assert.deepEqual(verify(Buffer.from(body), header, [...others, secret], t), JSON.parse(body))
})

const script = path.join(import.meta.dirname, '../../examples/webhook-receiver/receiver.js')

async function startReceiver(store: string, secrets = secret) {
  const env = { ...process.env, WEBHOOK_SECRET: secrets, PORT: '0', STORE: store }
  const receiver = await startGuarded(process.execPath, [script], { env })
  after(() => receiver.end('SIGKILL'))
  return { ...receiver, url: await waitFor('the receiver', () => /http:\S+/.exec(receiver.output())?.[0]) }
}

test('the example runs: it keeps a genuine event before acknowledging it, and only once, even after a restart; it refuses a forged one', async () => {
  const store = path.join(temporaryFolder(), 'received.jsonl')
  const send = createSender({ allowLoopback: true })
  const first = await startReceiver(store)
  const { request } = testRequest(first.url, secret, new Date())
  for (let turn = 0; turn < 2; turn += 1) {
    const outcome = await send(request)
    assert.deepEqual([outcome.httpStatus, outcome.error], [204, null])
    const [line, ...rest] = readFileSync(store, 'utf8').split('\n')
    assert.deepEqual([JSON.parse(line ?? ''), rest], [JSON.parse(request.body), ['']])
  }
  const forged = testRequest(first.url, `whsec_${randomBytes(32).toString('base64')}`, new Date())
  assert.equal((await send(forged.request)).error, 'http_400')
  await waitFor('what it refused to be told', () => first.output().includes('Refused'))
  await waitFor('the printed event', () => first.output().includes('webhook.test'))
  assert.equal(first.output().match(/webhook\.test/g)?.length, 1)

  await first.end('SIGKILL')
  const second = await startReceiver(store)
  assert.equal((await send({ ...request, url: second.url })).httpStatus, 204)
  assert.equal(readFileSync(store, 'utf8').trimEnd().split('\n').length, 1)
})

test('the example keeps an event once that comes several times at once, with either of two secrets', async () => {
  const store = path.join(temporaryFolder(), 'received.jsonl')
  const next = generateWebhookSecret()
  const receiver = await startReceiver(store, `${secret},${next}`)
  const sent = JSON.stringify({ id: 'evt_same', type: 'mint.completed', data: { referenceId: 'r', amounts: {} } })
  const headers = (of: string) => ({ 'x-coin-signature': signatureHeader(of, sent, new Date()) })
  const post = async (of: string) =>
    (await fetch(receiver.url, { method: 'POST', body: sent, headers: headers(of) })).status
  assert.deepEqual(
    new Set(await Promise.all(Array.from({ length: 20 }, (_, turn) => post(turn % 2 ? secret : next)))),
    new Set([204]),
  )
  await waitFor('the printed event', () => receiver.output().includes('mint.completed'))
  assert.equal(readFileSync(store, 'utf8'), `${sent}\n`)
  assert.equal(receiver.output().match(/mint\.completed/g)?.length, 1)
})

test('the example starts again after it died in the middle of a line, and keeps what comes again', async () => {
  const store = path.join(temporaryFolder(), 'received.jsonl')
  writeFileSync(store, '{"id":"evt_whole"}\n{"id":"evt_cut","data":{}')
  const receiver = await startReceiver(store)
  const post = async (id: string) => {
    const sent = JSON.stringify({ id, type: 'mint.completed', data: { referenceId: 'r', amounts: {} } })
    const headers = { 'x-coin-signature': signatureHeader(secret, sent, new Date()) }
    return (await fetch(receiver.url, { method: 'POST', body: sent, headers })).status
  }
  assert.deepEqual([await post('evt_whole'), await post('evt_cut')], [204, 204])
  const [whole, , cut] = readFileSync(store, 'utf8').split('\n')
  assert.deepEqual([whole, JSON.parse(cut ?? '').id], ['{"id":"evt_whole"}', 'evt_cut'])
  await receiver.end('SIGKILL')
  await startReceiver(store)
})

test('the example reads no more than 64 KiB', async () => {
  const receiver = await startReceiver(path.join(temporaryFolder(), 'received.jsonl'))
  const answer = await fetch(receiver.url, { method: 'POST', body: 'x'.repeat(64 * 1024 + 1) })
  assert.equal(answer.status, 413)
  assert.equal((await fetch(receiver.url, { method: 'POST', body: 'x'.repeat(64 * 1024) })).status, 400)
})

test('without a secret the example says what to set', async () => {
  const { WEBHOOK_SECRET: _, ...env } = process.env
  const receiver = await startGuarded(process.execPath, [script], { env })
  const text = await waitFor('its words', () => receiver.output() || undefined)
  assert.equal(text, 'Set WEBHOOK_SECRET to the secret that was shown when the endpoint was added.\n')
})
