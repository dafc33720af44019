/** The last check before a request leaves: of the socket itself, whatever was resolved and checked before. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { mayConnect } from '../../src/webhooks/address-guard.ts'
import { AddressRefusedError } from '../../src/webhooks/checked-addresses.ts'
import { post } from '../../src/webhooks/post.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from './http-receiver.ts'

const request = { url: 'http://unused.test/', body: '{"secret":1}', signature: 't=1,v1=00' }
let server: Server
let connections = 0
let ended = 0
let bytes = 0
before(async () => {
  server = createServer((_request, response) => void response.end())
  server.on('connection', (socket) => {
    connections += 1
    socket.on('error', () => {}).on('close', () => (ended += 1))
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
after(() => server.close())

const postTo = (url: URL, addresses: string[], allowLoopback: boolean) =>
  post({
    url,
    addresses,
    mayConnect: (address) => mayConnect(address, url.protocol, allowLoopback),
    request,
    signal: AbortSignal.timeout(10_000),
    sent: () => {},
  })

test('a socket that is connected to an address that is not permitted sends nothing, not even a greeting of TLS', async () => {
  for (const protocol of ['http', 'https']) {
    const url = new URL(`${protocol}://webhooks.test:${(server.address() as AddressInfo).port}/`)
    await assert.rejects(postTo(url, ['127.0.0.1'], false), AddressRefusedError)
  }
  await waitFor('both connections to end', () => ended === 2)
  assert.deepEqual([connections, bytes], [2, 0])
})

test('the request goes to the address it was given, by whatever name', async () => {
  const receiver = await startReceiver()
  const answer = await postTo(new URL(`http://webhooks.test:${receiver.port}/hook`), ['127.0.0.1'], true)
  assert.equal(answer.status, 204)
  assert.deepEqual(
    receiver.received.map(({ path, body }) => [path, body]),
    [['/hook', request.body]],
  )
  await receiver.close()
})

test('an address whose connection takes longer than 250 ms is waited for, and the last one has most of the five seconds', async (t) => {
  const connect = t.mock.method(Socket.prototype, 'connect')
  const timeouts = async (protocol: string, addresses: string[]) => {
    connect.mock.resetCalls()
    const url = new URL(`${protocol}://webhooks.test:${(server.address() as AddressInfo).port}/`)
    await postTo(url, addresses, false).catch(() => {})
    // As node:net hands them on: an array with the options first, or the options themselves.
    const given = connect.mock.calls.flatMap(({ arguments: args }) => (args as unknown[]).flat())
    const [{ autoSelectFamilyAttemptTimeout: timeoutMs } = {}] = given as { autoSelectFamilyAttemptTimeout?: number }[]
    return timeoutMs
  }
  const four = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4']
  for (const protocol of ['http', 'https'])
    assert.deepEqual(
      [
        await timeouts(protocol, four.slice(0, 1)),
        await timeouts(protocol, four.slice(0, 2)),
        await timeouts(protocol, four),
      ],
      [1000, 1000, 666],
      protocol,
    )
})
