/**
 * GETs of /v1/transactions/{referenceId} per second, compared with the same Fastify answering a constant of that size.
 */
import { parseArgs } from 'node:util'
import { loadApi } from './support/api-load.ts'
import { startConstant } from './support/constant.ts'
import { cpuUsOf, metered } from './support/cpu.ts'
import { applyLoad } from './support/load.ts'
import { referenceOf, seedOrders } from './support/orders.ts'
import { currentLoad, progress, publish } from './support/report.ts'
import { medians, roundsTable } from './support/rounds.ts'
import { startApi, startBench } from './support/service.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
    connections: { type: 'string', default: '32' },
    orders: { type: 'string', default: '10000' },
    profile: { type: 'string' },
  },
})
const [rounds, seconds, connections] = [Number(values.rounds), Number(values.seconds), Number(values.connections)]
const orders = Number(values.orders)
const COLUMNS = {
  constants: 'constants/s',
  reads: 'reads/s',
  ratio: 'ratio',
  p50Ms: 'p50 ms',
  p99Ms: 'p99 ms',
  halfP50Ms: 'p50 ms at half the rate',
  halfP99Ms: 'p99 ms at half the rate',
  constantP99Ms: 'p99 ms of constants at that rate',
  apiUs: 'API µs a read',
  postgresUs: 'PostgreSQL µs a read',
  constantUs: 'µs a constant',
}
const loadBefore = currentLoad()
const bench = await startBench()
try {
  await seedOrders(bench, 0, orders)
  const nodeArgs = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
  const api = await startApi(bench, { poolSize: 10, nodeArgs })
  const paths = Array.from({ length: orders }, (_, n) => `/v1/transactions/${referenceOf(n)}`)
  const warmUpSeconds = Math.min(1, seconds / 4)
  const job = { port: api.port, connections, warmUpSeconds, seconds, apiKey: bench.apiKey, paths }
  const sample = await fetch(`http://127.0.0.1:${api.port}${paths[0]}`, {
    headers: { authorization: `Bearer ${bench.apiKey}` },
  })
  const constant = await startConstant(await sample.text())
  const constantJob = { ...job, port: constant.port }
  await applyLoad({ ...job, seconds: Math.min(4, seconds) }, 200)
  await applyLoad({ ...constantJob, seconds: Math.min(3, seconds) }, 200)
  const measured: Record<keyof typeof COLUMNS, number>[] = []
  for (let turn = 0; turn < rounds; turn += 1) {
    const bare = await metered({ constant: () => cpuUsOf(constant.pid) }, () => applyLoad(constantJob, 200))
    const { perSecond, times, apiUs, postgresUs } = await loadApi(
      bench,
      api,
      { ...job, constantPort: constant.port },
      200,
    )
    measured.push({
      constants: bare.result.perSecond,
      reads: perSecond,
      ratio: perSecond / bare.result.perSecond,
      ...times,
      apiUs,
      postgresUs,
      constantUs: bare.cpuUs.constant / bare.result.answered,
    })
    progress(turn + 1, rounds, measured.at(-1) ?? {})
  }
  await constant.end()
  await api.stop()
  publish({
    name: 'read',
    title: 'Reading an order',
    method: `\`GET /v1/transactions/{referenceId}\` of ${orders} orders at random, answered by one API process, the real program with request lines on,
against the same Fastify answering one constant JSON of that size, without a key, a limit, a log or a database. Both over ${connections} keep-alive
connections from a load generator in a process of its own. ${rounds} rounds of ${seconds} s each in turn, after a warm-up. At half the rate, requests come
at random instants, answered or not, and a time counts from when its request was due; before them constants, at the same rate from the same generator,
which are late where the machine or the generator is. µs are processor time, user and system: of the API process and of all of
PostgreSQL for a read, and of the other process for a constant.`,
    rows: roundsTable(COLUMNS, measured),
    measured: { read: medians(measured).ratio },
    numbers: medians(measured),
    versions: { PostgreSQL: bench.postgresVersion },
    loadBefore,
  })
} finally {
  await bench.end()
}
