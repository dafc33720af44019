/** What choosing the orders of the next batches costs while one integration has few or many waiting, with room and without. */
import { parseArgs } from 'node:util'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres.ts'
import { FIRST_SEARCH, searchAfter } from '../src/settlement/form/search.ts'
import { selectOrders } from '../src/settlement/form/select.ts'
import { FIRST_TURNS } from '../src/settlement/form/turns.ts'
import { type Marks, type PerBucket, readQueues } from '../src/settlement/tables/queues.sql.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { withoutGuards } from '../test/support/without-guards.ts'
import { currentLoad, median, publish, round } from './support/report.ts'

const { values } = parseArgs({
  options: {
    few: { type: 'string', default: '2000' },
    many: { type: 'string', default: '100000' },
    integrations: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '60' },
    signed: { type: 'string', default: '10000' },
  },
})
const [few, many, integrations, rounds, signed] = [
  values.few,
  values.many,
  values.integrations,
  values.rounds,
  values.signed,
].map(Number) as [number, number, number, number, number]
const CHAIN_ID = 1
const BEGINNING: Marks = { from: new Map(), othersFrom: 0n }
const LIMIT = 1_020
const UNLIMITED: PerBucket = { mint: 10n ** 17n, burn: 10n ** 17n, transfer: 10n ** 17n }
const NO_MINTS: PerBucket = { ...UNLIMITED, mint: 0n }

const loadBefore = currentLoad()
const server = await startPostgresServer()
const db = await openPostgres({ url: server.url, poolSize: 2, statementTimeoutMs: 300_000 })
try {
  await migrate(db)
  await db.query(
    `insert into integrations (integration_id, name) select 'int_' || lpad(n::text, 24, '0'), 'Bench' from generate_series(1, $1::int) n`,
    [integrations],
  )
  const measured: { waiting: number; behind: number; room: number; blocked: number; marked: number }[] = []
  let flood = 0
  let behind = 0

  for (const [waiting, inBatches] of [
    [few, 0],
    [many, 0],
    [many, signed],
  ] as const) {
    // Those in batches are at the head of the queue.
    await sign(inBatches - behind)
    await add(`flood-${waiting}-${inBatches}`, '1', waiting + inBatches - flood, 'MINT')
    flood = waiting + inBatches
    behind = inBatches
    await db.query(`delete from orders where direction = 'TRANSFER'`)
    await add(`others-${waiting}-${inBatches}`, `(n % ${integrations - 1}) + 2`, integrations - 1, 'TRANSFER')
    await db.query('analyze orders')
    const times = { room: [] as number[], blocked: [] as number[], marked: [] as number[] }
    const marks = await marksNow()
    for (let turn = 0; turn < rounds; turn += 1) {
      times.room.push(await msOf(BEGINNING, UNLIMITED, LIMIT))
      times.blocked.push(await msOf(BEGINNING, NO_MINTS, integrations - 1))
      times.marked.push(await msOf(marks, UNLIMITED, LIMIT))
    }
    measured.push({
      waiting,
      behind,
      room: median(times.room),
      blocked: median(times.blocked),
      marked: median(times.marked),
    })
  }
  type Measured = (typeof measured)[number]
  const [first, last, queued] = measured as [Measured, Measured, Measured]
  const [version] = await db.query<{ version: string }>(`select current_setting('server_version') as version`)
  publish({
    name: 'turns',
    title: 'Choosing the next batches while much waits',
    method: `One integration has waiting mints; ${integrations - 1} others have a transfer each. Reading and choosing ${LIMIT} orders from the beginning,
with room in all buckets and with an empty mint bucket; and from the oldest orders that the search before it found, as the settler searches
but for once a second. At last ${signed} mints of the same integration, older than all that wait, are in batches. Median of ${rounds} each, in turn.`,
    rows: [
      ['waiting mints', 'in batches', 'ms with room', 'ms with no room for mints', 'ms from the oldest found'],
      ...measured.map(({ waiting, behind: ahead, room, blocked, marked }) => [
        waiting,
        ahead,
        round(room),
        round(blocked),
        round(marked),
      ]),
      [
        'ratio',
        '',
        round(last.room / first.room),
        round(last.blocked / first.blocked),
        round(queued.marked / first.marked),
      ],
    ],
    goal: {
      what: 'the worst ratio',
      measured: Math.max(last.room / first.room, last.blocked / first.blocked, queued.marked / first.marked),
      bound: 1.5,
      atLeast: false,
    },
    notes: [
      'Before queues and turns, when orders were taken by age alone and `orders_awaiting_settlement` was (chain, order): 4.54 → 5.64 ms with room, 4.61 → 119 ms without (ratio 25.7; PostgreSQL 18.4, load average 16 to 17, a median of 30).',
    ],
    versions: { PostgreSQL: version?.version ?? '' },
    loadBefore,
  })
} finally {
  await db.close()
  await server.stop()
}

/** Adds accepted orders. @param integration in SQL, of the number `n` of the order, from 1 on */
async function add(name: string, integration: string, count: number, direction: 'MINT' | 'TRANSFER'): Promise<void> {
  await db.query(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address,
       debit_address, customer_id, key_id, amount_micro)
     select 'int_' || lpad((${integration})::text, 24, '0'), $1 || '-' || lpad(n::text, 9, '0'), $4, 'pending', $2, 'Bench', '0x1',
       '0x' || repeat('2', 40), case $4::text when 'MINT' then null else '0x' || repeat('3', 40) end, 'cus_bench', 'k', 1000000
     from generate_series(1, $3::int) n`,
    [name, CHAIN_ID, count, direction],
  )
}

/** Puts the oldest mints into batches. */
async function sign(count: number): Promise<void> {
  await withoutGuards(db, (tx) =>
    tx.query(
      `insert into signed_orders (order_id, batch_id, batch_index) select order_id, 1, 0 from orders
       where direction = 'MINT' and order_id not in (select order_id from signed_orders) order by order_id limit $1`,
      [count],
    ),
  )
  await db.query('analyze signed_orders')
}

/** Where the settler would begin after a search. */
async function marksNow(): Promise<Marks> {
  const found = await readQueues(db, CHAIN_ID, { capacity: UNLIMITED, limit: LIMIT, marks: BEGINNING })
  return searchAfter(FIRST_SEARCH, BEGINNING, found, 0).marks
}

async function msOf(marks: Marks, room: PerBucket, expected: number): Promise<number> {
  const began = performance.now()
  const pending = await readQueues(db, CHAIN_ID, { capacity: UNLIMITED, limit: LIMIT, marks })
  const { orders } = selectOrders(pending, room, LIMIT, FIRST_TURNS)
  if (orders.length !== expected) throw new Error(`${orders.length} orders were chosen`)
  return performance.now() - began
}
