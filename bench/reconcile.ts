/** Whether reconcile costs the same with a hundred times as many orders, and what it takes with all of them. */
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres.ts'
import type { OperatorChain } from '../src/operator/deps.ts'
import { reconcile } from '../src/operator/reconcile/reconcile.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { addParties, addSettled, ORDERS_OF_BATCH } from './support/books.ts'
import { currentLoad, median, publish, round } from './support/report.ts'

const { values } = parseArgs({ options: { orders: { type: 'string', default: '5000000' } } })
const ORDERS = Number(values.orders)
const FEW = ORDERS / 100
const ROUNDS = 7
const GOAL_MS = 2_000
/** What a month has at most is added to all of them while they are made: no index is kept in order meanwhile. */
const INDEXES = [
  'orders_listed',
  'orders_awaiting_settlement',
  'orders_unpaid',
  'orders_without_coin',
  'orders_in_progress',
]

if (FEW % ORDERS_OF_BATCH !== 0) throw new Error(`--orders is a multiple of ${ORDERS_OF_BATCH * 100}`)
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
      const { ok, differences } = await reconcile(db, [chain as unknown as OperatorChain])
      if (!ok) throw new Error(JSON.stringify(differences.slice(0, 3)))
      return performance.now() - start
    }
    const firstMs = await once()
    const runs: number[] = []
    for (let n = 0; n < ROUNDS; n += 1) runs.push(await once())
    logger.info({ firstMs, runs }, 'measured')
    return { firstMs, ms: median(runs), worstMs: Math.max(...runs) }
  }
  await grow(0, FEW)
  const few = await cost()
  await grow(FEW, ORDERS)
  const many = await cost()
  const [version] = await db.query<{ v: string }>(`select current_setting('server_version') as v`)
  await db.close()
  publish({
    name: 'reconcile',
    title: 'What reconcile costs',
    method: `${round(ORDERS)} settled orders of this month (a third of them redeems, each with its payout; ten integrations, 50,000 customers), with batches of ${ORDERS_OF_BATCH},
counters of usage and sealed entries, made by statements over many rows in PostgreSQL. \`reconcile\` over a chain that answers at once, the median of ${ROUNDS} runs, after a hundredth of
them and after all. The first run adds up what none has read yet; the hourly one has only an hour's orders to read.`,
    rows: [
      ['orders', 'first run, ms', 'every later run, ms', 'the slowest of these, ms'],
      [round(FEW), round(few.firstMs), round(few.ms), round(few.worstMs)],
      [round(ORDERS), round(many.firstMs), round(many.ms), round(many.worstMs)],
    ],
    goal: {
      what: `ms that reconcile takes with ${round(ORDERS)} orders`,
      measured: many.ms,
      bound: GOAL_MS,
      atLeast: false,
    },
    notes: [`With a hundred times the orders it takes ${round(many.ms / few.ms)} times as long.`],
    versions: { PostgreSQL: version?.v ?? '' },
    loadBefore,
  })
} finally {
  await server.stop()
}
