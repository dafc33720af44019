// engine: postgres
/** SIGTERM under load: the probe fails first, clients are told to leave, and nobody is cut off. */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startApi, startBench } from '../../bench/support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const CLIENTS = 24

type Seen = { answers: number; refusals: string[]; closed: boolean }

/**
 * A client with one keep-alive connection; it opens no second one, as behind a load balancer that has seen the probe
 * fail.
 */
async function client(port: number, apiKey: string, seen: Seen, pauseMs: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  while (!seen.closed) {
    await new Promise<void>((resolve) => {
      const sent = request(
        { agent, port, host: '127.0.0.1', path: '/v1/config', headers: { authorization: `Bearer ${apiKey}` } },
        (response) => {
          response.on('error', (error) => seen.refusals.push(error.message)).resume()
          response.on('end', () => {
            if (response.statusCode === 200) seen.answers += 1
            else seen.refusals.push(String(response.statusCode))
            if (response.headers.connection === 'close') seen.closed = true
            resolve()
          })
        },
      )
      sent.on('error', (error) => {
        seen.refusals.push(error.message)
        seen.closed = true
        resolve()
      })
      sent.end()
    })
    await pause(pauseMs)
  }
  agent.destroy()
}

test('no client of an ending process is cut off, busy or not', { timeout: 110_000 }, async () => {
  const bench = await startBench()
  const api = await startApi(bench, { poolSize: 4, env: { DRAIN_MS: '4000' } })
  const ready = async () => (await fetch(`http://127.0.0.1:${api.operatorPort}/readyz`).catch(() => undefined))?.status
  assert.equal(await ready(), 200)
  const seen: Seen[] = Array.from({ length: CLIENTS }, () => ({ answers: 0, refusals: [], closed: false }))
  // A third of them send without a pause, a third every 50 ms, a third once a second.
  const clients = seen.map((one, place) => client(api.port, bench.apiKey, one, [0, 50, 1_000][place % 3] ?? 0))
  await waitFor('every client to be answered', () => seen.every(({ answers }) => answers > 1))
  const ending = api.stop()
  await waitFor('the probe to fail', async () => (await ready()) === 503)
  const answersThen = seen.reduce((sum, { answers }) => sum + answers, 0)
  await Promise.all(clients)
  assert.deepEqual(
    seen.flatMap(({ refusals }) => refusals),
    [],
  )
  assert.ok(seen.reduce((sum, { answers }) => sum + answers, 0) > answersThen, 'it answers while it drains')
  await ending
  assert.equal(await api.process.exited, 0)
  await bench.end()
})
