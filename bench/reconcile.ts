/** Whether reconciling costs the same with 1,000,000 orders stored as with 1,000. */
import { parseArgs } from 'node:util'
import type { Database } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres.ts'
import type { OperatorChain } from '../src/operator/deps.ts'
import { reconcile } from '../src/operator/reconcile/reconcile.ts'
import { TEST_SECRETS } from '../test/support/bank-details.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { addParties, addSettled, ORDERS_OF_BATCH } from './support/books.ts'
import { cpuUsOfFamily, metered } from './support/cpu.ts'
import { currentLoad, median, progress, publish, round } from './support/report.ts'

const { values } = parseArgs({
  options: {
    few: { type: 'string', default: '1000' },
    orders: { type: 'string', default: '1000000' },
    customers: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '9' },
  },
})
const [few, orders, customers, rounds] = [
  ...[Number(values.few), Number(values.orders), Number(values.customers), Number(values.rounds)],
] as [number, number, number, number]
const SIZES = [few, Math.ceil(orders / 10 / ORDERS_OF_BATCH) * ORDERS_OF_BATCH, orders] as const
/** No index is kept in order while a table is filled. */
const INDEXES = ['orders_listed', 'orders_awaiting_settlement', 'orders_unpaid', 'orders_without_coin', 'orders_burnt']
/** What autovacuum would have looked at after the first run. */
const ADDED_UP = ['reconcile_usage', 'reconcile_open', 'reconcile_passes']

type Side = {
  orders: number
  db: Database
  run(): Promise<number>
  firstMs: number
  ms: number[]
  postgresUs: number[]
}

if (SIZES.some((size) => size % ORDERS_OF_BATCH !== 0)) throw new Error(`sizes are multiples of ${ORDERS_OF_BATCH}`)
const loadBefore = currentLoad()
// Nothing here measures a write to the disk.
const quick = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', max_wal_size: '4GB', shared_buffers: '512MB' }
const server = await startPostgresServer(quick)
try {
  const sides: Side[] = []
  for (const size of SIZES) sides.push(await prepare(size))
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const side of sides) {
      const { result, cpuUs } = await metered({ postgres: () => cpuUsOfFamily(server.pid) }, side.run)
      side.ms.push(result)
      side.postgresUs.push(cpuUs.postgres)
    }
    progress(turn + 1, rounds, Object.fromEntries(sides.map((side) => [`ms with ${side.orders}`, side.ms.at(-1)])))
  }
  const [least, , most] = sides as [Side, Side, Side]
  const [version] = await least.db.query<{ v: string }>(`select current_setting('server_version') as v`)
  for (const { db } of sides) await db.close()
  publish({
    name: 'reconcile',
    title: 'What reconcile costs',
    method: `Settled orders of this month (a third of them redeems, each with its payout; ten integrations, ${round(customers)} customers), with batches of ${ORDERS_OF_BATCH}, counters of
usage and sealed entries, made by statements over many rows, in three databases of one PostgreSQL server. \`reconcile\` over a chain that answers at once, ${rounds} times in turn. The
first run adds up what none has read yet; the hourly one has only an hour's orders to read, and here none: what is compared is the cost of those that are stored.`,
    rows: [
      [
        'orders',
        'first run, ms',
        'every later run, median ms',
        'the slowest of these, ms',
        'PostgreSQL, median ms of processor time',
      ],
      ...sides.map((side) => [
        ...[side.orders, side.firstMs, median(side.ms), Math.max(...side.ms), median(side.postgresUs) / 1_000],
      ]),
    ],
    measured: { reconcile: median(most.ms) / median(least.ms) },
    numbers: { fewMs: median(least.ms), manyMs: median(most.ms) },
    versions: { PostgreSQL: version?.v ?? '' },
    loadBefore,
  })
} finally {
  await server.stop()
}

/** A database with so many orders, over which reconcile has run once. */
async function prepare(size: number): Promise<Side> {
  const admin = await openPostgres({ url: server.url, poolSize: 1 })
  await admin.query(`create database books_${size}`)
  await admin.close()
  const url = new URL(server.url)
  url.pathname = `/books_${size}`
  const db = await openPostgres({ url: url.href, poolSize: 4, statementTimeoutMs: 600_000 })
  await migrate(db)
  await db.script('alter table orders set (fillfactor = 100)')
  await addParties(db, customers)
  const dropped: string[] = []
  for (const name of INDEXES) dropped.push(await dropIndex(db, name))
  await addSettled(db, 0, size, { ofAll: size, customers })
  for (const create of dropped) await db.script(create)
  await db.query('analyze orders')
  const run = await reconciling(db)
  const firstMs = await run()
  for (const table of ADDED_UP) await db.script(`vacuum analyze ${table}`)
  // The turns of old batches and payouts have begun, and plans are prepared.
  for (let turn = 0; turn < 2; turn += 1) await run()
  progress(SIZES.indexOf(size) + 1, SIZES.length, { orders: size, firstMs }, 'database')
  return { ...{ orders: size, db, run, firstMs }, ms: [], postgresUs: [] }
}

async function dropIndex(db: Database, name: string): Promise<string> {
  const [row] = await db.query<{ definition: string }>(
    'select indexdef as definition from pg_indexes where indexname = $1',
    [name],
  )
  if (row === undefined) throw new Error(`no index ${name}`)
  await db.script(`drop index ${name}`)
  return row.definition
}

/** One run of reconcile that must find no difference. @returns what makes it, and says its milliseconds */
async function reconciling(db: Database): Promise<() => Promise<number>> {
  const [row] = await db.query<{ supply: string }>(
    `select sum(case direction when 'MINT' then amount_micro when 'REDEEM' then -amount_micro else 0 end)::text as supply from orders`,
  )
  const chain = { config: { chainId: 1 }, admin: { supply: () => Promise.resolve(BigInt(row?.supply ?? '0')) } }
  return async () => {
    const start = performance.now()
    const { ok, differences } = await reconcile(db, [chain as unknown as OperatorChain], TEST_SECRETS)
    if (!ok) throw new Error(JSON.stringify(differences.slice(0, 3)))
    return performance.now() - start
  }
}
