/** A client whose process is busy, with a server in another thread: in the same one it would be as busy. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createClient } from '../src/index.ts'
import { API_KEY } from './faulty-server.ts'

const [BUSY, ANSWERED] = [0, 1]
/** Says that a request is there, answers it once the client's thread is busy, and sets what that thread waits for. */
const SERVER = `
const [BUSY, ANSWERED] = [${BUSY}, ${ANSWERED}]
const { createServer } = require('node:http')
const { parentPort, workerData } = require('node:worker_threads')
const server = createServer((request, response) => {
  parentPort.postMessage('asked')
  Atomics.wait(workerData, BUSY, 0)
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}', () => {
    Atomics.store(workerData, ANSWERED, 1)
    Atomics.notify(workerData, ANSWERED)
  })
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`
const TIMEOUT_MS = 1_000

test('an answer that came while the process was busy is an answer, although its time is up when it can be read', async (t) => {
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(SERVER, { eval: true, workerData: shared })
  t.after(() => worker.terminate())
  const [port] = (await once(worker, 'message')) as [number]
  const options = { baseUrl: `http://127.0.0.1:${port}`, apiKey: API_KEY, maxRetries: 0, timeoutMs: TIMEOUT_MS }
  const upAt = Date.now() + TIMEOUT_MS + 100
  worker.once('message', () => {
    Atomics.store(shared, BUSY, 1)
    Atomics.notify(shared, BUSY)
    assert.notEqual(Atomics.wait(shared, ANSWERED, 0, 10_000), 'timed-out')
    while (Date.now() < upAt);
  })
  assert.equal((await createClient(options).config()).ok, true)
  assert.ok(Date.now() >= upAt)
})
