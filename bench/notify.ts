/** Why no accepting statement notifies: commits that notify wait for one another. */
import { parseArgs } from 'node:util'
import { createReference, pgbenchVersion } from './support/pgbench.ts'
import { currentLoad, median, publish, round } from './support/report.ts'
import { startBench } from './support/service.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '5' } },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const CLIENTS = 32

const loadBefore = currentLoad()
const bench = await startBench()
try {
  const silently = await createReference(bench, CLIENTS)
  const notifying = await createReference(bench, CLIENTS, "select pg_notify('bench', '');\n")
  await silently(2)
  await notifying(2)
  const measured: { without: number; withOne: number }[] = []
  for (let turn = 0; turn < rounds; turn += 1) {
    const { perSecond: without } = await silently(seconds)
    const { perSecond: withOne } = await notifying(seconds)
    measured.push({ without, withOne })
  }
  publish({
    name: 'notify',
    title: 'Commits that notify',
    method: `pgbench inserting one row, one commit each, through ${CLIENTS} connections to a PostgreSQL server with durable commits: alone, and with a
notification in the same transaction. ${rounds} rounds of ${seconds} s each in turn, after a warm-up.`,
    rows: [
      ['round', 'commits/s', 'with a notification', 'ratio'],
      ...measured.map(({ without, withOne }, turn) => [turn + 1, ...[without, withOne, withOne / without].map(round)]),
    ],
    goal: {
      what: 'with a notification ÷ without, median of the rounds; above it acceptances might notify',
      measured: median(measured.map(({ without, withOne }) => withOne / without)),
      bound: 0.8,
      atLeast: false,
    },
    versions: { PostgreSQL: bench.postgresVersion, pgbench: await pgbenchVersion() },
    loadBefore,
  })
} finally {
  await bench.end()
}
