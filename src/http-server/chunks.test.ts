import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, test } from 'node:test'
import { boundChunks, MAX_SHORT_PIECES } from './chunks.ts'

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
const NEXT = 'GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
const END = '0\r\n\r\n'

const chunkOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const oneByOne = (text: string) => [...text].map(chunkOf).join('')

/** What a bounded server answers to these bytes until it closes the connection. */
async function answersTo(bytes: string, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  boundChunks(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  after(() => {
    socket.destroy()
    server.close()
  })
  let text = ''
  socket.on('error', () => {}).on('data', (chunk) => (text += chunk))
  socket.write(bytes)
  // Closed while something of it is unread, a connection is reset.
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}

/** A listener that answers with what it has read, and how many pieces that came in. */
function reading() {
  const heard = { body: '', pieces: 0 }
  const listener: RequestListener = (request, response) => {
    request.setEncoding('latin1')
    request.on('data', (piece: string) => {
      heard.body += piece
      heard.pieces += 1
    })
    request.on('end', () => void response.writeHead(204).end())
  }
  return { heard, listener }
}

test('a body in as many short pieces as there may be is whole, and is handed over in few', async () => {
  const body = 'abcdefgh'.repeat(MAX_SHORT_PIECES / 8)
  const { heard, listener } = reading()
  const text = await answersTo(HEAD + oneByOne(body) + END + NEXT, listener)
  assert.equal(text.split('HTTP/1.1 204').length - 1, 2)
  assert.equal(heard.body, body)
  assert.ok(heard.pieces <= 3, `${heard.pieces} pieces`)
})

test('short and long pieces stay in their order', async () => {
  const long = 'x'.repeat(70_000)
  const { heard, listener } = reading()
  const pieces = ['ab', long, 'c', 'd', 'y'.repeat(64), 'e', 'z'.repeat(63), 'f']
  await answersTo(HEAD + pieces.map(chunkOf).join('') + END + NEXT, listener)
  assert.equal(heard.body, pieces.join(''))
})

test('of a body in more short pieces no more is read, and its connection is closed', async () => {
  const { heard, listener } = reading()
  const text = await answersTo(HEAD + oneByOne('a'.repeat(MAX_SHORT_PIECES + 1)) + END + NEXT, listener)
  assert.equal(text, '')
  assert.ok(heard.body.length <= MAX_SHORT_PIECES)
})

for (const [name, later] of [
  ['at once', (answer: () => void) => answer()],
  ['later', (answer: () => void) => void setTimeout(answer, 50)],
] as const) {
  test(`what is answered ${name} without its body is answered, and the rest is read no further than that either`, async () => {
    const text = await answersTo(HEAD + oneByOne('a'.repeat(50_000)) + END + NEXT, (_request, response) =>
      later(() => void response.writeHead(401).end()),
    )
    assert.match(text, /^HTTP\/1.1 401 /)
    assert.equal(text.split('HTTP/1.1').length, 2)
  })
}

test('a request that is answered early and goes on as it should leaves its connection as it is', async () => {
  const body = oneByOne('abc') + chunkOf('x'.repeat(300_000)) + END
  const text = await answersTo(HEAD + body + NEXT, (_request, response) => void response.writeHead(401).end())
  assert.equal(text.split('HTTP/1.1 401').length - 1, 2)
})
