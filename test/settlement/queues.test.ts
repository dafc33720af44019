/** What is read of orders that wait: an equal part of each queue, and nothing that may not settle. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { DIRECTIONS, type Direction } from '../../src/orders/order.ts'
import { type Marks, readOldestWaiting, readQueues } from '../../src/settlement/tables/queues.sql.ts'
import { anyAwaits, countOversized, readOversized } from '../../src/settlement/tables/waiting.sql.ts'
import { addSignedLine } from '../support/batch-rows.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'

const CHAIN = 1
const INTEGRATIONS = ['int_a', 'int_b', 'int_c'] as const
const CAPACITY = { mint: 1_000n, burn: 1_000n, transfer: 1_000n }
const BEGINNING: Marks = { from: new Map(), othersFrom: 0n }

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  for (const id of INTEGRATIONS) {
    await db.query(`insert into integrations (integration_id, name) values ($1, 'Test')`, [id])
  }
})
beforeEach(async () => {
  await db.query('delete from tag_conflicts')
  await db.query('delete from order_holds')
  await db.query('delete from orders')
})
after(() => db.close())

let references = 0

/** Accepts orders of one kind. Returns their ids. */
async function accept(
  integrationId: string,
  count: number,
  { direction = 'MINT', chainId = CHAIN, amountMicro = 10n }: Partial<Waiting> = {},
): Promise<bigint[]> {
  references += 1
  const rows = await db.query<{ order_id: bigint }>(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address,
       debit_address, customer_id, key_id, amount_micro)
     select $1, 'reference-' || $2::int || '-' || n, $3, 'pending', $4, 'Test', '0x1', '0x' || repeat('2', 40),
       case $3::text when 'MINT' then null else '0x' || repeat('3', 40) end, 'cus', 'key', $5 from generate_series(1, $6::int) n
     returning order_id`,
    [integrationId, references, direction, chainId, amountMicro, count],
  )
  return rows.map((row) => row.order_id)
}
type Waiting = { direction: Direction; chainId: number; amountMicro: bigint }

const read = (limit: number, marks = BEGINNING) => readQueues(db, CHAIN, { capacity: CAPACITY, limit, marks })

/** How many of each integration were read. */
async function parts(limit: number): Promise<Record<string, number>> {
  const groups = Map.groupBy(await read(limit), ({ integrationId }) => integrationId)
  return Object.fromEntries([...groups].map(([id, own]) => [id, own.length]).sort())
}

test('ten thousand waiting orders of one integration hide nobody: each queue gives an equal part, the oldest first', async () => {
  const flood = await accept('int_a', 10_000)
  const [single = 0n] = await accept('int_b', 1)
  const transfers = await accept('int_a', 3, { direction: 'TRANSFER' })
  const found = await read(100)
  const [first, ...others] = Object.values(Object.groupBy(found, ({ direction }) => direction))
  assert.deepEqual(
    others.flat().map(({ orderId }) => orderId),
    transfers,
  )
  assert.deepEqual(
    first?.map(({ orderId }) => orderId),
    [...flood.slice(0, 96), single],
  )
  assert.deepEqual(await parts(100), { int_a: 99, int_b: 1 })
  assert.deepEqual(await parts(1), { int_a: 2, int_b: 1 }, 'never less than one of each queue')
})

test('what some queues do not have, the others give', async () => {
  for (const [id, count] of [
    ['int_a', 50],
    ['int_b', 20],
    ['int_c', 4],
  ] as const)
    await accept(id, count)
  assert.deepEqual(await parts(12), { int_a: 4, int_b: 4, int_c: 4 })
  assert.deepEqual(await parts(30), { int_a: 13, int_b: 13, int_c: 4 })
  assert.deepEqual(await parts(60), { int_a: 36, int_b: 20, int_c: 4 })
  assert.deepEqual(await parts(1_000), { int_a: 50, int_b: 20, int_c: 4 })
})

test('when enough was found nothing more is asked', async () => {
  await accept('int_a', 4)
  let asked = 0
  const counting: Queryable = {
    query(text, params) {
      asked += 1
      return db.query(text, params)
    },
  }
  const found = await readQueues(counting, CHAIN, { capacity: CAPACITY, limit: 2, marks: BEGINNING })
  assert.deepEqual([found.length, asked], [2, 1])
})

test('a queue is read from its mark, and from that of all others where it has none', async () => {
  const [a, b, c] = [await accept('int_a', 3), await accept('int_b', 3), await accept('int_c', 3)]
  const redeems = await accept('int_a', 2, { direction: 'REDEEM' })
  const marks = {
    from: new Map([
      ['int_a MINT', a[2] ?? 0n],
      ['int_c MINT', (c[2] ?? 0n) + 1n],
    ]),
    othersFrom: b[1] ?? 0n,
  }
  const found = await read(100, marks)
  assert.deepEqual(
    found.map(({ orderId }) => orderId),
    [...a.slice(2), ...b.slice(1), ...redeems],
  )
  const few = await read(3, marks)
  assert.deepEqual(
    few.map(({ orderId }) => orderId),
    [a[2], b[1], redeems[0]],
  )
})

test('only what may settle on the chain is read: held, conflicting, oversized and ended orders stay, and hide nothing', async () => {
  for (const direction of DIRECTIONS) {
    const [held, conflicting, oversized, unpaid, signed, requeued, plain] = [
      ...(await accept('int_a', 2, { direction })),
      ...(await accept('int_a', 1, { direction, amountMicro: 1_001n })),
      ...(await accept('int_a', 4, { direction })),
    ] as [bigint, bigint, bigint, bigint, bigint, bigint, bigint]
    await accept('int_a', 1, { direction, chainId: 2 })
    await db.query(`insert into order_holds (order_id, reason) values ($1, 'a person')`, [held])
    await db.query(`insert into tag_conflicts (order_id, chain_id, tag) values ($1, 1, '0x1')`, [conflicting])
    await withoutGuards(db, (tx) =>
      tx.query(
        `update orders set status = 'completed', batch_id = 1, batch_index = 0, tx_hash = sha256('1'), block_number = 1 where order_id = $1`,
        [unpaid],
      ),
    )
    await addSignedLine(db, { orderId: requeued, batchId: null })
    await addSignedLine(db, { orderId: signed, batchId: 1n })
    const found = (await read(100)).filter((order) => order.direction === direction)
    assert.deepEqual(
      found.map(({ orderId }) => orderId),
      [requeued, plain],
      direction,
    )
    assert.deepEqual(
      (await read(1)).filter((order) => order.direction === direction).map(({ orderId }) => orderId),
      [requeued],
    )
    assert.ok(oversized < plain)
  }
  assert.equal(await countOversized(db, CHAIN, CAPACITY), 3)
})

/** How many pages a statement looks at. */
async function pagesReadBy(run: (on: Queryable) => Promise<unknown>): Promise<number> {
  let pages = 0
  await run({
    async query(text, params) {
      const [plan] = await db.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `explain (analyze, buffers, format json) ${text}`,
        params,
      )
      const { 'Shared Hit Blocks': hit = 0, 'Shared Read Blocks': read = 0 } = plan?.['QUERY PLAN'][0].Plan ?? {}
      pages += hit + read
      return []
    },
  })
  return pages
}

test('what is held of one integration is not looked at, however much that is', async () => {
  await accept('int_b', 3)
  await db.query('vacuum analyze orders')
  const looks: ((on: Queryable) => Promise<unknown>)[] = [
    (on) => readQueues(on, CHAIN, { capacity: CAPACITY, limit: 100, marks: BEGINNING }),
    (on) => anyAwaits(on, CHAIN),
    (on) => readOldestWaiting(on, CHAIN),
    (on) => countOversized(on, CHAIN, CAPACITY),
    (on) => readOversized(on, CHAIN, CAPACITY),
  ]
  const before = []
  for (const look of looks) before.push(await pagesReadBy(look))
  for (const direction of DIRECTIONS) await accept('int_a', 1_000, { direction })
  await db.query(
    `insert into order_holds (order_id, reason) select order_id, 'x' from orders where integration_id = 'int_a'`,
  )
  await db.query('vacuum analyze orders')
  assert.deepEqual(await parts(100), { int_b: 3 })
  for (const [place, look] of looks.entries()) {
    const pages = await pagesReadBy(look)
    assert.ok(pages < (before[place] ?? 0) + 50, `${look}: ${before[place]} pages, then ${pages}`)
  }
  const released = await db.query<{ id: bigint }>(
    `delete from order_holds where order_id in (select order_id from order_holds order by order_id limit 2) returning order_id as id`,
  )
  const found = (await read(100)).filter(({ integrationId }) => integrationId === 'int_a')
  assert.deepEqual(
    found.map(({ orderId }) => orderId),
    released.map(({ id }) => id).toSorted(),
  )
})

test('the oldest of each queue tells how long it waits, whatever its size', async () => {
  const [old = 0n] = await accept('int_b', 5, { amountMicro: 10n ** 15n })
  const [debit = 0n] = await accept('int_b', 2, { direction: 'TRANSFER' })
  const [other = 0n] = await accept('int_c', 2)
  await accept('int_c', 1, { chainId: 2 })
  await withoutGuards(db, (tx) =>
    tx.query(`update orders set created_at = now() - interval '1 hour' where order_id = $1`, [old]),
  )
  await withoutGuards(db, (tx) =>
    tx.query(
      `update orders set created_at = now() - interval '3 hours', updated_at = now() - interval '2 hours' where order_id = $1`,
      [other],
    ),
  )
  const told = await readOldestWaiting(db, CHAIN)
  assert.deepEqual(
    told.map(({ orderId, integrationId, seconds }) => [orderId, integrationId, Math.round(seconds / 3_600)]),
    [
      [old, 'int_b', 1],
      [debit, 'int_b', 0],
      [other, 'int_c', 2],
    ],
  )
})
