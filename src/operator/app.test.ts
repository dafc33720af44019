import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { MAX_SHORT_PIECES } from '../http-server/chunks.ts'
import { MAX_UNANSWERED } from '../http-server/pipelining.ts'
import { createProbes, MAX_CONNECTIONS } from './app.ts'
import type { ProbeDeps } from './deps.ts'

async function startProbes(deps: Record<string, unknown> = {}) {
  const app = createProbes({ logger: { debug() {} }, health: {}, ...deps } as unknown as ProbeDeps)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, port: (app.server.address() as AddressInfo).port }
}

/** What comes back for these lines and no body, until the connection ends. */
async function answerTo(port: number, ...lines: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('error', () => {}).on('data', (chunk) => (text += chunk))
  socket.write([...lines, 'Connection: close', '', ''].join('\r\n'))
  await once(socket, 'close')
  return text
}

/** Sends a request, and resolves with what comes back until the connection ends or one answer is there. */
async function ask(socket: Socket): Promise<string> {
  let text = ''
  socket.on('error', () => {}).on('data', (chunk) => (text += chunk))
  socket.write('GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n')
  await new Promise((resolve) => socket.once('close', resolve).once('data', resolve))
  return text
}

test('a header that HTTP allows once is refused when it is there twice, and so is what is oddly framed', async () => {
  const { app, port } = await startProbes()
  const [line, host] = ['GET /livez HTTP/1.1', 'Host: a']
  const odd: [says: string, ...lines: string[]][] = [
    ['host', line, host, 'host: b'],
    ['host', line, host, host],
    ['authorization', line, host, 'Authorization: Bearer a', 'AUTHORIZATION: Bearer b'],
    ['content-type', line, host, 'Content-Type: application/json', 'Content-Type: text/plain'],
    ['HTTP/1.1', 'GET /livez HTTP/2.0', host],
    ['HTTP/1.1', 'GET /livez HTTP/1.0', host, 'Transfer-Encoding: chunked', '', '0'],
  ]
  for (const [says, ...lines] of odd) {
    const answer = await answerTo(port, ...lines)
    assert.match(answer, /^HTTP\/1.1 400/, lines.join())
    assert.match(answer, /"code":"BAD_REQUEST"/)
    assert.ok(answer.includes(says), answer)
  }
  for (const lines of [[line, host, 'X-Host: b', 'Authorization: Bearer a'], ['GET /livez HTTP/1.0']]) {
    assert.match(await answerTo(port, ...lines), /^HTTP\/1.1 200/, lines.join())
  }
  await app.close()
})

test('connections are bounded, and those that only wait make room', async () => {
  const { app, port } = await startProbes()
  const held = Array.from({ length: MAX_CONNECTIONS }, () => connect(port, '127.0.0.1'))
  for (const answer of await Promise.all(held.map(ask))) assert.match(answer, /^HTTP\/1.1 404/)
  assert.equal(await ask(connect(port, '127.0.0.1')), '', 'one too many')
  await Promise.all(held.map((socket) => socket.closed || new Promise((resolve) => socket.once('close', resolve))))
  assert.match(await ask(connect(port, '127.0.0.1')), /^HTTP\/1.1 404/)
  await app.close()
})

test('who sends more ahead than may wait is answered that much, then closed', async () => {
  const { app, port } = await startProbes()
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('error', () => {}).on('data', (chunk) => (text += chunk))
  socket.write('GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5_000))
  await new Promise((resolve) => socket.once('close', resolve))
  assert.equal(text.split('HTTP/1.1 404').length - 1, MAX_UNANSWERED)
  await app.close()
})

test('who sends a body in more pieces than may be is answered, then closed', async () => {
  const { app, port } = await startProbes()
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('error', () => {}).on('data', (chunk) => (text += chunk))
  const head = 'POST /nowhere HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
  const end = '0\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  socket.write(head + '1\r\na\r\n'.repeat(10 * MAX_SHORT_PIECES) + end)
  await new Promise((resolve) => socket.once('close', resolve))
  assert.equal(text.split('HTTP/1.1 404').length - 1, 1)
  await app.close()
})

test('metrics that are asked for while they are read are read once', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  let made = 0
  const metrics = () => {
    made += 1
    return made === 1 ? promise : Promise.resolve('later')
  }
  const { app, port } = await startProbes({ metrics: { contentType: 'text/plain', metrics } })
  const ask = () => fetch(`http://127.0.0.1:${port}/metrics`).then((answer) => answer.text())
  let heard = 0
  app.server.on('request', () => {
    heard += 1
    if (heard === 3) setImmediate(resolve, 'once')
  })
  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), ['once', 'once', 'once'])
  assert.equal(await ask(), 'later')
  await app.close()
})

test('who has sent half a line does not keep the port from closing', async () => {
  const { app, port } = await startProbes()
  const socket = connect(port, '127.0.0.1').resume()
  socket.on('error', () => {}).write('GET /livez')
  const more = setInterval(() => socket.writable && socket.write('a'), 200)
  await once(app.server, 'connection')
  await app.close()
  clearInterval(more)
})

test('who connects and says nothing, or little by little, is gone in seconds', async () => {
  const { app, port } = await startProbes()
  const begunMs = performance.now()
  const ends = ['', 'GET /livez HTTP/1.1\r\nX: a'].map(async (beginning) => {
    const socket = connect(port, '127.0.0.1').resume()
    await once(socket, 'connect')
    socket.write(beginning)
    const more = setInterval(() => socket.writable && beginning !== '' && socket.write('a'), 1_000)
    await once(socket, 'close')
    clearInterval(more)
  })
  await Promise.all(ends)
  assert.ok(performance.now() - begunMs > 9_000, 'who is only slow has ten seconds')
  await app.close()
})
