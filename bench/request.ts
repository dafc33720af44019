/**
 * What a request costs the API process in processor time, against another copy of this project: both run side by side on one PostgreSQL
 * and are loaded in turns of a fraction of a second, so that whatever else the machine does slows both alike.
 *
 *   npm run bench -- request [--load read|accept] [--against FOLDER] [--turns 60] [--ms 300] [--connections 32]
 *
 * Without another copy it runs against itself, which says how far two of the same differ.
 */
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

type Side = { api: Api; open: Connection[]; onAnswer: (connection: Connection, status: string) => void; us: number[] }

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
      const us = await costOf(side)
      if (turn >= 0) side.us.push(us)
    }
  }
  const [here, there] = sides.map(({ us }) => us) as [number[], number[]]
  const ratios = here.map((us, turn) => us / (there[turn] ?? Number.NaN)).sort((a, b) => a - b)
  const unit = isRead ? 'a read' : 'an acceptance'
  console.log(
    tableOf([
      ['', `µs ${unit}, 10th percentile`, 'median'],
      ['this copy', at(here, 0.1), median(here)],
      ['the other', at(there, 0.1), median(there)],
    ]),
  )
  const sums = [here, there].map((us) => us.reduce((total, one) => total + one, 0)) as [number, number]
  const spread = `quartiles ${round(at(ratios, 0.25))} and ${round(at(ratios, 0.75))}`
  console.log(`this ÷ other: median of ratios ${round(median(ratios))}, ${spread}; of sums ${round(sums[0] / sums[1])}`)
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

async function startSide(root: string): Promise<Side> {
  const api = await startApi(bench, { poolSize: isRead ? 10 : connections, root: path.resolve(root) })
  return { api, open: [], onAnswer: () => {}, us: [] }
}

async function connect(side: Side): Promise<void> {
  const mint = {
    ...{ customerId: bench.customerId, amountMyr: '250.50', walletAddress: WALLET, chainId: CHAIN_ID },
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

/** Loads one side for a turn. @returns microseconds of its process for each answer */
async function costOf(side: Side): Promise<number> {
  const { pid } = side.api.process
  const before = cpuUsOfThreads(pid)
  const end = performance.now() + ms
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
  return (cpuUsOfThreads(pid) - before) / answered
}
