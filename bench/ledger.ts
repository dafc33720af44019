/** What entries of the books weigh, how fast they are sealed, and whether balances cost the same after ten times as many. */
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import type { Database } from '../src/db/database.ts'
import { readBalances } from '../src/ledger/balances.sql.ts'
import { recordEntries } from '../src/ledger/entries.sql.ts'
import { entryOfPayout } from '../src/ledger/postings.ts'
import { verifyLedger } from '../src/ledger/verify.ts'
import { checkBooks } from '../src/operator/reconcile/turns.ts'
import { createTestDatabase } from '../test/support/database.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { sealBooks } from '../test/support/seal-books.ts'
import { currentLoad, median, publish, round } from './support/report.ts'

const { values } = parseArgs({ options: { entries: { type: 'string', default: '300000' } } })
const ENTRIES = Number(values.entries)
const AT_ONCE = 500
const ROUNDS = 5
const PAYOUTS_A_MONTH = 10_000_000

const loadBefore = currentLoad()
const server = await startPostgresServer()
process.env.TEST_POSTGRES_URL = server.url
try {
  const db = await createTestDatabase({ engine: 'postgres' })
  const few = await grow(db, 0, ENTRIES / 10)
  const fewMs = await cost(db)
  const many = await grow(db, ENTRIES / 10, ENTRIES)
  const manyMs = await cost(db)
  const verifyMs = await timed(async () => {
    const { ok, firstBad } = await verifyLedger(db)
    if (!ok) throw new Error(JSON.stringify(firstBad))
  })
  const bytes = await bytesOfEntries(db)
  await db.close()
  const rate = (ms: number) => Math.round((ENTRIES * 0.9 * 1_000) / ms)
  publish({
    name: 'ledger',
    title: 'What the books cost',
    method: `${round(ENTRIES)} entries of sent payouts (ten integrations, thirty days), booked and sealed ${AT_ONCE} at a time by the service's own statements on PostgreSQL. A balance of all accounts and the
comparison of the books are measured after a tenth of them and after all, the median of ${ROUNDS}. Sizes after \`vacuum full\`, indexes included.`,
    rows: [
      ['what', 'after a tenth', 'after all'],
      ['all balances, ms', round(fewMs.balances), round(manyMs.balances)],
      ['the books compared, ms', round(fewMs.compared), round(manyMs.compared)],
      ['entries booked a second', '', rate(many.bookedMs)],
      ['entries sealed a second', Math.round((ENTRIES * 0.1 * 1_000) / few.sealedMs), rate(many.sealedMs)],
      ['entries verified a second', '', Math.round((ENTRIES * 1_000) / verifyMs)],
      ['bytes an entry with its seal', '', round(bytes)],
      ['GB a month at 10,000,000 payouts', '', round((bytes * PAYOUTS_A_MONTH) / 1e9)],
    ],
    goal: {
      what: 'balances and comparison after all entries, as a multiple of those after a tenth',
      measured: (manyMs.balances + manyMs.compared) / (fewMs.balances + fewMs.compared),
      bound: 1.5,
      atLeast: false,
    },
    loadBefore,
  })
} finally {
  await server.stop()
}

async function grow(db: Database, from: number, to: number): Promise<{ bookedMs: number; sealedMs: number }> {
  const bookedMs = await timed(async () => {
    for (let first = from; first < to; first += AT_ONCE) {
      const entries = Array.from({ length: AT_ONCE }, (_, index) => entryOf(first + index))
      await db.transaction((tx) => recordEntries(tx, entries))
    }
  })
  const sealedMs = await timed(async () => {
    while ((await sealBooks(db, AT_ONCE)).sealed > 0);
  })
  await db.query('analyze')
  pino({ level: 'info' }).info({ entries: to, bookedMs, sealedMs }, 'booked and sealed')
  return { bookedMs, sealedMs }
}

function entryOf(index: number) {
  return entryOfPayout({
    payoutId: `po_${index}_${String(index).padStart(10, '0')}`,
    attempt: 1,
    timesSent: 1,
    what: 'sent',
    integrationId: `int_${String(index % 10).padStart(24, '0')}`,
    rail: 'http',
    amountSen: BigInt(index + 1),
    effectiveAt: new Date(Date.UTC(2026, 9, 1 + (index % 30), 4)),
  })
}

async function cost(db: Database): Promise<{ balances: number; compared: number }> {
  const balances: number[] = []
  const compared: number[] = []
  for (let n = 0; n < ROUNDS; n += 1) {
    balances.push(await timed(() => readBalances(db)))
    compared.push(await timed(() => checkBooks(db)))
  }
  return { balances: median(balances), compared: median(compared) }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function bytesOfEntries(db: Database): Promise<number> {
  const tables = ['ledger_entries', 'ledger_seals', 'ledger_unsealed', 'ledger_totals']
  for (const table of tables) await db.script(`vacuum full ${table}`)
  const [row] = await db.query<{ bytes: bigint }>(
    `select sum(pg_total_relation_size(name::regclass))::bigint as bytes from unnest($1::text[]) as name`,
    [tables],
  )
  return Number(row?.bytes) / ENTRIES
}
