/** The cost of a page of orders with 1,000,000 orders stored, compared with 1,000. */
import { parseArgs } from 'node:util'
import { metered } from './support/cpu.ts'
import { applyLoad } from './support/load.ts'
import { seedOrders } from './support/orders.ts'
import { currentLoad, median, progress, publish } from './support/report.ts'
import { type Api, type Bench, startApi, startBench } from './support/service.ts'

const FEW = 1_000
const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '0.8' },
  },
})
const [many, rounds, seconds] = [Number(values.orders), Number(values.rounds), Number(values.seconds)]
const PAGES = {
  'newest 50': '/v1/transactions?limit=50',
  'completed mints': '/v1/transactions?limit=50&direction=MINT&status=completed',
  'failed redeems (none)': '/v1/transactions?limit=50&direction=REDEEM&status=failed',
}
type Page = keyof typeof PAGES
type Side = { bench: Bench; api: Api }
type Cost = { ms: number; cpuUs: number }
type Compared = Record<'few' | 'many', Cost>

const pages = Object.keys(PAGES) as Page[]
const loadBefore = currentLoad()
const small = await startBench()
const large = await startBench()
try {
  for (const bench of [small, large]) await seedOrders(bench, 0, FEW)
  const sides = {
    few: { bench: small, api: await startApi(small, { poolSize: 10 }) },
    many: { bench: large, api: await startApi(large, { poolSize: 10 }) },
  }
  await round(sides)
  await seedOrders(large, FEW, many)
  // As autovacuum would leave them: it would begin at some time among the rounds, and only with the large one.
  for (const { db } of [small, large]) await db.script('vacuum (analyze) orders')
  await round(sides)
  const measured: Awaited<ReturnType<typeof round>>[] = []
  for (let turn = 0; turn < rounds; turn += 1) {
    measured.push(await round(sides))
    progress(turn + 1, rounds, Object.fromEntries(pages.map((page) => [page, measured.at(-1)?.[page].many.ms])))
  }
  for (const { api } of Object.values(sides)) await api.stop()
  const medianOf = (page: Page, pick: (times: Compared) => number) => median(measured.map((one) => pick(one[page])))
  publish({
    name: 'list',
    title: 'Listing orders',
    method: `Median time of \`GET /v1/transactions\`, one request at a time, through an API process over a database with ${FEW} orders of one integration and through another
over one with ${many}, in turn. Both processes and their connections are as old as the first ${FEW} orders, so that plans prepared over a small table are in use over
the large one; both tables are vacuumed. Median of ${rounds} rounds of ${seconds} s each; the ratio is the median of the rounds' own. Processor time is that of the API process and of PostgreSQL together, for one page.`,
    rows: [
      ['page', `ms with ${FEW}`, `ms with ${many}`, 'ratio', `processor, µs with ${FEW}`, `µs with ${many}`, 'ratio'],
      ...pages.map((page) => [
        page,
        medianOf(page, ({ few }) => few.ms),
        medianOf(page, ({ many: much }) => much.ms),
        medianOf(page, ({ few, many: much }) => much.ms / few.ms),
        medianOf(page, ({ few }) => few.cpuUs),
        medianOf(page, ({ many: much }) => much.cpuUs),
        medianOf(page, ({ few, many: much }) => much.cpuUs / few.cpuUs),
      ]),
    ],
    measured: { list: Math.max(...pages.map((page) => medianOf(page, ({ few, many: much }) => much.ms / few.ms))) },
    versions: { PostgreSQL: small.postgresVersion },
    loadBefore,
  })
} finally {
  await small.end()
  await large.end()
}

/** Each page from each side. */
async function round({ few, many: much }: Record<'few' | 'many', Side>) {
  const times: [Page, Compared][] = []
  for (const page of pages) times.push([page, { few: await costOf(few, page), many: await costOf(much, page) }])
  return Object.fromEntries(times) as Record<Page, Compared>
}

async function costOf({ bench, api }: Side, page: Page): Promise<Cost> {
  const { port } = api
  const job = { port, connections: 1, warmUpSeconds: seconds / 3, seconds, apiKey: bench.apiKey, paths: [PAGES[page]] }
  const { result, cpuUs } = await metered({ api: api.cpuUs, postgres: bench.postgresCpuUs }, () => applyLoad(job, 200))
  return { ms: result.p50Ms, cpuUs: (cpuUs.api + cpuUs.postgres) / result.answered }
}
