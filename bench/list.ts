/** The cost of a page of orders with 1,000,000 orders stored, compared with 1,000. */
import { parseArgs } from 'node:util'
import { applyLoad } from './support/load.ts'
import { seedOrders } from './support/orders.ts'
import { currentLoad, median, publish, round } from './support/report.ts'
import { startApi, startBench } from './support/service.ts'

const FEW = 1_000
const { values } = parseArgs({
  options: { orders: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '5' } },
})
const [many, rounds] = [Number(values.orders), Number(values.rounds)]
const PAGES = {
  'newest 50': '/v1/transactions?limit=50',
  'completed mints': '/v1/transactions?limit=50&direction=MINT&status=completed',
  'failed redeems (none)': '/v1/transactions?limit=50&direction=REDEEM&status=failed',
}

type Page = keyof typeof PAGES

const loadBefore = currentLoad()
const bench = await startBench()
try {
  await seedOrders(bench, 0, FEW)
  const api = await startApi(bench, { poolSize: 10 })
  const msOf = async (page: Page): Promise<number> => {
    const paths = [PAGES[page]]
    const job = { port: api.port, connections: 1, warmUpSeconds: 0.5, seconds: 1.5, apiKey: bench.apiKey, paths }
    return (await applyLoad(job, 200)).p50Ms
  }
  const measureAll = async (): Promise<Record<Page, number>> => {
    const times: Record<Page, number[]> = { 'newest 50': [], 'completed mints': [], 'failed redeems (none)': [] }
    for (let turn = 0; turn < rounds; turn += 1) {
      for (const page of Object.keys(PAGES) as Page[]) times[page].push(await msOf(page))
    }
    return {
      'newest 50': median(times['newest 50']),
      'completed mints': median(times['completed mints']),
      'failed redeems (none)': median(times['failed redeems (none)']),
    }
  }
  await measureAll()
  const withFew = await measureAll()
  await seedOrders(bench, FEW, many)
  await measureAll()
  const withMany = await measureAll()
  await api.stop()
  const ratios = (Object.keys(PAGES) as Page[]).map((page) => withMany[page] / withFew[page])
  publish({
    name: 'list',
    title: 'Listing orders',
    method: `Median time of \`GET /v1/transactions\` through one API process, one request at a time, with ${FEW} and then with ${many} orders of one
integration stored. The same process and connections all along, so that plans prepared over the small table are in use over the large one.
Median of ${rounds} rounds.`,
    rows: [
      ['page', `ms with ${FEW}`, `ms with ${many}`, 'ratio'],
      ...(Object.keys(PAGES) as Page[]).map((page) => [
        page,
        ...[withFew[page], withMany[page], withMany[page] / withFew[page]].map(round),
      ]),
    ],
    goal: { what: 'worst ratio', measured: Math.max(...ratios), bound: 1.5, atLeast: false },
    versions: { PostgreSQL: bench.postgresVersion },
    loadBefore,
  })
} finally {
  await bench.end()
}
