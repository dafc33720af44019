import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { waitFor } from '../../test/support/wait-for.ts'
import { cutOffUnfinished } from './unfinished.ts'

const WHOLE = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** A server that answers after `answerMs`, and a connection to it on which `bytes` were sent. */
async function sent(bytes: string, answerMs: number) {
  const app = Fastify()
  cutOffUnfinished(app)
  app.get('/', async () => {
    await sleep(answerMs)
    return 'answered'
  })
  app.post('/', async () => 'answered')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const arriving = once(app.server, 'connection')
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  let text = ''
  socket.on('error', () => {}).on('data', (chunk) => (text += chunk))
  const [served] = (await arriving) as [Socket]
  socket.write(bytes)
  // Little by little, so that the line is never silent.
  const more = setInterval(() => socket.writable && bytes !== WHOLE && socket.write(' '), 200)
  socket.once('close', () => clearInterval(more))
  await waitFor('the server to have read them', () => served.bytesRead >= bytes.length)
  return { app, socket, text: () => text }
}

for (const [name, bytes] of [
  ['half a head', 'GET / HTTP/1.1\r\nX: a'],
  ['half a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{'],
  ['a request that was answered, then half a head', `${WHOLE}GET / HTTP/1.1\r\nX: a`],
] as const) {
  test(`who has sent ${name} does not keep a server from closing`, async () => {
    const { app, socket } = await sent(bytes, 0)
    await app.close()
    if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
  })
}

test('a whole request is answered, however long that takes', async () => {
  const { app, text } = await sent(WHOLE, 5_000)
  await app.close()
  assert.match(text(), /answered$/)
})
