/** Accepted POSTs of /v1/mints per second, compared with single inserts by pgbench on the same server. */
import { parseArgs } from 'node:util'
import { metered } from './support/cpu.ts'
import { applyLoad } from './support/load.ts'
import { createReference, pgbenchVersion } from './support/pgbench.ts'
import { currentLoad, median, publish, round } from './support/report.ts'
import { CHAIN_ID, startApi, startBench, WALLET } from './support/service.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '8' },
    connections: { type: 'string', default: '32' },
    profile: { type: 'string' },
  },
})
const [rounds, seconds, connections] = [Number(values.rounds), Number(values.seconds), Number(values.connections)]
type Round = {
  inserts: number
  mints: number
  p50Ms: number
  p99Ms: number
  /** Processor time: of PostgreSQL for an insert, of the API process and of PostgreSQL for a mint. */
  insertUs: number
  apiUs: number
  postgresUs: number
}
const CPU_COLUMNS = ['API µs a mint', 'PostgreSQL µs a mint', 'PostgreSQL µs an insert']
const loadBefore = currentLoad()
const bench = await startBench()
try {
  const reference = await createReference(bench, connections)
  const nodeArgs = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
  const api = await startApi(bench, { poolSize: connections, nodeArgs })
  const mint = {
    customerId: bench.customerId,
    amountMyr: '250.50',
    walletAddress: WALLET,
    chainId: CHAIN_ID,
    fiatConfirmed: true,
  }
  const { port } = api
  const job = { port, connections, warmUpSeconds: 1, seconds, apiKey: bench.apiKey, paths: [], mint }
  await applyLoad({ ...job, warmUpSeconds: 0, seconds: 6 }, 201)
  await reference(3)
  const measured: Round[] = []
  for (let turn = 0; turn < rounds; turn += 1) {
    const insert = await metered({ postgres: bench.postgresCpuUs }, () => reference(seconds))
    const load = await metered({ api: api.cpuUs, postgres: bench.postgresCpuUs }, () => applyLoad(job, 201))
    measured.push({
      inserts: insert.result.perSecond,
      mints: load.result.perSecond,
      p50Ms: load.result.p50Ms,
      p99Ms: load.result.p99Ms,
      insertUs: insert.cpuUs.postgres / insert.result.rows,
      apiUs: load.cpuUs.api / load.result.answered,
      postgresUs: load.cpuUs.postgres / load.result.answered,
    })
    console.log(`round ${turn + 1}: ${JSON.stringify(measured.at(-1))}`)
  }
  await api.stop()
  publish({
    name: 'accept',
    title: 'Accepting mints',
    method: `\`POST /v1/mints\` (confirmed, each with a new reference and Idempotency-Key) accepted by one API process, the real program with
request lines on, against pgbench inserting one row with one unique key. Both through ${connections} connections to the same PostgreSQL server
with durable commits, one commit each; the API gets its requests over ${connections} keep-alive connections from a load generator in a process
of its own. ${rounds} rounds of ${seconds} s each in turn, after a warm-up. µs are processor time, user and
system: of the API process and of all of PostgreSQL for a mint, and of PostgreSQL for an insert.`,
    rows: [
      ['round', 'inserts/s', 'mints/s', 'ratio', 'p50 ms', 'p99 ms', ...CPU_COLUMNS],
      ...measured.map(({ inserts, mints, p50Ms, p99Ms, apiUs, postgresUs, insertUs }, index) => [
        index + 1,
        ...[inserts, mints, mints / inserts, p50Ms, p99Ms, apiUs, postgresUs, insertUs].map(round),
      ]),
    ],
    goal: {
      what: 'mints ÷ inserts, median of the rounds',
      measured: median(measured.map(({ inserts, mints }) => mints / inserts)),
      bound: 0.4,
      atLeast: true,
    },
    versions: { PostgreSQL: bench.postgresVersion, pgbench: await pgbenchVersion() },
    loadBefore,
  })
} finally {
  await bench.end()
}
