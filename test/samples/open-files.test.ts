/** A process that may open few files: its metrics say so before it drops connections, which it does without a word. */
// Runbook: A process runs out of files
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { waitFor } from '../support/wait-for.ts'

const MAY_OPEN = 100
const METRICS = JSON.stringify(new URL('../../src/metrics/metrics.ts', import.meta.url).href)
/** Answers on a port, and says its port, and its metrics whenever it is asked on standard input. */
const PROGRAM = `const { createMetrics } = await import(${METRICS})
  const { registry } = createMetrics()
  const server = (await import('node:http')).createServer((_, response) => response.end('here'))
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
  process.stdin.on('data', async () => console.log((await registry.metrics()).replaceAll('\\n', ' ')))`

test('how many files are open is shown while connections can still be taken', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const command = `ulimit -n ${MAY_OPEN}; exec "$0" --input-type=module -e "$1"`
  const child = spawn('/bin/sh', ['-c', command, process.execPath, PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] })
  const sockets: { socket: Socket; isClosed: boolean }[] = []
  t.after(() => {
    for (const { socket } of sockets) socket.destroy()
    child.kill()
  })
  const said = async () => String((await once(child.stdout, 'data'))[0])
  const port = Number(await said())
  const open = async (count: number) => {
    const fresh = Array.from({ length: count }, () => ({ socket: connect(port, '127.0.0.1'), isClosed: false }))
    for (const each of fresh) {
      each.socket.on('error', () => {})
      each.socket.once('close', () => {
        each.isClosed = true
      })
    }
    sockets.push(...fresh)
    await Promise.all(fresh.map(({ socket }) => once(socket, 'connect')))
  }
  const share = async () => {
    const shown = said()
    child.stdin.write('metrics')
    const [openFiles, mayOpen] = ['open', 'max'].map((of) => new RegExp(` process_${of}_fds (\\d+)`))
    const text = await shown
    return Number(openFiles?.exec(text)?.[1]) / Number(mayOpen?.exec(text)?.[1])
  }
  assert.ok((await share()) < 0.5)
  await open(60)
  await waitFor('the files', async () => (await share()) > 0.8)
  assert.ok(sockets.every(({ isClosed }) => !isClosed))
  await open(40)
  await waitFor('connections that are dropped', () => sockets.some(({ isClosed }) => isClosed))
  for (const { socket } of sockets.splice(0)) socket.destroy()
  await waitFor('room', async () => (await share()) < 0.5)
})
