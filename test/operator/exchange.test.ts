/** One request of the command line: how long it waits, and whether it may have arrived. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { exchange, NoAnswerError } from '../../src/operator/cli/exchange.ts'
import { PATIENCE_MS } from '../support/wait-for.ts'

async function listening(t: TestContext, server: Server): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const answering = (t: TestContext, answer: RequestListener) => listening(t, createHttpServer(answer))

const post = (url: string, timeoutMs = PATIENCE_MS) =>
  exchange({ url, method: 'POST', headers: { 'x-approval': 'ap_1' }, body: '{"ä":1}' }, timeoutMs)

const arrived = (expected: boolean) => (error: unknown) =>
  error instanceof NoAnswerError && error.mayHaveArrived === expected

test('an answer is waited for as long as the caller says, whatever Node’s fetch would, and no longer', async (t) => {
  const late = await answering(t, () => t.mock.timers.tick(600_000))
  const host = await answering(t, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      t.mock.timers.tick(599_000)
      response.end(`${request.headers['x-approval']} ${Buffer.concat(chunks)}`)
    })
  })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  assert.deepEqual(await post(`http://${host}/x`, 600_000), { status: 200, text: 'ap_1 {"ä":1}' })
  await assert.rejects(post(`http://${late}/x`, 600_000), arrived(true))
})

test('a redirect is an answer, and followed by nobody', async (t) => {
  let asked = 0
  const host = await answering(t, (_, response) => {
    asked += 1
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  assert.equal((await post(`http://${host}/x`)).status, 307)
  assert.equal(asked, 1)
})

test('what has been sent may have arrived, and what never was has not', async (t) => {
  const silent = await answering(t, () => {})
  await assert.rejects(post(`http://${silent}/`, 200), arrived(true))
  const half = await answering(t, (_, response) => {
    response.writeHead(200, { 'content-length': '9' }).write('{', () => response.destroy())
  })
  await assert.rejects(post(`http://${half}/`), arrived(true))
  const closed = await listening(
    t,
    createServer((socket) => socket.end()),
  )
  await assert.rejects(post(`https://${closed}/`), arrived(false), 'TLS never began')
  const server = createServer()
  const nobody = await listening(t, server)
  await new Promise((resolve) => server.close(resolve))
  await assert.rejects(post(`http://${nobody}/`), arrived(false))
})

test('a connection that does not come about in ten seconds is given up', async (t) => {
  const mute = await listening(
    t,
    createServer((socket) => {
      socket.on('data', () => t.mock.timers.tick(10_000))
    }),
  )
  t.mock.timers.enable({ apis: ['setTimeout'] })
  await assert.rejects(post(`https://${mute}/`), arrived(false))
})
