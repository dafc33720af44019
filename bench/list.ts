/** The cost of a page of orders with 1,000,000 orders stored, compared with 1,000. */
import { parseArgs } from 'node:util'
import { applyLoad } from './support/load.ts'
import { seedOrders } from './support/orders.ts'
import { currentLoad, median, progress, publish } from './support/report.ts'
import { type Api, type Bench, startApi, startBench } from './support/service.ts'

const FEW = 1_000
const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1.5' },
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
  await round(sides)
  const measured: Awaited<ReturnType<typeof round>>[] = []
  for (let turn = 0; turn < rounds; turn += 1) {
    measured.push(await round(sides))
    progress(turn + 1, rounds, Object.fromEntries(pages.map((page) => [page, measured.at(-1)?.[page].ratio])))
  }
  for (const { api } of Object.values(sides)) await api.stop()
  const medianOf = (page: Page, pick: 'few' | 'many' | 'ratio') => median(measured.map((one) => one[page][pick]))
  publish({
    name: 'list',
    title: 'Listing orders',
    method: `Median time of \`GET /v1/transactions\`, one request at a time, through an API process over a database with ${FEW} orders of one integration and through another
over one with ${many}, in turn. Both processes and their connections are as old as the first ${FEW} orders, so that plans prepared over a small table are in use over
the large one. Median of ${rounds} rounds of ${seconds} s each.`,
    rows: [
      ['page', `ms with ${FEW}`, `ms with ${many}`, 'ratio'],
      ...pages.map((page) => [page, medianOf(page, 'few'), medianOf(page, 'many'), medianOf(page, 'ratio')]),
    ],
    measured: { list: Math.max(...pages.map((page) => medianOf(page, 'ratio'))) },
    versions: { PostgreSQL: small.postgresVersion },
    loadBefore,
  })
} finally {
  await small.end()
  await large.end()
}

/** Each page from each side. */
async function round({ few, many: much }: Record<'few' | 'many', Side>) {
  const times: [Page, { few: number; many: number; ratio: number }][] = []
  for (const page of pages) {
    const [less, more] = [await msOf(few, page), await msOf(much, page)]
    times.push([page, { few: less, many: more, ratio: more / less }])
  }
  return Object.fromEntries(times) as Record<Page, (typeof times)[number][1]>
}

async function msOf({ bench: { apiKey }, api: { port } }: Side, page: Page): Promise<number> {
  const job = { port, connections: 1, warmUpSeconds: seconds / 3, seconds, apiKey, paths: [PAGES[page]] }
  return (await applyLoad(job, 200)).p50Ms
}
