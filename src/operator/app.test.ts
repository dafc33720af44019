import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { createProbes } from './app.ts'
import type { ProbeDeps } from './deps.ts'

test('who connects and says nothing, or little by little, is gone in seconds', async () => {
  const app = createProbes({ logger: { debug() {} }, health: {} } as unknown as ProbeDeps)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
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
  const tookMs = performance.now() - begunMs
  assert.ok(tookMs > 9_000 && tookMs < 20_000, `${Math.round(tookMs)} ms`)
  await app.close()
})
