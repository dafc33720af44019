/**
 * What a request costs the API process and PostgreSQL in processor time, and how many are answered a second, against another copy of this
 * project: both run side by side on one PostgreSQL and are loaded in turns of a fraction of a second, so that whatever else the machine does
 * slows both alike. Rates mean something on a quiet machine only.
 *
 *   npm run bench -- request [--load read|accept] [--against FOLDER] [--turns 60] [--ms 300] [--connections 32]
 *
 * Without another copy it runs against itself, which says how far two of the same differ.
 */
import { cpus } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Connection, openConnection } from './support/connection.ts'
import { cpuUsOfThreads } from './support/cpu.ts'
import { requestsOf } from './support/load-requests.ts'
import { referenceOf, seedOrders } from './support/orders.ts'
import { median, round, tableOf } from './support/report.ts'
import { type Api, CHAIN_ID, startApi, startBench, WALLET } from './support/service.ts'

const { values } = parseArgs({
  options: {
    load: { type: 'string', default: 'read' },
    against: { type: 'string' },
    turns: { type: 'string', default: '60' },
    ms: { type: 'string', default: '300' },
    connections: { type: 'string', default: '32' },
  },
})
const [turns, ms, connections] = [Number(values.turns), Number(values.ms), Number(values.connections)]
const isRead = values.load === 'read'
const ORDERS = 10_000
const WARM_UP_TURNS = 10

type Turn = { apiUs: number; postgresUs: number; perSecond: number; idle: number }
type Side = { api: Api; open: Connection[]; onAnswer: (connection: Connection, status: string) => void; turns: Turn[] }

const COLUMNS = {
  apiUs: `API µs ${isRead ? 'a read' : 'an acceptance'}`,
  postgresUs: 'PostgreSQL µs',
  perSecond: 'answers a second',
  idle: 'cores that idle',
} as const

const bench = await startBench()
const sides: Side[] = []
try {
  if (isRead) await seedOrders(bench, 0, ORDERS)
  const own = path.join(import.meta.dirname, '..')
  for (const root of [own, values.against ?? own]) sides.push(await startSide(root))
  // Not before: the service closes a connection that sends nothing for ten seconds.
  for (const side of sides) await connect(side)
  for (let turn = -WARM_UP_TURNS; turn < turns; turn += 1) {
    // Each begins as often as the other.
    for (const side of turn % 2 === 0 ? sides : sides.toReversed()) {
      const cost = await costOf(side)
      if (turn >= 0) side.turns.push(cost)
    }
  }
  const [here, there] = sides.map((side) => side.turns) as [Turn[], Turn[]]
  const names = Object.keys(COLUMNS) as (keyof Turn)[]
  console.log(
    tableOf([
      ['', 'this copy, median', 'the other, median', 'this ÷ other, median', 'quartiles', 'of sums'],
      ...names.map((name) => {
        const [own, other] = [here, there].map((list) => list.map((turn) => turn[name])) as [number[], number[]]
        const ratios = own.map((value, turn) => value / (other[turn] ?? Number.NaN))
        const spread = `${round(at(ratios, 0.25))} and ${round(at(ratios, 0.75))}`
        return [COLUMNS[name], median(own), median(other), median(ratios), spread, sum(own) / sum(other)]
      }),
    ]),
  )
} finally {
  for (const { api, open } of sides) {
    for (const connection of open) connection.end()
    await api.stop()
  }
  await bench.end()
}

function at(list: readonly number[], share: number): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length * share)] ?? Number.NaN
}

function sum(list: readonly number[]): number {
  return list.reduce((total, one) => total + one, 0)
}

/** Milliseconds that all cores together had nothing to do. */
function idleMs(): number {
  return cpus().reduce((total, { times }) => total + times.idle, 0)
}

async function startSide(root: string): Promise<Side> {
  const api = await startApi(bench, { poolSize: isRead ? 10 : connections, root: path.resolve(root) })
  return { api, open: [], onAnswer: () => {}, turns: [] }
}

async function connect(side: Side): Promise<void> {
  const mint = {
    customerId: bench.customerId,
    amountMyr: '250.50',
    walletAddress: WALLET,
    chainId: CHAIN_ID,
    fiatConfirmed: true,
  }
  const paths = Array.from({ length: ORDERS }, (_, n) => `/v1/transactions/${referenceOf(n)}`)
  const { port } = side.api
  const next = requestsOf(port, isRead ? { apiKey: bench.apiKey, paths } : { apiKey: bench.apiKey, paths: [], mint })
  const opened = Array.from({ length: connections }, () =>
    openConnection(port, next, (connection, { status }) => side.onAnswer(connection, status)),
  )
  side.open.push(...(await Promise.all(opened)))
}

/** Loads one side for a turn. */
async function costOf(side: Side): Promise<Turn> {
  const { pid } = side.api.process
  const before = { api: cpuUsOfThreads(pid), postgres: bench.postgresCpuUs(), idleMs: idleMs(), now: performance.now() }
  const end = before.now + ms
  let answered = 0
  let underWay = side.open.length
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  side.onAnswer = (connection, status) => {
    if (status !== (isRead ? '200' : '201')) reject(new Error(`an answer with the status ${status}`))
    answered += 1
    const nowMs = performance.now()
    if (nowMs < end) return connection.send(nowMs)
    underWay -= 1
    if (underWay === 0) resolve()
  }
  for (const connection of side.open) connection.send(performance.now())
  await promise
  const tookMs = performance.now() - before.now
  return {
    apiUs: (cpuUsOfThreads(pid) - before.api) / answered,
    postgresUs: (bench.postgresCpuUs() - before.postgres) / answered,
    perSecond: (answered * 1_000) / tookMs,
    idle: (idleMs() - before.idleMs) / tookMs,
  }
}
