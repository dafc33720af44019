/**
 * A lean HTTP/1.1 load generator in a process of its own: keep-alive connections over plain sockets. Either each sends its
 * next request when the last one is answered, or requests come at random instants with a given rate, whether the last
 * ones are answered or not. It does as little as it can, because it shares the machine's cores with what it measures.
 * Reads one JSON line with the job from standard input, prints one with the outcome.
 */
import { type Answer, type Connection, openConnection } from './connection.ts'
import type { Load, LoadJob } from './load.ts'
import { requestsOf } from './load-requests.ts'

/** A timer fires that much late without anybody being late. */
const TIMER_MS = 2

const job = JSON.parse((await process.stdin.toArray()).join('')) as LoadJob
console.log(JSON.stringify(await run(job)))
process.exit()

/** Sends for `warmUpSeconds` without counting, then for `seconds`. */
async function run({ port, connections, warmUpSeconds, seconds, rate, ...kind }: LoadJob): Promise<Load> {
  const statuses: Record<string, number> = {}
  const latenciesMs: number[] = []
  const start = performance.now() + warmUpSeconds * 1000
  const end = start + seconds * 1000
  let answered = 0
  let bytes = 0
  const observe = (answer: Answer): void => {
    answered += 1
    const countsAt = rate === undefined ? answer.nowMs : answer.sinceMs
    if (countsAt < start || countsAt >= end) return
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
    latenciesMs.push(answer.nowMs - answer.sinceMs)
    bytes = answer.bytes
  }
  const nextRequest = requestsOf(port, kind)
  const openAll: OpenAll = (onAnswer) =>
    Promise.all(Array.from({ length: connections }, () => openConnection(port, nextRequest, onAnswer)))
  await (rate === undefined ? sendWhenAnswered(openAll, observe, end) : sendWhenDue(openAll, observe, end, rate))
  latenciesMs.sort((a, b) => a - b)
  const at = (share: number) => latenciesMs[Math.floor(latenciesMs.length * share)] ?? Number.NaN
  const perSecond = latenciesMs.length / seconds
  return { answered, perSecond, statuses, p50Ms: at(0.5), p99Ms: at(0.99), bytes }
}

type OpenAll = (onAnswer: (connection: Connection, answer: Answer) => void) => Promise<Connection[]>

async function sendWhenAnswered(openAll: OpenAll, observe: (answer: Answer) => void, end: number): Promise<void> {
  let open = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const connections = await openAll((connection, answer) => {
    observe(answer)
    if (answer.nowMs < end) return connection.send(answer.nowMs)
    connection.end()
    open -= 1
    if (open === 0) resolve()
  })
  open = connections.length
  for (const connection of connections) connection.send(performance.now())
  await promise
}

/** An answer's time counts from when its request was due, so that a server that stalls is not spared what comes meanwhile. */
async function sendWhenDue(
  openAll: OpenAll,
  observe: (answer: Answer) => void,
  end: number,
  rate: number,
): Promise<void> {
  const waiting: number[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const idle: Connection[] = []
  let count = 0
  const sendWaiting = (): void => {
    while (waiting.length > 0 && idle.length > 0) idle.pop()?.send(waiting.shift() ?? 0)
    if (idle.length === count && performance.now() >= end) resolve()
  }
  idle.push(
    ...(await openAll((connection, answer) => {
      observe(answer)
      idle.push(connection)
      sendWaiting()
    })),
  )
  count = idle.length
  let dueMs = performance.now()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    for (; dueMs <= nowMs && dueMs < end; dueMs += (-Math.log(1 - Math.random()) * 1000) / rate) {
      waiting.push(nowMs - dueMs > TIMER_MS ? dueMs : nowMs)
    }
    sendWaiting()
  }, 1)
  await promise
  clearInterval(timer)
  for (const connection of idle) connection.end()
}
