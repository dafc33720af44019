/**
 * What a mint writes and what remains of it: bytes of WAL from acceptance to its last delivery, and bytes in each table
 * afterwards.
 */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { Database } from '../src/db/database.ts'
import { submitOrders } from '../src/orders/life/signed.sql.ts'
import { makeMonths } from '../src/retention/keeper.ts'
import { insertAttempt } from '../src/settlement/tables/attempts.sql.ts'
import { insertBatch, markMined } from '../src/settlement/tables/batches.sql.ts'
import { type ClaimOptions, claimDue, recordAttempt } from '../src/webhooks/queue/queue.sql.ts'
import { createBatchSteps } from '../test/life/batch-steps.ts'
import { CHAIN_ID, createOrdersFixture } from '../test/support/orders.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { currentLoad, publish, round } from './support/report.ts'

const { values } = parseArgs({ options: { batches: { type: 'string', default: '120' } } })
const BATCH = 255
const ORDERS_A_MONTH = 30_000_000
/** The size of an instruction in call data. */
const INSTRUCTION_BYTES = 37
const CONCURRENCY = 32
const batches = Number(values.batches)
const mints = batches * BATCH

/** How long each table keeps its rows; the others keep them for ever. */
const MONTHS_KEPT: Readonly<Record<string, number>> = {
  remembered_answers: 100 / 30,
  batch_attempts: 100 / 30,
  deliveries: 100 / 30,
  delivery_attempts: 100 / 30,
  events: 400 / 30,
}

const CLAIM: ClaimOptions = {
  now: null,
  limit: 256,
  perEndpoint: 256,
  inFlight: new Map(),
  slowEndpoints: [],
  slowLimit: 0,
  claimMs: 30_000,
}
const ACKNOWLEDGED = { httpStatus: 204, error: null, durationMs: 20, responseExcerpt: null }

const loadBefore = currentLoad()
// Full-page images are off, because they depend on when checkpoints come, not on what is written.
const server = await startPostgresServer({ full_page_writes: 'off', autovacuum: 'off' })
process.env.TEST_POSTGRES_URL = server.url
try {
  const fixture = await createOrdersFixture('postgres')
  const { db } = fixture
  const silent = { info() {}, warn() {}, error() {} } as unknown as Parameters<typeof makeMonths>[0]['logger']
  await makeMonths({ db, logger: silent, metrics: { dropped() {}, monthsAhead() {}, strays() {} } })
  await db.query(
    `insert into webhook_endpoints (endpoint_id, integration_id, url, secret_encrypted)
     values ('we_0123456789abcdef01234567', $1, 'https://partner.example/webhooks', 'sb1.s')`,
    [fixture.integrationId],
  )
  const bytesAt = walMeter(db)
  const wal: [step: string, bytes: number][] = []
  const step = async (name: string, work: () => Promise<unknown>) => {
    const before = await bytesAt()
    await work()
    wal.push([name, ((await bytesAt()) - before) / mints])
    console.log(name, Math.round(wal.at(-1)?.[1] ?? 0))
  }
  await step('accepted', () => acceptAll(() => fixture.call('mint', fixture.mintBody({ fiatConfirmed: true }))))
  await step('delivered: pending', () => deliverAll(db))
  await step('submitted in batches', () => inBatches(db, submit))
  await step('mined', () => inBatches(db, mine))
  await step('completed', () => inBatches(db, finalise))
  await step('delivered: completed', () => deliverAll(db))
  const total = wal.reduce((sum, [, bytes]) => sum + bytes, 0)

  const tables = await sizes(db)
  const kept = tables.filter(({ name }) => !(name in MONTHS_KEPT))
  const keptBytes = kept.reduce((sum, { table, index }) => sum + table + index, 0)
  const gigabytes = (bytes: number) => round((bytes * ORDERS_A_MONTH) / 1e9)
  const version = (await db.query<{ v: string }>(`select current_setting('server_version') as v`))[0]?.v ?? ''
  await fixture.close()
  publish({
    name: 'rows',
    title: 'What an order writes, and what of it stays',
    method: `${round(mints)} confirmed mints with one webhook endpoint, from the acceptance (${CONCURRENCY} at a time) through batches of ${BATCH} (${INSTRUCTION_BYTES} bytes
of call data each) to both deliveries, by the service's own statements on PostgreSQL with full-page images off. Sizes are those of packed tables and
indexes (\`vacuum full\`): a table in use has some free space on top. A month: 1,000,000 such orders a day, 30 days.`,
    rows: [
      ['table', 'bytes an order', 'its indexes', 'GB a month', 'kept', 'GB at most, or a year'],
      ...tables.map(({ name, table, index }) => {
        const months = MONTHS_KEPT[name]
        return [
          name,
          table,
          index,
          gigabytes(table + index),
          months === undefined ? 'for ever' : `${Math.round(months * 30)} days`,
          // The present month, and the one that is dropped when its last day is old enough, exist too.
          gigabytes((table + index) * (months === undefined ? 12 : months + 1)),
        ]
      }),
    ],
    measured: { kept: keptBytes },
    numbers: { monthly: tables.reduce((sum, { table, index }) => sum + table + index, 0) - keptBytes, wal: total },
    notes: [
      `WAL of a mint in these statements, bytes: ${wal.map(([name, bytes]) => `${name} ${round(bytes)}`).join(', ')}; **in all ${round(total)}**.
What the real acceptance and the real settler write is in [wal](wal.md).`,
    ],
    versions: { PostgreSQL: version },
    loadBefore,
  })
} finally {
  await server.stop()
}

