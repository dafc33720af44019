/**
 * GETs of /v1/transactions/{referenceId} per second, compared with the same Fastify answering a constant of that size.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startGuarded } from '../test/support/guarded-process.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { cpuUsOf, metered } from './support/cpu.ts'
import { applyLoad } from './support/load.ts'
import { referenceOf, seedOrders } from './support/orders.ts'
import { currentLoad, median, publish, round } from './support/report.ts'
import { startApi, startBench } from './support/service.ts'

const ORDERS = 10_000
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
    connections: { type: 'string', default: '32' },
    profile: { type: 'string' },
  },
})
const [rounds, seconds, connections] = [Number(values.rounds), Number(values.seconds), Number(values.connections)]
type Round = {
  constants: number
  reads: number
  p50Ms: number
  p99Ms: number
  /** Processor time: of the process that answers a constant, of the API process and of PostgreSQL for a read. */
  constantUs: number
  apiUs: number
  postgresUs: number
}
const CPU_COLUMNS = ['API µs a read', 'PostgreSQL µs a read', 'µs a constant']
const loadBefore = currentLoad()
const bench = await startBench()
try {
  await seedOrders(bench, 0, ORDERS)
  const nodeArgs = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
  const api = await startApi(bench, { poolSize: 10, nodeArgs })
  const paths = Array.from({ length: ORDERS }, (_, n) => `/v1/transactions/${referenceOf(n)}`)
  const job = { port: api.port, connections, warmUpSeconds: 1, seconds, apiKey: bench.apiKey, paths }
  const sample = await fetch(`http://127.0.0.1:${api.port}${paths[0]}`, {
    headers: { authorization: `Bearer ${bench.apiKey}` },
  })
  const constant = await startGuarded(process.execPath, [
    path.join(import.meta.dirname, 'support/constant-server.ts'),
    await sample.text(),
  ])
  const constantPort = Number(
    await waitFor('the constant server to listen', () => /port (\d+)/.exec(constant.output())?.[1]),
  )
  const constantJob = { ...job, port: constantPort }
  await applyLoad({ ...job, seconds: 4 }, 200)
  await applyLoad({ ...constantJob, seconds: 3 }, 200)
  const measured: Round[] = []
  for (let turn = 0; turn < rounds; turn += 1) {
    const bare = await metered({ api: () => cpuUsOf(constant.pid) }, () => applyLoad(constantJob, 200))
    const load = await metered({ api: api.cpuUs, postgres: bench.postgresCpuUs }, () => applyLoad(job, 200))
    measured.push({
      constants: bare.result.perSecond,
      reads: load.result.perSecond,
      p50Ms: load.result.p50Ms,
      p99Ms: load.result.p99Ms,
      constantUs: bare.cpuUs.api / bare.result.answered,
      apiUs: load.cpuUs.api / load.result.answered,
      postgresUs: load.cpuUs.postgres / load.result.answered,
    })
    console.log(`round ${turn + 1}: ${JSON.stringify(measured.at(-1))}`)
  }
  await constant.end('SIGTERM')
  await api.stop()
  publish({
    name: 'read',
    title: 'Reading an order',
    method: `\`GET /v1/transactions/{referenceId}\` of ${ORDERS} orders at random, answered by one API process, the real program with request lines on,
against the same Fastify answering one constant JSON of that size, without a key, a limit, a log or a database. Both over ${connections} keep-alive
connections from a load generator in a process of its own. ${rounds} rounds of ${seconds} s each in turn, after a warm-up. µs
are processor time, user and system: of the API process and of all of PostgreSQL for a read, and of the other process for a constant.`,
    rows: [
      ['round', 'constants/s', 'reads/s', 'ratio', 'p50 ms', 'p99 ms', ...CPU_COLUMNS],
      ...measured.map(({ constants, reads, p50Ms, p99Ms, apiUs, postgresUs, constantUs }, index) => [
        index + 1,
        ...[constants, reads, reads / constants, p50Ms, p99Ms, apiUs, postgresUs, constantUs].map(round),
      ]),
    ],
    goal: {
      what: 'reads ÷ constants, median of the rounds',
      measured: median(measured.map(({ constants, reads }) => reads / constants)),
      bound: 0.5,
      atLeast: true,
    },
    versions: { PostgreSQL: bench.postgresVersion },
    loadBefore,
  })
} finally {
  await bench.end()
}
