/** What a node says is stored and logged, so nothing of it may break a row or a terminal. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { connectNode, RpcAnswerError } from './node.ts'

test('an error message has no control characters, is short, and names no path and no key of the address', async () => {
  const key = 'a1B2c3D4e5F6a7B8'
  let error: unknown
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const thrown = async (said: unknown, url = `${origin}/v2/secret`) => {
    error = said
    const failure = await connectNode(url)
      .request('eth_blockNumber', [])
      .catch((each: unknown) => each)
    assert.ok(failure instanceof RpcAnswerError, String(failure))
    return failure
  }
  const told = async (message: string, url?: string) => (await thrown({ code: -32000, message }, url)).message
  try {
    assert.match(await told('already known\u0000\u001b[2J\n'), /already known {2}\[2J $/)
    assert.ok(!(await told(`cannot reach ${origin}/v2/secret`)).includes('secret'))
    assert.ok((await told('x'.repeat(10_000))).length < 500)
    const keyed = `http://somebody:passWord@127.0.0.1:${port}/v2/${key}?key=${key}%25`
    assert.match(await told(`no /v2/${key}, ${key}% or passWord`, keyed), /: no \/v2\/…, …% or …$/)
    // Whatever a node puts in the place of a text, a number or the data of a revert.
    const odd = { toString: 1, valueOf: 1 }
    const data = `0x${'12'.repeat(1_000)}`
    assert.match((await thrown({ code: odd, message: odd })).message, /error without a message$/)
    assert.equal((await thrown({ code: '-32005', message: 7 })).code, -32_005)
    assert.equal((await thrown({ data })).data, data)
    assert.equal((await thrown({ data: { data, message: 'deeper' } })).data, data)
    for (const other of [odd, [[data]], 'text', null, `${data}${'00'.repeat(100)}`])
      assert.equal((await thrown({ data: other })).data, undefined)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('an address leads to no other: what it redirects to is never asked', async () => {
  let asked = 0
  const inside = createServer((_request, response) => {
    asked += 1
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x1' }))
  }).listen(0, '127.0.0.1')
  await once(inside, 'listening')
  const location = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/latest/meta-data`
  const server = createServer(({ url }, response) => {
    response.writeHead(Number(url?.slice(1)), { location }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    for (const status of [301, 302, 303, 307, 308]) {
      const node = connectNode(`${origin}/${status}`)
      await assert.rejects(node.request('eth_blockNumber', []), {
        name: 'RpcUnreachableError',
        message: `${origin}: eth_blockNumber: HTTP status ${status}`,
      })
    }
    assert.equal(asked, 0)
  } finally {
    for (const each of [server, inside]) {
      each.closeAllConnections()
      each.close()
    }
  }
})

test('an answer may be as long as what is asked for can be, and no longer', async () => {
  let bytes = 0
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x1' }).padEnd(bytes))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const node = connectNode(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const [usual, long] = [2 ** 20, 2 ** 24]
  const asked: [method: string, params: unknown[], most: number][] = [
    ['eth_call', [{}, 'latest'], usual],
    ['eth_getBlockByNumber', ['latest', false], usual],
    ['eth_getTransactionReceipt', ['0x1'], usual],
    ['eth_getBlockByNumber', ['0x1', true], long],
    ['eth_getLogs', [{}], long],
    ['eth_getTransactionByHash', ['0x1'], long],
  ]
  try {
    for (const [method, params, most] of asked) {
      bytes = most
      assert.equal(await node.request(method, params), '0x1', method)
      bytes = most + 1
      const refused = { name: 'RpcUnreachableError', isTooLong: true, message: /: the answer is too long$/ }
      await assert.rejects(node.request(method, params), refused, method)
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
