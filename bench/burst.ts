/** What a first burst of connections leaves behind: a read by a process that began with one, compared with one that did not. */
import { parseArgs } from 'node:util'
import { metered } from './support/cpu.ts'
import { applyLoad } from './support/load.ts'
import { referenceOf, seedOrders } from './support/orders.ts'
import { currentLoad, median, progress, publish, round } from './support/report.ts'
import { type Api, startApi, startBench } from './support/service.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4' },
    turns: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '1' },
    burst: { type: 'string', default: '128' },
    connections: { type: 'string', default: '32' },
    orders: { type: 'string', default: '10000' },
  },
})
const [rounds, turns, seconds] = [Number(values.rounds), Number(values.turns), Number(values.seconds)]
const [burst, connections, orders] = [Number(values.burst), Number(values.connections), Number(values.orders)]
/** Appended to the flags of `npm start`; the last one that names an option holds. */
const KINDS = [
  { what: 'as started', nodeArgs: [] },
  { what: 'with allocation-site pretenuring', nodeArgs: ['--allocation-site-pretenuring'] },
]

const loadBefore = currentLoad()
const bench = await startBench()
try {
  await seedOrders(bench, 0, orders)
  const paths = Array.from({ length: orders }, (_, n) => `/v1/transactions/${referenceOf(n)}`)
  const found = KINDS.map(() => [] as number[])
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const [index, { nodeArgs }] of KINDS.entries()) found[index]?.push(...(await ratios(nodeArgs, paths)))
    progress(turn + 1, rounds, { ratio: median(found[0] ?? []), pretenuring: median(found[1] ?? []) })
  }
  publish({
    name: 'burst',
    title: 'After a burst',
    method: `Two API processes at a time, the real program. The first load of one comes over ${burst} connections, that of the other over ${connections}, three seconds each. Then both
are loaded over ${connections} connections in turns of ${seconds} s, ${turns} each: processor time of a read in the one, divided by that in the other. ${rounds} such pairs, as \`npm start\`
starts the service and with what V8 does by default, which makes objects old at once wherever many of those made there outlived a collection.`,
    rows: [['', 'least', 'median', 'most'], ...KINDS.map(({ what }, index) => rowOf(what, found[index] ?? []))],
    goal: {
      what: 'processor time of a read after a burst ÷ without one',
      measured: median(found[0] ?? []),
      bound: 1.2,
      atLeast: false,
    },
    versions: { PostgreSQL: bench.postgresVersion },
    loadBefore,
  })
} finally {
  await bench.end()
}

/** Of one pair of processes, one ratio for each turn. */
async function ratios(nodeArgs: string[], paths: string[]): Promise<number[]> {
  const [after, without] = [
    await startApi(bench, { poolSize: 10, nodeArgs }),
    await startApi(bench, { poolSize: 10, nodeArgs }),
  ]
  try {
    await usOf(after, burst, 3, paths)
    await usOf(without, connections, 3, paths)
    const pairs: number[] = []
    for (let turn = 0; turn < turns; turn += 1)
      pairs.push((await usOf(after, connections, seconds, paths)) / (await usOf(without, connections, seconds, paths)))
    return pairs
  } finally {
    await after.stop()
    await without.stop()
  }
}

/** Microseconds of processor time that a read costs the process. */
async function usOf(api: Api, over: number, lasting: number, paths: string[]): Promise<number> {
  const job = { port: api.port, connections: over, warmUpSeconds: 0, seconds: lasting, apiKey: bench.apiKey, paths }
  const { result, cpuUs } = await metered({ api: api.cpuUs }, () => applyLoad(job, 200))
  return cpuUs.api / result.answered
}

function rowOf(what: string, all: readonly number[]): (string | number)[] {
  return [what, ...[Math.min(...all), median(all), Math.max(...all)].map(round)]
}
