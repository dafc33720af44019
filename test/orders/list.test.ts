// engine: postgres; both in test:long
/** Pages of orders: what a walk shows, and what a page costs when there are many orders. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import type { OrderStatus } from '../../src/orders/order.ts'
import { parseOrderFilters } from '../../src/orders/read/filters.ts'
import { findOrder, listOrders } from '../../src/orders/read/orders.sql.ts'
import { addSignedLine, BATCH_COLUMNS, batchColumns } from '../support/batch-rows.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createOrdersFixture, type OrdersFixture } from '../support/orders.ts'
import { withoutGuards } from '../support/without-guards.ts'

let fixture: OrdersFixture

/** As many as a busy machine writes well within the time that a statement has. */
const FILLED_AT_ONCE = 5_000

/** Writes orders in bulk: `count` of them, a hundred to each second, all of one direction and status. */
async function fill(of: OrdersFixture, count: number, direction: string, status: OrderStatus, start: string) {
  for (let from = 1; from <= count; from += FILLED_AT_ONCE) {
    await fillRange(of, [from, Math.min(count, from + FILLED_AT_ONCE - 1)], direction, status, start)
  }
}

async function fillRange(
  of: OrdersFixture,
  [from, to]: readonly [number, number],
  direction: string,
  status: OrderStatus,
  start: string,
) {
  const debit = direction === 'MINT' ? null : of.walletAddress
  await of.db.query(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address,
       wallet_address, debit_address, customer_id, key_id, amount_micro, created_at, ${BATCH_COLUMNS})
     select $1, $2 || lpad(n::text, 8, '0'), $3, $4, 31337, 'Test', $5, $5, $6, $7, $8, 1000000,
       $9::timestamptz + (n / 100) * interval '1 second', $11::bigint, $12::smallint, $13, $14::bigint, $15
     from generate_series($16::integer, $10::integer) n`,
    [
      of.integrationId,
      `${direction}:${status}:`,
      direction,
      status,
      of.walletAddress,
      debit,
      of.customerId,
      of.keyId,
      start,
      to,
      ...batchColumns(status, { batchId: 1n }),
      from,
    ],
  )
}

async function page(of: OrdersFixture, query: Record<string, string>, db: Queryable = of.db) {
  const parsed = parseOrderFilters(of.integrationId, query)
  assert.ok(parsed.ok, JSON.stringify(query))
  return listOrders(db, of.integrationId, parsed.filters)
}

async function walk(of: OrdersFixture, query: Record<string, string>, between = async () => {}): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const { orders, next } = await page(of, cursor === null ? query : { ...query, cursor })
    seen.push(...orders.map((order) => order.referenceId))
    assert.ok(orders.length <= Number(query.limit))
    cursor = next
    await between()
  } while (cursor !== null)
  return seen
}

describe('walks', () => {
  before(async () => {
    fixture = await createOrdersFixture()
    await fill(fixture, 250, 'MINT', 'completed', '2026-01-01T00:00:00Z')
    await fill(fixture, 40, 'TRANSFER', 'completed', '2026-01-01T00:00:00Z')
    await fill(fixture, 12, 'REDEEM', 'failed', '2026-01-01T00:00:01Z')
    await fill(fixture, 8, 'REDEEM', 'processing', '2026-01-01T00:00:00Z')
    for (const direction of ['MINT', 'REDEEM', 'TRANSFER'])
      await fill(fixture, 30, direction, 'pending', '2026-01-01T00:00:01Z')
    const signed = await fixture.db.query<{ order_id: bigint }>(
      `select order_id from orders where status = 'pending' and order_id % 3 = 0`,
    )
    for (const { order_id: orderId } of signed) {
      await addSignedLine(fixture.db, { orderId, batchId: orderId % 2n === 0n ? 7n : null })
    }
  })
  after(() => fixture.close())

  const expected = async (condition: string) => {
    const rows = await fixture.db.query<{ reference_id: string }>(
      `select reference_id from orders where ${condition} order by created_at desc, order_id desc`,
    )
    return rows.map((row) => row.reference_id)
  }

  const SIGNED = '(order_id in (select order_id from signed_orders))'

  test('every filter gives its orders, newest first, whatever the page size', async () => {
    const cases: [Record<string, string>, string][] = [
      [{}, 'true'],
      [{ direction: 'TRANSFER' }, `direction = 'TRANSFER'`],
      [{ status: 'completed' }, `status = 'completed'`],
      [{ direction: 'MINT', status: 'completed' }, `direction = 'MINT' and status = 'completed'`],
      [{ direction: 'MINT', status: 'failed' }, 'false'],
      // What is stored as pending and signed is processing, and so is a burnt redeem, of which 8 are.
      [{ status: 'pending' }, `status = 'pending' and not ${SIGNED}`],
      [{ direction: 'TRANSFER', status: 'pending' }, `direction = 'TRANSFER' and status = 'pending' and not ${SIGNED}`],
      [{ status: 'processing' }, `(status = 'processing' or ${SIGNED})`],
      [{ direction: 'MINT', status: 'processing' }, `direction = 'MINT' and ${SIGNED}`],
      [{ direction: 'REDEEM', status: 'processing' }, `direction = 'REDEEM' and (status = 'processing' or ${SIGNED})`],
      [
        { status: 'processing', createdAfter: '2026-01-01T00:00:00Z', createdBefore: '2026-01-01T00:00:02Z' },
        `(status = 'processing' or ${SIGNED}) and created_at > '2026-01-01T00:00:00Z' and created_at < '2026-01-01T00:00:02Z'`,
      ],
      [{ createdAfter: '2026-01-01T00:00:01Z' }, `created_at > '2026-01-01T00:00:01Z'`],
      [{ createdBefore: '2026-01-01T00:00:01Z' }, `created_at < '2026-01-01T00:00:01Z'`],
      [
        { status: 'completed', createdAfter: '2026-01-01T00:00:00Z', createdBefore: '2026-01-01T00:00:02Z' },
        `status = 'completed' and created_at > '2026-01-01T00:00:00Z' and created_at < '2026-01-01T00:00:02Z'`,
      ],
    ]
    for (const [query, condition] of cases) {
      const wanted = query.status
      for (const { status } of (await page(fixture, { ...query, limit: '100' })).orders) {
        assert.equal(status, wanted ?? status, JSON.stringify(query))
      }
      for (const limit of ['7', '50', '100']) {
        assert.deepEqual(await walk(fixture, { ...query, limit }), await expected(condition), JSON.stringify(query))
      }
    }
  })

  test('the final page has no cursor, even when it is full', async () => {
    const { orders, next } = await page(fixture, { direction: 'REDEEM', status: 'failed', limit: '12' })
    assert.deepEqual([orders.length, next], [12, null])
  })

  test('a walk shows each order of its start once while new ones arrive', async () => {
    for (const query of [{ limit: '20' }, { limit: '20', direction: 'MINT' }]) {
      const atStart = await expected('direction' in query ? `direction = 'MINT'` : 'true')
      const arrive = async () => void (await fixture.call('mint', fixture.mintBody()))
      assert.deepEqual(await walk(fixture, query, arrive), atStart)
    }
  })

  test('a walk by status shows no order twice while statuses change', async () => {
    const change = async () => {
      await withoutGuards(fixture.db, (tx) =>
        tx.query(
          `update orders set status = 'failed', failure_reason = 'test' where order_id in
             (select order_id from orders where status = 'completed' order by random() limit 10)`,
        ),
      )
    }
    const untouched = new Set(await walk(fixture, { status: 'completed', limit: '25' }, change))
    const still = await expected(`status = 'completed'`)
    assert.ok(still.every((referenceId) => untouched.has(referenceId)))
    const failed = await walk(fixture, { status: 'failed', limit: '5' }, change)
    assert.equal(new Set(failed).size, failed.length)
  })

  test('only orders of the own integration are shown', async () => {
    const parsed = parseOrderFilters('int_other', {})
    assert.ok(parsed.ok)
    assert.deepEqual(await listOrders(fixture.db, 'int_other', parsed.filters), { orders: [], next: null })
    const [mine = ''] = await expected('true')
    assert.equal((await findOrder(fixture.db, fixture.integrationId, mine))?.referenceId, mine)
    assert.equal(await findOrder(fixture.db, 'int_other', mine), undefined)
  })
})

type Plan = {
  'Node Type': string
  'Index Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  Plans?: Plan[]
}

for (const analysed of [false, true]) {
  describe(`costs with many orders, ${analysed ? 'known' : 'unknown'} to the statistics`, () => {
    let db: TestDatabase
    before(async () => {
      // Plans belong to connections.
      db = await createTestDatabase({ engine: 'postgres', poolSize: 1 })
      fixture = await createOrdersFixture('postgres', db)
      await fill(fixture, 40_000, 'MINT', 'completed', '2026-01-02T00:00:00Z')
      await fill(fixture, 20, 'REDEEM', 'completed', '2026-01-01T00:00:00Z')
      await fill(fixture, 20, 'MINT', 'failed', '2026-01-01T00:00:00Z')
      // On a busy machine it comes in the middle, and every plan is made anew.
      await fixture.db.query('alter table orders set (autovacuum_enabled = off)')
      if (analysed) await fixture.db.query('analyze orders')
    })
    after(() => db.close())

    const cases: [Record<string, string>, string][] = [
      [{}, 'orders_listed'],
      [{ createdBefore: '2026-01-02T00:03:00Z' }, 'orders_listed'],
      [{ createdAfter: '2026-01-02T00:03:00Z' }, 'orders_listed'],
      [{ direction: 'REDEEM' }, 'orders_listed'],
      [{ status: 'failed' }, 'orders_listed'],
      [{ status: 'cancelled' }, 'orders_listed'],
      [{ direction: 'REDEEM', status: 'completed' }, 'orders_listed'],
      [{ direction: 'MINT', createdAfter: '2026-01-02T00:03:00Z' }, 'orders_listed'],
    ]

    for (const [query, index] of cases) {
      test(`a page by ${JSON.stringify(query)} reads an ordered range, not the table`, async () => {
        const custom = await explain('analyze, buffers, format json', query)
        const generic = await explain('generic_plan, format json', query)
        for (const plan of [custom, generic]) {
          const scans = nodesOf(plan).filter((node) => node['Node Type'].endsWith('Scan') && 'Index Name' in node)
          assert.ok(
            scans.some((node) => node['Index Name'] === index),
            JSON.stringify(plan),
          )
          assert.ok(!nodesOf(plan).some((node) => /Seq Scan|Bitmap/.test(node['Node Type'])), JSON.stringify(plan))
        }
        const rows = nodesOf(custom).map((node) => (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0))
        assert.ok(Math.max(...rows) <= 18 * 51, `reads ${Math.max(...rows)} rows`)
        const removed = JSON.stringify(custom).match(/"Rows Removed by [^"]*": ?([1-9]\d*)/)
        assert.equal(removed, null, String(removed))
      })
    }

    test('a page is planned once, not at each call', async () => {
      const queries: Record<string, string>[] = [
        {},
        { direction: 'MINT', status: 'completed' },
        { status: 'failed' },
        { createdBefore: '2026-01-02T00:03:00Z', limit: '10' },
      ]
      const askAll = async () => {
        for (const query of queries) for (let time = 0; time < 8; time += 1) await page(fixture, query)
      }
      await askAll()
      // It plans anew when it hears of a million orders, and compares with what it planned while there were few.
      await db.query(`update pg_class set reltuples = 1000000 where oid = 'orders'::regclass`)
      await askAll()
      const plans = await db.query<{ custom: bigint; generic: bigint }>(
        `select custom_plans as custom, generic_plans as generic from pg_prepared_statements where statement like 'with page as%'`,
      )
      // What is asked for first is not prepared, and after five plans for what was asked PostgreSQL decides.
      assert.deepEqual(
        plans.map(({ custom, generic }) => [custom, generic > 8n]),
        [
          [5n, true],
          [5n, true],
        ],
      )
    })

    async function explain(options: string, query: Record<string, string>): Promise<Plan> {
      let plan: Plan | undefined
      const explaining: Queryable = {
        async query(text, params) {
          const [row] = await fixture.db.query(`explain (${options}) ${text}`, params)
          plan = (row as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan
          return []
        },
      }
      await page(fixture, query, explaining)
      assert.ok(plan !== undefined)
      return plan
    }

    function nodesOf(plan: Plan): Plan[] {
      return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
    }
  })
}
