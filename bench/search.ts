/** What the search for orders that wait costs while an old transaction keeps the index entries of those that have left. */
import { parseArgs } from 'node:util'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres.ts'
import { readQueues } from '../src/settlement/tables/queues.sql.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { withoutGuards } from '../test/support/without-guards.ts'
import { currentLoad, median, publish, round } from './support/report.ts'

const { values } = parseArgs({
  options: { orders: { type: 'string', default: '120000' }, rounds: { type: 'string', default: '50' } },
})
const [left, rounds] = [Number(values.orders), Number(values.rounds)]
const CHAIN_ID = 1
const WAITING = 255
const UNLIMITED = { mint: 10n ** 17n, burn: 10n ** 17n, transfer: 10n ** 17n }

const loadBefore = currentLoad()
const server = await startPostgresServer()
const db = await openPostgres({ url: server.url, poolSize: 4, statementTimeoutMs: 120_000 })
try {
  await migrate(db)
  await db.query(`insert into integrations (integration_id, name) values ('int_bench', 'Bench')`)
  await add('left', left)
  await db.query('analyze orders')
  const [release, mayEnd] = signal()
  const [open, isOpen] = signal()
  const old = db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read')
    await tx.query('select count(*) from orders')
    open()
    await mayEnd
  })
  await isOpen
  await withoutGuards(db, (tx) =>
    tx.query(
      `update orders set status = 'completed', batch_id = 1, batch_index = 0, tx_hash = sha256('1'), block_number = 1`,
    ),
  )
  await add('waits', WAITING)
  const [first] = await search(0n)
  if (first === undefined) throw new Error('nothing waits')
  const times: Record<'beginning' | 'mark', number[]> = { beginning: [], mark: [] }
  for (let turn = 0; turn < rounds; turn += 1) {
    times.beginning.push(await msOf(0n))
    times.mark.push(await msOf(first.orderId))
  }
  release()
  await old
  const [beginning, mark] = [median(times.beginning), median(times.mark)]
  const [version] = await db.query<{ version: string }>(`select current_setting('server_version') as version`)
  publish({
    name: 'search',
    title: 'The search for orders that wait',
    method: `${WAITING} orders wait behind ${left} that have left since a transaction began that is still open. The settler's search from the
beginning, and from the oldest order that it found last time. Median of ${rounds} searches each, in turn.`,
    rows: [
      ['from', 'ms'],
      ['the beginning', round(beginning)],
      ['the oldest found last time', round(mark)],
    ],
    goal: { what: 'the second ÷ the first', measured: mark / beginning, bound: 0.5, atLeast: false },
    versions: { PostgreSQL: version?.version ?? '' },
    loadBefore,
  })
} finally {
  await db.close()
  await server.stop()
}

/** Adds accepted mints. */
async function add(name: string, count: number): Promise<void> {
  await db.query(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address,
       customer_id, key_id, amount_micro)
     select 'int_bench', $1 || '-' || lpad(n::text, 9, '0'), 'MINT', 'pending', $2, 'Bench', '0x1', '0x' || repeat('2', 40), 'cus_bench', 'k', 1000000
     from generate_series(1, $3::int) n`,
    [name, CHAIN_ID, count],
  )
}

function search(fromOrderId: bigint) {
  return readQueues(db, CHAIN_ID, {
    capacity: UNLIMITED,
    limit: WAITING,
    marks: { from: new Map(), othersFrom: fromOrderId },
  })
}

async function msOf(fromOrderId: bigint): Promise<number> {
  const began = performance.now()
  const { length } = await search(fromOrderId)
  if (length !== WAITING) throw new Error(`${length} orders were found`)
  return performance.now() - began
}

function signal(): [send: () => void, sent: Promise<void>] {
  const { promise, resolve } = Promise.withResolvers<void>()
  return [resolve, promise]
}
