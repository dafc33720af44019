/** Whether reconcile costs the same with ten times as many orders, and what it takes with all of them. */
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres.ts'
import type { OperatorChain } from '../src/operator/deps.ts'
import { reconcile } from '../src/operator/reconcile/reconcile.ts'
import { TEST_SECRETS } from '../test/support/bank-details.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { addParties, addSettled, ORDERS_OF_BATCH } from './support/books.ts'
import { currentLoad, median, publish, round } from './support/report.ts'

const { values } = parseArgs({ options: { orders: { type: 'string', default: '5000000' } } })
const ORDERS = Number(values.orders)
const SIZES = [ORDERS / 100, ORDERS / 10, ORDERS] as const
const ROUNDS = 7
const GOAL_MS = 2_000
/** What a month has at most is added to all of them while they are made: no index is kept in order meanwhile. */
const INDEXES = ['orders_listed', 'orders_awaiting_settlement', 'orders_unpaid', 'orders_without_coin', 'orders_burnt']

if (SIZES[0] % ORDERS_OF_BATCH !== 0) throw new Error(`--orders is a multiple of ${ORDERS_OF_BATCH * 100}`)
const logger = pino({ level: 'info' })
const loadBefore = currentLoad()
// Nothing here measures a write to the disk.
const quick = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', max_wal_size: '4GB', shared_buffers: '512MB' }
const server = await startPostgresServer(quick)
try {
  const db = await openPostgres({ url: server.url, poolSize: 4, statementTimeoutMs: 600_000 })
  await migrate(db)
  await db.script('alter table orders set (fillfactor = 100)')
  await addParties(db)
  const grow = async (from: number, to: number) => {
    const start = performance.now()
    const dropped = await Promise.all(INDEXES.map(dropIndex))
    await addSettled(db, from, to, ORDERS)
    for (const create of dropped) await db.script(create)
    await db.query('analyze orders')
    logger.info({ orders: to, seconds: Math.round((performance.now() - start) / 1_000) }, 'filled')
  }
  async function dropIndex(name: string): Promise<string> {
    const [row] = await db.query<{ definition: string }>(
      'select indexdef as definition from pg_indexes where indexname = $1',
      [name],
    )
    if (row === undefined) throw new Error(`no index ${name}`)
    await db.script(`drop index ${name}`)
    return row.definition
  }
  /** The first run adds up what no run has read; the others are as every hour. */
  const cost = async () => {
    const [row] = await db.query<{ supply: string }>(
      `select sum(case direction when 'MINT' then amount_micro when 'REDEEM' then -amount_micro else 0 end)::text as supply from orders`,
    )
    const chain = { config: { chainId: 1 }, admin: { supply: () => Promise.resolve(BigInt(row?.supply ?? '0')) } }
    const once = async () => {
      const start = performance.now()
      const { ok, differences } = await reconcile(db, [chain as unknown as OperatorChain], TEST_SECRETS)
      if (!ok) throw new Error(JSON.stringify(differences.slice(0, 3)))
      return performance.now() - start
    }
    const firstMs = await once()
    // As autovacuum would.
    for (const table of ['reconcile_usage', 'reconcile_open', 'reconcile_passes'])
      await db.script(`vacuum analyze ${table}`)
    const runs: number[] = []
    for (let n = 0; n < ROUNDS; n += 1) runs.push(await once())
    logger.info({ firstMs, runs }, 'measured')
    return { firstMs, ms: median(runs), worstMs: Math.max(...runs) }
  }
  const measured: ({ orders: number } & Awaited<ReturnType<typeof cost>>)[] = []
  let before = 0
  for (const orders of SIZES) {
    await grow(before, orders)
    measured.push({ orders, ...(await cost()) })
    before = orders
  }
  const [, tenth, all] = measured
  if (tenth === undefined || all === undefined) throw new Error('nothing was measured')
  const [version] = await db.query<{ v: string }>(`select current_setting('server_version') as v`)
  await db.close()
  publish({
    name: 'reconcile',
    title: 'What reconcile costs',
    method: `${round(ORDERS)} settled orders of this month (a third of them redeems, each with its payout; ten integrations, 50,000 customers), with batches of ${ORDERS_OF_BATCH},
counters of usage and sealed entries, made by statements over many rows in PostgreSQL. \`reconcile\` over a chain that answers at once, the median of ${ROUNDS} runs, after a hundredth, a
tenth and all of them. The first run adds up what none has read yet; the hourly one has only an hour's orders to read.`,
    rows: [
      ['orders', 'first run, ms', 'every later run, ms', 'the slowest of these, ms'],
      ...measured.map(({ orders, firstMs, ms, worstMs }) => [orders, firstMs, ms, worstMs].map(round)),
    ],
    goal: {
      what: `ms that reconcile takes with ${round(ORDERS)} orders`,
      measured: all.ms,
      bound: GOAL_MS,
      atLeast: false,
    },
    notes: [
      `With ten times the orders it takes ${round(all.ms / tenth.ms)} times as long. In the first row fewer customers have redeemed, whose counters are compared.`,
    ],
    versions: { PostgreSQL: version?.v ?? '' },
    loadBefore,
  })
} finally {
  await server.stop()
}
