/**
 * A lean HTTP/1.1 load generator in a process of its own: keep-alive connections over plain sockets, each sending its
 * next request when the last one is answered. It does as little as it can, because it shares the machine's cores with
 * what it measures. Reads one JSON line with the job from standard input, prints one with the outcome.
 */
import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { Load, LoadJob } from './load.ts'

const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i

/** The length of the last body received. */
let lastLength = 0

const job = JSON.parse((await process.stdin.toArray()).join('')) as LoadJob
console.log(JSON.stringify(await run(job)))

/** Sends for `warmUpSeconds` without counting, then for `seconds`. */
async function run({ port, connections, warmUpSeconds, seconds, ...kind }: LoadJob): Promise<Load> {
  const nextRequest = requestsOf(port, kind)
  const statuses: Record<string, number> = {}
  const latenciesMs: number[] = []
  const start = performance.now() + warmUpSeconds * 1000
  const end = start + seconds * 1000
  let answered = 0
  const observe = (status: string, sentMs: number, nowMs: number): void => {
    answered += 1
    if (nowMs < start || nowMs >= end) return
    statuses[status] = (statuses[status] ?? 0) + 1
    latenciesMs.push(nowMs - sentMs)
  }
  await Promise.all(Array.from({ length: connections }, () => keepSending(port, nextRequest, observe, end)))
  latenciesMs.sort((a, b) => a - b)
  const at = (share: number) => latenciesMs[Math.floor(latenciesMs.length * share)] ?? Number.NaN
  const perSecond = latenciesMs.length / seconds
  return { answered, perSecond, statuses, p50Ms: at(0.5), p99Ms: at(0.99), bytes: lastLength }
}

function keepSending(
  port: number,
  nextRequest: () => string,
  observe: (status: string, sentMs: number, nowMs: number) => void,
  end: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let received = ''
    let sentMs = 0
    const send = (): void => {
      sentMs = performance.now()
      socket.write(nextRequest(), 'latin1')
    }
    socket.setEncoding('latin1')
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
    socket.on('data', (chunk: string) => {
      received += chunk
      const head = received.indexOf(HEAD_END)
      if (head === -1) return
      const length = Number(CONTENT_LENGTH.exec(received)?.[1])
      if (received.length < head + HEAD_END.length + length) return
      const nowMs = performance.now()
      observe(received.slice(9, 12), sentMs, nowMs)
      lastLength = length
      received = ''
      if (nowMs < end) return send()
      socket.removeAllListeners('close')
      socket.end()
      resolve()
    })
  })
}

function requestsOf(port: number, { apiKey, mint, paths }: Pick<LoadJob, 'apiKey' | 'mint' | 'paths'>): () => string {
  const common = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\n`
  if (mint === undefined) {
    const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\n${common}\r\n`)
    return () => requests[Math.floor(Math.random() * requests.length)] ?? ''
  }
  const run = randomUUID()
  let count = 0
  return () => {
    count += 1
    const body = JSON.stringify({ referenceId: `${run}-${count}`, ...mint })
    return (
      `POST /v1/mints HTTP/1.1\r\n${common}Idempotency-Key: ${run}-${count}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    )
  }
}
