/**
 * A release runs on the schema of the next one: whatever an expanding migration may do to its tables, every kind of order
 * is accepted, settled, paid out, announced and read as before. So a bad release is rolled back by starting the old one.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOrderFilters } from '../../src/orders/read/filters.ts'
import { findOrder, listOrders } from '../../src/orders/read/orders.sql.ts'
import { markSent } from '../../src/payouts/record-news.ts'
import { monthsFrom } from '../../src/retention/months.ts'
import { makePartition } from '../../src/retention/partitions.sql.ts'
import { MONTHLY_TABLES } from '../../src/retention/tables.ts'
import { announce } from '../../src/webhooks/queue/announce.sql.ts'
import { claimDue, recordAttempt } from '../../src/webhooks/queue/queue.sql.ts'
import { createBatchSteps } from '../life/batch-steps.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import { SOME_EVENT } from '../support/events.ts'
import { CHAIN_ID, createOrdersFixture, type OrdersFixture } from '../support/orders.ts'

/** What expanding migrations add: to every table columns that may be null or have a default, and an index. */
async function expand({ db }: OrdersFixture): Promise<string[]> {
  const tables = await db.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not relispartition order by 1`,
  )
  for (const { name } of tables) {
    await db.query(`alter table ${name} add next_note text, add next_flag boolean not null default false`)
    await db.query(`create index ${name}_of_next on ${name} (next_flag)`)
  }
  await db.query('create table of_next (id bigint primary key)')
  return tables.map(({ name }) => name)
}

test('every order goes its way on a schema that the next release has expanded', async () => {
  const fixture = await createOrdersFixture()
  const { db, integrationId } = fixture
  assert.ok((await expand(fixture)).length > 25)
  await db.query(
    `insert into webhook_endpoints (endpoint_id, integration_id, url, secret_encrypted) values ('we_1', $1, 'https://x', 'sb1.s')`,
    [integrationId],
  )
  for (const table of MONTHLY_TABLES) {
    for (const month of monthsFrom(new Date(), 1)) assert.ok(await makePartition(db, table, month), table.name)
  }
  const waiting = fixture.mintBody()
  const cancelled = fixture.mintBody()
  const [redeem, transfer] = [fixture.redeemBody(), fixture.transferBody()]
  await fixture.call('mint', waiting)
  await fixture.call('mint', { ...waiting, fiatConfirmed: true }, { idempotencyKey: 'confirmed' })
  await fixture.call('mint', cancelled)
  await fixture.call('cancelMint', {}, { referenceId: String(cancelled.referenceId) })
  await fixture.call('redeem', redeem)
  await fixture.call('transfer', transfer, { idempotencyKey: 'transferred' })
  const replays = await Promise.all([
    fixture.call('mint', { ...waiting, fiatConfirmed: true }, { idempotencyKey: 'confirmed' }),
    fixture.call('transfer', transfer, { idempotencyKey: 'transferred' }),
  ])
  assert.deepEqual(
    replays.map(({ replay }) => replay),
    [true, true],
  )

  const rows = await db.query<{ order_id: bigint }>(`select order_id from orders where status = 'pending' order by 1`)
  const steps = createBatchSteps(db)
  const batch = { chainId: CHAIN_ID, batchId: 1n }
  await steps.submit(
    batch,
    rows.map(({ order_id: orderId }) => orderId),
  )
  await steps.mine(batch)
  await steps.unmine(batch)
  await steps.mine(batch)
  await steps.finalise(batch, { succeeded: [0, 1, 2] })
  for (const { payoutId, attempt } of await claimPayouts(db, { rail: 'test', limit: 9, claimMs: 60_000 })) {
    await db.transaction((tx) => markSent(tx, { payoutId, attempt }, { railReference: 'R', effectiveAt: new Date() }))
  }
  await db.transaction((tx) => announce(tx, [{ ...SOME_EVENT, eventId: 'evt_1', type: 'mint.failed', integrationId }]))
  const claimed = await claimDue(db, {
    now: null,
    limit: 99,
    perEndpoint: 99,
    inFlight: new Map(),
    slowEndpoints: [],
    slowLimit: 0,
    claimMs: 60_000,
  })
  const outcome = { httpStatus: 204, error: null, durationMs: 1, responseExcerpt: null }
  for (const each of claimed) {
    assert.ok(await recordAttempt(db, { claimed: each, outcome, verdict: { status: 'delivered' } }))
  }
  // Two of each settled order but the transfer, which has one, and the one above.
  assert.equal(claimed.length, 6)

  const parsed = parseOrderFilters(integrationId, {})
  assert.ok(parsed.ok)
  const { orders } = await listOrders(db, integrationId, parsed.filters)
  assert.deepEqual(orders.map(({ status }) => status).sort(), ['cancelled', 'completed', 'completed', 'completed'])
  for (const order of orders) assert.deepEqual(await findOrder(db, integrationId, order.referenceId), order)
  await fixture.close()
})
