/** Accepted POSTs of /v1/mints per second, compared with single inserts by pgbench on the same server. */
import { parseArgs } from 'node:util'
import { loadApi } from './support/api-load.ts'
import { startConstant } from './support/constant.ts'
import { metered } from './support/cpu.ts'
import { applyLoad } from './support/load.ts'
import { createReference, pgbenchVersion } from './support/pgbench.ts'
import { currentLoad, progress, publish } from './support/report.ts'
import { medians, roundsTable } from './support/rounds.ts'
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
const COLUMNS = {
  inserts: 'inserts/s',
  mints: 'mints/s',
  ratio: 'ratio',
  p50Ms: 'p50 ms',
  p99Ms: 'p99 ms',
  halfP50Ms: 'p50 ms at half the rate',
  halfP99Ms: 'p99 ms at half the rate',
  constantP99Ms: 'p99 ms of constants at that rate',
  apiUs: 'API µs a mint',
  postgresUs: 'PostgreSQL µs a mint',
  insertUs: 'PostgreSQL µs an insert',
}
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
  const warmUpSeconds = Math.min(1, seconds / 4)
  const job = { port, connections, warmUpSeconds, seconds, apiKey: bench.apiKey, paths: [], mint }
  await applyLoad({ ...job, warmUpSeconds: 0, seconds: Math.min(6, seconds) }, 201)
  await reference(Math.min(3, seconds))
  const constant = await startConstant(JSON.stringify(mint))
  const measured: Record<keyof typeof COLUMNS, number>[] = []
  for (let turn = 0; turn < rounds; turn += 1) {
    const insert = await metered({ postgres: bench.postgresCpuUs }, () => reference(seconds))
    const { perSecond, times, apiUs, postgresUs } = await loadApi(
      bench,
      api,
      { ...job, constantPort: constant.port },
      201,
    )
    measured.push({
      inserts: insert.result.perSecond,
      mints: perSecond,
      ratio: perSecond / insert.result.perSecond,
      ...times,
      apiUs,
      postgresUs,
      insertUs: insert.cpuUs.postgres / insert.result.rows,
    })
    progress(turn + 1, rounds, measured.at(-1) ?? {})
  }
  await constant.end()
  await api.stop()
  publish({
    name: 'accept',
    title: 'Accepting mints',
    method: `\`POST /v1/mints\` (confirmed, each with a new reference and Idempotency-Key) accepted by one API process, the real program with
request lines on, against pgbench inserting one row with one unique key. Both through ${connections} connections to the same PostgreSQL server
with durable commits, one commit each; the API gets its requests over ${connections} keep-alive connections from a load generator in a process
of its own. ${rounds} rounds of ${seconds} s each in turn, after a warm-up. At half the rate, requests come at random instants, answered or not, and a time
counts from when its request was due; before them constants, at the same rate from the same generator, which are late where the machine or the
generator is. µs are processor time, user and system: of the API process and of all of PostgreSQL.`,
    rows: roundsTable(COLUMNS, measured),
    measured: { accept: medians(measured).ratio },
    numbers: medians(measured),
    versions: { PostgreSQL: bench.postgresVersion, pgbench: await pgbenchVersion() },
    loadBefore,
  })
} finally {
  await bench.end()
}
