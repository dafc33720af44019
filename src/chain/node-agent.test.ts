/** Nodes by TLS: their connections are kept, and take in only so much. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { cert, key } from '../../test/webhooks/tls-identity.ts'
import { connectNode } from './node.ts'

tls.setDefaultCACertificates([cert])

async function serve(options: ServerOptions = {}, result = '0x1') {
  const server = createServer({ key, cert, ...options }, (request, response) => {
    request.resume()
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  }).listen(0, '127.0.0.1')
  let connections = 0
  server.on('secureConnection', () => {
    connections += 1
  })
  await once(server, 'listening')
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`
  return {
    server,
    origin,
    connections: () => connections,
    ask: (method = 'eth_call') => connectNode(origin).request(method, []),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

test('a connection by TLS is kept, however much comes on it in all, and another is made where the node has closed it', async () => {
  const long = `0x${'ab'.repeat(400_000)}`
  const node = await serve({}, long)
  try {
    for (let turn = 0; turn < 5; turn += 1) assert.equal(await node.ask(), long)
    assert.equal(node.connections(), 1)
    node.server.closeIdleConnections()
    await sleep(100)
    assert.equal(await node.ask(), long)
    assert.equal(node.connections(), 2)
    assert.deepEqual(await Promise.all([node.ask(), node.ask(), node.ask()]), [long, long, long])
  } finally {
    node.close()
  }
  await sleep(100)
  await assert.rejects(node.ask(), { message: `${node.origin}: eth_call: ECONNREFUSED` })
})

test('a node that closes each connection with its answer is asked each time on another one', async () => {
  const body = '{"jsonrpc":"2.0","id":1,"result":"0x1"}'
  const server = tls
    .createServer({ key, cert }, (socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`))
    })
    .listen(0, '127.0.0.1')
  await once(server, 'listening')
  const node = connectNode(`https://localhost:${(server.address() as AddressInfo).port}`)
  try {
    for (let turn = 0; turn < 4; turn += 1) {
      assert.equal(await node.request('eth_call', []), '0x1')
      await sleep(50)
    }
  } finally {
    server.close()
  }
})

test('certificates without end are cut off before they are checked', async () => {
  const node = await serve({ cert: `${cert}\n`.repeat(100) })
  try {
    await assert.rejects(node.ask(), { message: `${node.origin}: eth_call: NO_ANSWER_IN_32_KIB` })
  } finally {
    node.close()
  }
})

test("a node that sends TLS's own records in the place of an answer is not heard for as long as the longest answer takes", async () => {
  const greeting = async (times: number) => {
    const server = tls
      .createServer({ key, cert, maxVersion: 'TLSv1.2' }, (socket) => {
        const body = '{"jsonrpc":"2.0","id":1,"result":[]}'
        const again = (left: number) => {
          if (left === 0) socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
          else socket.renegotiate({}, (error) => void (error ?? setImmediate(again, left - 1)))
        }
        socket.on('error', () => {})
        socket.once('data', () => again(times))
      })
      .listen(0, '127.0.0.1')
    await once(server, 'listening')
    const origin = `https://localhost:${(server.address() as AddressInfo).port}`
    return { server, origin, ask: () => connectNode(origin).request('eth_getLogs', []) }
  }
  const [endless, usual] = [await greeting(1_000), await greeting(3)]
  try {
    await assert.rejects(endless.ask(), { message: `${endless.origin}: eth_getLogs: NO_ANSWER_IN_128_KIB` })
    assert.deepEqual(await usual.ask(), [])
  } finally {
    endless.server.close()
    usual.server.close()
  }
})

test('the longest answers come whole by TLS, in whatever pieces nodes send them', async () => {
  const long = `0x${'ab'.repeat(6_000_000)}`
  const node = await serve({}, long)
  try {
    assert.equal(await node.ask('eth_getLogs'), long)
  } finally {
    node.close()
  }
  const pieces = createServer({ key, cert }, (request, response) => {
    request.resume()
    response.write('{"jsonrpc":"2.0","id":1,"result":"0x')
    const write = (left: number) => {
      if (left === 0) return void response.end('"}')
      response.write('ab'.repeat(128))
      setImmediate(write, left - 1)
    }
    write(20_000)
  }).listen(0, '127.0.0.1')
  await once(pieces, 'listening')
  try {
    const { port } = pieces.address() as AddressInfo
    const answer = await connectNode(`https://localhost:${port}`).request('eth_getLogs', [], 20_000)
    assert.equal(String(answer).length, 2 + 256 * 20_000)
  } finally {
    pieces.closeAllConnections()
    pieces.close()
  }
})

test('a node whose certificate is not valid for its name is not asked', async () => {
  const node = await serve()
  try {
    const origin = node.origin.replace('localhost', '127.0.0.1')
    await assert.rejects(connectNode(origin).request('eth_call', []), {
      message: `${origin}: eth_call: ERR_TLS_CERT_ALTNAME_INVALID`,
    })
  } finally {
    node.close()
  }
})
