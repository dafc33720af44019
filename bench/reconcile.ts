/** Whether reconciling costs the same with 1,000,000 orders stored as with 1,000. */
import { parseArgs } from 'node:util'
import type { Database } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres.ts'
import type { OperatorChain } from '../src/operator/deps.ts'
import { reconcile } from '../src/operator/reconcile/reconcile.ts'
import { checkPart } from '../src/operator/reconcile/turns.ts'
import { checkUsagePart } from '../src/operator/reconcile/usage.ts'
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
    rounds: { type: 'string', default: '60' },
  },
})
const [few, orders, customers, rounds] = [
  Number(values.few),
  Number(values.orders),
  Number(values.customers),
  Number(values.rounds),
] as [number, number, number, number]
const SIZES = [few, Math.ceil(orders / 10 / ORDERS_OF_BATCH) * ORDERS_OF_BATCH, orders] as const
/** No index is kept in order while a table is filled. */
const INDEXES = ['orders_listed', 'orders_awaiting_settlement', 'orders_unpaid', 'orders_without_coin', 'orders_burnt']
/** What autovacuum would have looked at after the first run. */
const ADDED_UP = ['reconcile_usage', 'reconcile_open', 'reconcile_passes']

/** What was measured of something, time after time. */
type Measured = { ms: number[]; postgresUs: number[] }
type Side = {
  orders: number
  db: Database
  work: Record<'run' | 'part', () => Promise<unknown>>
  firstMs: number
  run: Measured
  part: Measured
}

const NAMES = { run: 'every later run', part: 'a part' }

if (SIZES.some((size) => size % ORDERS_OF_BATCH !== 0)) throw new Error(`sizes are multiples of ${ORDERS_OF_BATCH}`)
if (new Set(SIZES).size < SIZES.length)
  throw new Error(
    `--few, a tenth of --orders and --orders are three sizes, not ${SIZES.join(', ')}: each has a database of its own`,
  )
const loadBefore = currentLoad()
// Nothing here measures a write to the disk.
const quick = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', max_wal_size: '4GB', shared_buffers: '512MB' }
const server = await startPostgresServer(quick)
try {
  const sides: Side[] = []
  for (const size of SIZES) sides.push(await prepare(size))
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const side of sides) for (const what of ['run', 'part'] as const) await measure(side, what)
    progress(turn + 1, rounds, Object.fromEntries(sides.map(({ orders: of, run }) => [`ms with ${of}`, run.ms.at(-1)])))
  }
  const [least, , most] = sides as [Side, Side, Side]
  const [version] = await least.db.query<{ v: string }>(`select current_setting('server_version') as v`)
  for (const { db } of sides) await db.close()
  const ratio = (what: 'run' | 'part') => median(most[what].ms) / median(least[what].ms)
  publish({
    name: 'reconcile',
    title: 'What reconcile costs',
    method: `Settled orders of this month (a third of them redeems, each with its payout; ten integrations, ${round(customers)} customers), with batches of ${ORDERS_OF_BATCH}, counters of
usage and sealed entries, made by statements over many rows, in three databases of one PostgreSQL server. \`reconcile\` over a chain that answers at once, and the part that is read again
each minute, ${rounds} times in turn. The first run reads all that none has read yet; the hourly one has only an hour's orders to read, and here none: what is compared is the cost of those that
are stored. In each column: with ${SIZES.map((size) => round(size)).join(', ')} orders.`,
    rows: [
      ['', ...SIZES.map((size) => `${round(size)} orders`), 'the last ÷ the first'],
      ['first run, ms', ...sides.map(({ firstMs }) => firstMs), ''],
      ...(['run', 'part'] as const).flatMap((what) => [
        row(`${NAMES[what]}, median ms`, sides, (side) => median(side[what].ms)),
        row(`${NAMES[what]}, the slowest, ms`, sides, (side) => Math.max(...side[what].ms)),
        row(
          `${NAMES[what]}, PostgreSQL, mean ms of processor time`,
          sides,
          (side) => mean(side[what].postgresUs) / 1_000,
        ),
      ]),
    ],
    measured: { reconcile: Math.max(ratio('run'), ratio('part')) },
    numbers: {
      fewMs: median(least.run.ms),
      manyMs: median(most.run.ms),
      partFewMs: median(least.part.ms),
      partManyMs: median(most.part.ms),
    },
    versions: { PostgreSQL: version?.v ?? '' },
    loadBefore,
  })
} finally {
  await server.stop()
}

/** The processor's clock advances in steps of 10 ms, of which a median would be one. */
function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length
}

async function measure(side: Side, what: 'run' | 'part'): Promise<void> {
  const start = performance.now()
  const { cpuUs } = await metered({ postgres: () => cpuUsOfFamily(server.pid) }, side.work[what])
  side[what].ms.push(performance.now() - start)
  side[what].postgresUs.push(cpuUs.postgres)
}

function row(name: string, sides: readonly Side[], of: (side: Side) => number) {
  const numbers = sides.map(of)
  return [name, ...numbers, (numbers.at(-1) ?? 0) / (numbers[0] ?? 1)]
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
  const part = () => Promise.all([checkPart(db), checkUsagePart(db)])
  for (let turn = 0; turn < 8; turn += 1) await Promise.all([run(), part()])
  progress(SIZES.indexOf(size) + 1, SIZES.length, { orders: size, firstMs }, 'database')
  return {
    orders: size,
    db,
    firstMs,
    work: { run, part },
    run: { ms: [], postgresUs: [] },
    part: { ms: [], postgresUs: [] },
  }
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
