/** What a node says is stored and logged, so nothing of it may break a row or a terminal. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { test } from 'node:test'
import { DHE, suitesIn } from '../../test/support/tls-greeting.ts'
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

test('what is no object is no answer, with whatever status it comes', async () => {
  let [status, body] = [200, '']
  const server = createServer((_request, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = () => connectNode(origin).request('eth_chainId', [])
  const error = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32_005, message: 'slow down' } })
  try {
    for (body of ['', 'null', '1', '"0x1"', '[]', '{}', '<html>']) {
      status = 200
      await assert.rejects(ask(), {
        name: 'RpcUnreachableError',
        message: `${origin}: eth_chainId: not a JSON-RPC answer`,
      })
      status = 503
      await assert.rejects(ask(), { message: `${origin}: eth_chainId: HTTP status 503`, httpStatus: 503 })
    }
    for (status of [200, 429]) {
      body = error
      const refused = { name: 'RpcAnswerError', code: -32_005, message: `${origin}: slow down` }
      await assert.rejects(ask(), { ...refused, httpStatus: status })
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('an answer comes whole in the pieces in which it comes, and the node is told who asks', async () => {
  const result = `0x${'ab'.repeat(150_000)}é`
  const answer = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  let said: IncomingHttpHeaders = {}
  const server = createServer(({ headers }, response) => {
    said = headers
    // The last piece begins in the middle of a letter.
    const middle = answer.indexOf('é') + 1
    const first = middle % 300
    response.write(answer.subarray(0, first))
    for (let at = first; at < answer.length; at += 300) response.write(answer.subarray(at, at + 300))
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    assert.equal(await connectNode(`http://a%40b:c%20d@127.0.0.1:${port}/key?x=1`).request('eth_call', []), result)
    assert.equal(said.authorization, `Basic ${Buffer.from('a@b:c d').toString('base64')}`)
    assert.deepEqual(
      [said['user-agent'], said['content-type'], said['accept-encoding']],
      ['node', 'application/json', 'identity'],
    )
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('an answer that breaks off, or does not come in time, is none', async () => {
  let asked = 0
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{')
    asked += 1
    if (asked === 1) setImmediate(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = () => connectNode(origin).request('eth_chainId', [], 300)
  try {
    await assert.rejects(ask(), { name: 'RpcUnreachableError', message: `${origin}: eth_chainId: ECONNRESET` })
    await assert.rejects(ask(), { message: `${origin}: eth_chainId: no answer within 300 ms` })
  } finally {
    server.closeAllConnections()
    server.close()
  }
  await assert.rejects(ask(), { message: `${origin}: eth_chainId: ECONNREFUSED` })
  await assert.rejects(connectNode('no address').request('eth_chainId', []), { name: 'RpcUnreachableError' })
})

test('a long answer has no more parts than what it can be has', { timeout: 60_000 }, async () => {
  const size = 8 * 1024 * 1024
  const word = `0x${'ab'.repeat(32)}`
  const address = `0x${'ab'.repeat(20)}`
  const log = { address, topics: [word], data: '0x', blockNumber: '0x1', transactionHash: word, logIndex: '0x0' }
  const others = { blockHash: word, transactionIndex: '0x0', removed: false }
  const real = JSON.stringify({ ...log, ...others })
  let result = ''
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(`{"jsonrpc":"2.0","id":1,"result":${result}}`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = () => connectNode(origin).request('eth_getLogs', [{}], 30_000)
  const listOf = (part: string) => `[${Array.from({ length: size / (part.length + 1) }, () => part).join(',')}]`
  try {
    // Made before anything is asked: while a busy machine makes them, the server would close the connection that is kept.
    const hostile = [listOf('[]'), listOf('{}'), listOf('1'), '['.repeat(size / 2) + ']'.repeat(size / 2)]
    result = listOf(real)
    assert.equal(((await ask()) as unknown[]).length, Math.floor(size / (real.length + 1)))
    for (result of hostile) {
      const refused = { name: 'RpcUnreachableError', message: `${origin}: eth_getLogs: TOO_MANY_PARTS` }
      await assert.rejects(ask(), refused, result.slice(0, 10))
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('an address is offered no key exchange with numbers of its own choice', async () => {
  const greetings: Buffer[] = []
  const server = createTcpServer((socket) => {
    socket.once('data', (chunk: Buffer) => {
      greetings.push(chunk)
      socket.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    await assert.rejects(connectNode(origin).request('eth_chainId', []), {
      message: `${origin}: eth_chainId: ECONNRESET`,
    })
  } finally {
    server.close()
  }
  const [greeting] = greetings
  assert.ok(greeting)
  const suites = suitesIn(greeting)
  assert.deepEqual(
    suites.filter((suite) => DHE.includes(suite)),
    [],
  )
  // TLS_AES_256_GCM_SHA384 of TLS 1.3, and TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 of 1.2.
  for (const usual of [0x1302, 0xc02f]) assert.ok(suites.includes(usual), String(suites))
})

test('a node that sends its answer byte by byte, or interim answers without end, is heard no further', async () => {
  const flood = { head: '', piece: '' }
  let isCut = Promise.withResolvers<number>()
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.on('close', () => isCut.resolve(socket.bytesWritten))
    socket.once('data', () => {
      socket.write(flood.head)
      const go = () => {
        while (!socket.destroyed && socket.write(flood.piece));
      }
      socket.on('drain', go)
      go()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
  try {
    for (const [head, piece, code] of [
      [chunked, '1\r\n \r\n'.repeat(1_000), 'TOO_MANY_PIECES'],
      ['', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000), 'TOO_MANY_INTERIM_ANSWERS'],
      ['', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000), 'TOO_MANY_INTERIM_ANSWERS'],
    ] as const) {
      Object.assign(flood, { head, piece })
      isCut = Promise.withResolvers()
      await assert.rejects(connectNode(origin).request('eth_getLogs', [{}], 60_000), {
        name: 'RpcUnreachableError',
        message: `${origin}: eth_getLogs: ${code}`,
      })
      await isCut.promise
    }
  } finally {
    server.close()
  }
})
