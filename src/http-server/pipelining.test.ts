import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, test } from 'node:test'
import { boundPipelining, MAX_UNANSWERED } from './pipelining.ts'

const ASKED = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** A connection to a bounded server, and how many requests its listener has heard of. */
async function connected(listener: RequestListener) {
  let heard = 0
  const server = createServer((request, response) => {
    heard += 1
    listener(request, response)
  })
  boundPipelining(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  after(() => {
    socket.destroy()
    server.close()
  })
  let text = ''
  socket.on('error', () => {}).on('data', (chunk) => (text += chunk))
  const answers = () => text.split('HTTP/1.1 204').length - 1
  /** Writes, and waits for that many answers in all, or the end. */
  const ask = async (times: number, expected: number) => {
    socket.write(ASKED.repeat(times))
    const more = () => new Promise((resolve) => socket.once('data', resolve).once('close', resolve))
    while (!socket.closed && answers() < expected) await more()
  }
  return { socket, ask, answers, heard: () => heard }
}

test('as many as may wait at once are answered, any number of times, and the connection stays', async () => {
  const { socket, ask, answers } = await connected((_request, response) => void response.writeHead(204).end())
  for (const round of [1, 2, 3]) await ask(MAX_UNANSWERED, round * MAX_UNANSWERED)
  assert.equal(answers(), 3 * MAX_UNANSWERED)
  assert.equal(socket.closed, false)
})

for (const [name, later] of [
  ['at once', (answer: () => void) => answer()],
  ['later', (answer: () => void) => void setTimeout(answer, 50)],
] as const) {
  test(`of more than may wait none is carried out, and the connection ends after the answers to the others, made ${name}`, async () => {
    const { socket, ask, answers, heard } = await connected((_request, response) =>
      later(() => void response.writeHead(204).end()),
    )
    await ask(20_000, Number.POSITIVE_INFINITY)
    assert.equal(socket.closed, true)
    assert.equal(answers(), MAX_UNANSWERED)
    assert.equal(heard(), MAX_UNANSWERED)
  })
}

test('one that asked for more than may wait, and is not answered, is closed', async () => {
  const { ask, answers, heard } = await connected(() => {})
  await ask(MAX_UNANSWERED + 1, 1)
  assert.deepEqual([answers(), heard()], [0, MAX_UNANSWERED])
})
