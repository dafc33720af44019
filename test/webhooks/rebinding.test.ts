import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSender } from '../../src/webhooks/send.ts'
import { generateWebhookSecret } from '../../src/webhooks/signature.ts'
import { testRequest } from '../../src/webhooks/test-event.ts'
import { startDnsServer } from './dns-server.ts'
import { startReceiver } from './http-receiver.ts'

/**
 * A sender as in the sandbox, where http to loopback is permitted, so that a permitted answer exists on this machine.
 */
async function sending(answers: string[][], silentFor: 'A' | 'AAAA' | undefined = undefined) {
  let asked = 0
  const dns = await startDnsServer((_name, type) => {
    if (type === silentFor) return undefined
    if (type === 'AAAA') return []
    asked += 1
    return answers[Math.min(asked, answers.length) - 1] ?? []
  })
  const send = createSender({ allowLoopback: true, dnsServers: [dns.address] })
  const post = async (url: string) => (await send(testRequest(url, generateWebhookSecret(), new Date()).request)).error
  return { dns, post }
}

test('the address that was checked is the one connected to: one question per attempt, and its answer is used', async () => {
  const first = await startReceiver()
  const second = await startReceiver(undefined, { host: '127.0.0.2', port: first.port })
  const { dns, post } = await sending([['127.0.0.1'], ['127.0.0.2']])
  const url = `http://rebinding.test:${first.port}/`

  assert.equal(await post(url), null)
  assert.deepEqual([first.connections(), second.connections()], [1, 0])
  assert.equal(dns.questions.filter(({ type }) => type === 'A').length, 1)
  assert.equal(await post(url), null)
  assert.deepEqual([first.connections(), second.connections()], [1, 1])
  dns.close()
  await Promise.all([first.close(), second.close()])
})

test('a name that turns internal is refused at the next attempt', async () => {
  const receiver = await startReceiver()
  const { dns, post } = await sending([['127.0.0.1'], ['169.254.169.254'], ['0.0.0.0']])
  const url = `http://rebinding.test:${receiver.port}/`
  assert.equal(await post(url), null)
  assert.equal(await post(url), 'address_refused')
  assert.equal(await post(url), 'address_refused')
  assert.equal(receiver.connections(), 1)
  dns.close()
  await receiver.close()
})

test('a family whose answer never comes does not hold up the other', async () => {
  const receiver = await startReceiver()
  const { dns, post } = await sending([['127.0.0.1']], 'AAAA')
  assert.equal(await post(`http://half.test:${receiver.port}/`), null)
  dns.close()
  await receiver.close()
})

test('a name server that never answers: timeout', async () => {
  const dns = await startDnsServer(() => undefined)
  const send = createSender({ allowLoopback: true, dnsServers: [dns.address], timeoutMs: 200 })
  const outcome = await send(testRequest('https://silent.test/', generateWebhookSecret(), new Date()).request)
  assert.equal(outcome.error, 'timeout')
  dns.close()
})
