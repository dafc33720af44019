/**
 * A program for a partner's project, as text because old Nodes run no TypeScript: a mint whose first answer breaks off, framed and
 * ended in each way that a proxy may. Runtimes differ in what they take for whole. It prints what was given up.
 */
export const TORN_ANSWERS = String.raw`
import { createServer } from 'node:net'
import { createClient } from 'stablecoin-partner-sdk'

const text = JSON.stringify({ ok: true, referenceId: 'order-0001', status: 'pending' })
const length = 'content-length: ' + text.length + '\r\n'
const chunked = 'transfer-encoding: chunked\r\n'
const close = 'connection: close\r\n'
const givenUp = []

async function mint(framing, end) {
  let requests = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => {
      requests += 1
      const isTorn = requests === 1
      const body = isTorn ? text.slice(0, 20) : text
      const begin = framing.includes(chunked) && isTorn ? text.length.toString(16) + '\r\n' : ''
      const head = 'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\n' + (isTorn ? framing : length + close) + '\r\n'
      socket.write(head + begin + body, () => (isTorn ? socket[end]() : socket.end()))
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const apiKey = 'coin_sandbox_0123456789abcdef_' + 'a'.repeat(43)
  const timers = { now: Date.now, random: Math.random, delay: async () => {} }
  const coin = createClient({ baseUrl: 'http://127.0.0.1:' + server.address().port, apiKey, timers })
  await coin.mints.create({}).catch((error) => givenUp.push(framing + end + ': ' + error.message))
  server.close()
}

for (const framing of [length, length + close, chunked, chunked + close, close])
  for (const end of ['end', 'resetAndDestroy']) await mint(framing, end)
console.log(JSON.stringify(givenUp))
`
