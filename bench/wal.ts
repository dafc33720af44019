/**
 * What a mint writes to the write-ahead log from acceptance to completion, with one webhook endpoint: the real
 * acceptance and the real settler, and PostgreSQL without full-page images, so that every counted byte is the order's
 * own.
 *
 *   npm run bench -- wal [--orders 2550]
 */
import { parseArgs } from 'node:util'
import { connectChain } from '../src/chain/chain.ts'
import type { Database } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres.ts'
import { createSettler, type Settler } from '../src/settlement/settler.ts'
import { deployChain, rpc, silent, wallet } from '../test/settlement/fixture.ts'
import { startAnvil } from '../test/support/anvil.ts'
import { createOrdersFixture } from '../test/support/orders.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { currentLoad, publish } from './support/report.ts'

const { values } = parseArgs({ options: { orders: { type: 'string', default: '2550' } } })
const COUNT = Number(values.orders)
const AT_ONCE = 30
const CONFIRMATIONS = 3

const loadBefore = currentLoad()
const server = await startPostgresServer({ full_page_writes: 'off', autovacuum: 'off' })
const db = await openPostgres({ url: server.url, poolSize: 10 })
const anvil = await startAnvil()
let settler: Settler | undefined
try {
  await migrate(db)
  const config = await deployChain(anvil.rpcUrl, { confirmations: CONFIRMATIONS })
  const fixture = await createOrdersFixture('postgres', { ...db, url: server.url })
  await addEndpoint(db, fixture.integrationId)
  // The fixture's chain does not exist; the settler registers the real one under its number.
  await db.query('delete from chains')

  const accepted = await walOf(db, async () => {
    for (let first = 0; first < COUNT; first += AT_ONCE) await Promise.all(posts(first))
  })
  function posts(first: number) {
    const size = Math.min(AT_ONCE, COUNT - first)
    return Array.from({ length: size }, (_, index) =>
      fixture.call('mint', fixture.mintBody({ walletAddress: wallet((first + index) % 500), fiatConfirmed: true })),
    )
  }

  const settled = await walOf(db, async () => {
    settler = createSettler({
      db,
      chains: [connectChain(config, { db, logger: silent })],
      logger: silent,
      holder: 'bench',
    })
    settler.start()
    await rpc(anvil.rpcUrl, 'evm_setIntervalMining', 1)
    await waitFor('all mints to be completed', allCompleted, { timeoutMs: 300_000, everyMs: 200 })
    await settler.stop()
  })

  const [events] = await db.query<{ deliveries: bigint }>('select count(*) as deliveries from deliveries')
  if (events?.deliveries !== BigInt(2 * COUNT)) throw new Error(`${events?.deliveries} deliveries`)
  const [version] = await db.query<{ version: string }>(`select current_setting('server_version') as version`)
  publish({
    name: 'wal',
    title: 'What a mint writes to the write-ahead log',
    method: `${COUNT} confirmed mints, ${AT_ONCE} posted at a time, accepted, put into batches, mined, ${CONFIRMATIONS} confirmations deep and completed, with one webhook
endpoint for all events (two deliveries each). \`pg_current_wal_insert_lsn()\` after a checkpoint and at the end of each part, without full-page
images (\`full_page_writes = off\`) and without autovacuum.`,
    rows: [
      ['part', 'bytes a mint'],
      ['accepted: order, key and answer, event, delivery', accepted / COUNT],
      ['settled: batch, attempt, moves, event, delivery', settled / COUNT],
    ],
    measured: { wal: (accepted + settled) / COUNT },
    numbers: { accepted: accepted / COUNT, settled: settled / COUNT },
    versions: { PostgreSQL: version?.version ?? '' },
    loadBefore,
  })
} finally {
  await settler?.stop()
  await anvil.stop()
  await db.close()
  await server.stop()
}

async function addEndpoint(to: Database, integrationId: string): Promise<void> {
  await to.query(
    `insert into webhook_endpoints (endpoint_id, integration_id, url, secret_encrypted) values ('we_bench', $1, 'https://example.com', 'sb1.s')`,
    [integrationId],
  )
}

async function allCompleted(): Promise<boolean> {
  const [row] = await db.query<{ open: bigint }>(`select count(*) as open from orders where status <> 'completed'`)
  return row?.open === 0n
}

/** The bytes that `work` wrote to the log, on a server where nobody else writes. */
async function walOf(on: Database, work: () => Promise<void>): Promise<number> {
  await on.query('checkpoint')
  const [before] = await on.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn')
  await work()
  const [row] = await on.query<{ bytes: string }>('select (pg_current_wal_insert_lsn() - $1::pg_lsn)::text as bytes', [
    before?.lsn ?? '0/0',
  ])
  return Number(row?.bytes)
}