function walMeter(db: Database): () => Promise<number> {
  return async () => {
    const [row] = await db.query<{ bytes: bigint }>(`select (pg_current_wal_insert_lsn() - '0/0')::bigint as bytes`)
    return Number(row?.bytes)
  }
}

async function acceptAll(accept: () => Promise<unknown>): Promise<void> {
  let left = mints
  const keepPosting = async (): Promise<void> => {
    while (left-- > 0) await accept()
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, keepPosting))
}

type BatchOfOrders = { batchId: bigint; orderIds: bigint[]; txHash: string }

async function inBatches(db: Database, work: (db: Database, batch: BatchOfOrders) => Promise<void>): Promise<void> {
  const rows = await db.query<{ order_id: bigint }>('select order_id from orders order by order_id')
  for (let n = 0; n < batches; n += 1) {
    const orderIds = rows.slice(n * BATCH, (n + 1) * BATCH).map((row) => row.order_id)
    await work(db, { batchId: BigInt(n + 1), orderIds, txHash: `0x${String(n + 1).padStart(64, '0')}` })
  }
}

async function submit(db: Database, { batchId, orderIds, txHash }: BatchOfOrders): Promise<void> {
  const rawTransaction = `0x${randomBytes(INSTRUCTION_BYTES * BATCH + 110).toString('hex')}` as const
  const [chainId, signer] = [CHAIN_ID, `0x${'5'.repeat(40)}`]
  await db.transaction(async (tx) => {
    await insertBatch(tx, {
      chainId,
      batchId,
      signer,
      nonce: batchId,
      digest: txHash,
      runningHash: txHash,
      orderIds,
      txHash,
      fencingToken: 1n,
    })
    await insertAttempt(tx, {
      chainId,
      batchId,
      txHash,
      signer,
      nonce: batchId,
      rawTransaction,
      fees: { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n },
      gasLimit: 10_000_000n,
    })
    await submitOrders(tx, { chainId, batchId })
  })
}

async function mine(db: Database, { batchId, txHash }: BatchOfOrders): Promise<void> {
  await markMined(db, CHAIN_ID, { batchId, blockNumber: batchId, blockHash: txHash, txHash })
}

async function finalise(db: Database, { batchId, orderIds }: BatchOfOrders): Promise<void> {
  const succeeded = orderIds.map((_, index) => index)
  await createBatchSteps(db).finalise({ chainId: CHAIN_ID, batchId }, { succeeded })
}

async function deliverAll(db: Database): Promise<void> {
  for (;;) {
    const claimed = await claimDue(db, CLAIM)
    if (claimed.length === 0) return
    const record = (delivery: (typeof claimed)[number]) =>
      recordAttempt(db, { claimed: delivery, outcome: ACKNOWLEDGED, verdict: { status: 'delivered' } })
    await Promise.all(claimed.map(record))
  }
}

/** Bytes per order of what grows with them, of months and their default partition together. */
async function sizes(db: Database): Promise<{ name: string; table: number; index: number }[]> {
  const names = await db.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )
  for (const { name } of names) await db.query(`vacuum full ${name}`)
  const rows = await db.query<{ name: string; bytes: bigint; index_bytes: bigint; grows: boolean }>(
    `select coalesce(p.relname, c.relname) as name, sum(pg_table_size(c.oid))::bigint as bytes,
       sum(pg_indexes_size(c.oid))::bigint as index_bytes, sum(greatest(c.reltuples, 0)) >= $1 as grows
     from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by 1 order by 2 desc`,
    [batches],
  )
  return rows
    .filter(({ name, grows }) => name in MONTHS_KEPT || grows)
    .map(({ name, bytes, index_bytes: index }) => ({
      name,
      table: Number(bytes) / mints,
      index: Number(index) / mints,
    }))
}
