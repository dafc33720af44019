/** Names of nodes whose servers are silent: they are looked up by two threads that a process has for all its names. */
import assert from 'node:assert/strict'
import dns from 'node:dns'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectNode } from './node.ts'

/** For so long the system waits for silent servers; in truth it is some twenty seconds. */
const SILENT_MS = 1_500

/** As the system does it: two at a time, in turn. */
function twoThreads() {
  const waiting: (() => void)[] = []
  const looked: string[] = []
  let busy = 0
  let silentMs = SILENT_MS
  const next = () => {
    if (busy < 2) waiting.shift()?.()
  }
  const lookup = (hostname: string, _options: unknown, callback: (error: Error | null, found: unknown) => void) => {
    const isSilent = hostname.endsWith('.silent')
    const answer = () => {
      busy -= 1
      if (isSilent) callback(Object.assign(new Error(hostname), { code: 'EAI_AGAIN' }), undefined)
      else callback(null, [{ address: '127.0.0.1', family: 4 }])
      next()
    }
    waiting.push(() => {
      busy += 1
      looked.push(hostname)
      setTimeout(answer, isSilent ? silentMs : 1)
    })
    next()
  }
  return {
    lookup,
    looked,
    /** Nothing is silent any more: what waits for its turn has it. */
    async end() {
      silentMs = 1
      for (let quiet = 0; quiet < 10; quiet += 1) {
        if (busy > 0) quiet = 0
        await sleep(10)
      }
    },
  }
}

/** A node that is asked by any name. Each request needs another connection, and so an address. */
async function nodeOfManyNames() {
  const server = createServer((_request, response) => {
    response.setHeader('connection', 'close').end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x1' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = (name: string, timeoutMs: number) =>
    connectNode(`http://${name}:${port}`).request('eth_blockNumber', [], timeoutMs)
  return { server, ask }
}

test('names whose servers are silent keep no other from its address', { timeout: 60_000 }, async (t) => {
  const { lookup, looked, end } = twoThreads()
  t.mock.method(dns, 'lookup', lookup)
  const { server, ask } = await nodeOfManyNames()
  const silent = ['one.silent', 'two.silent', 'three.silent']
  const failures: Promise<unknown>[] = []
  const asking = setInterval(() => {
    for (const name of silent) failures.push(assert.rejects(ask(name, 200), /no answer within|EAI_AGAIN/))
  }, 20)
  try {
    // Until they have shown that they are: until then all may be looked up side by side.
    await sleep(2 * SILENT_MS + 500)
    for (let turn = 0; turn < 10; turn += 1) {
      assert.equal(await ask('node.example', 1_000), '0x1')
      await sleep(50)
    }
    assert.ok(failures.length > 100)
    assert.ok(looked.filter((name) => name.endsWith('.silent')).length < 10, String(looked))
  } finally {
    clearInterval(asking)
    await Promise.all(failures)
    await end()
    server.closeAllConnections()
    server.close()
  }
})

test('a name that only waits while both threads are taken is not one whose servers are silent', {
  timeout: 60_000,
}, async (t) => {
  const { lookup, end } = twoThreads()
  t.mock.method(dns, 'lookup', lookup)
  const { server, ask } = await nodeOfManyNames()
  const failures: Promise<unknown>[] = []
  const askSilent = () => {
    for (const name of ['first.silent', 'second.silent'])
      failures.push(assert.rejects(ask(name, 200), /no answer within|EAI_AGAIN/))
  }
  askSilent()
  const asking = setInterval(askSilent, 20)
  try {
    // From the first moment on, as a node is that has to be asked all the time.
    assert.equal(await ask('waits.example', 2 * SILENT_MS), '0x1')
    for (let turn = 0; turn < 10; turn += 1) {
      await sleep(50)
      assert.equal(await ask('waits.example', 1_000), '0x1')
    }
  } finally {
    clearInterval(asking)
    await Promise.all(failures)
    await end()
    server.closeAllConnections()
    server.close()
  }
})

test('a name is found again as soon as its servers answer, and what is wrong with one is told', async (t) => {
  const answers: unknown[] = []
  const lookup = (_name: string, _options: unknown, callback: (...answer: unknown[]) => void) =>
    setImmediate(() => callback(...(answers.shift() as unknown[])))
  const server = createServer((_request, response) => {
    response.setHeader('connection', 'close').end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x1' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.mock.method(dns, 'lookup', lookup)
  const node = connectNode(`http://again.example:${port}`)
  try {
    answers.push([Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })])
    await assert.rejects(node.request('eth_blockNumber', []), { message: /: eth_blockNumber: ENOTFOUND$/ })
    answers.push([null, [{ address: '127.0.0.1', family: 4 }]])
    assert.equal(await node.request('eth_blockNumber', []), '0x1')
    // Those that ask at the same time wait for one answer.
    answers.push([null, [{ address: '127.0.0.1', family: 4 }]])
    const three = [1, 2, 3].map(() => node.request('eth_blockNumber', []))
    assert.deepEqual(await Promise.all(three), ['0x1', '0x1', '0x1'])
    assert.equal(answers.length, 0)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
