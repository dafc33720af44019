/** An order's row is written at most three times in its life: accepted, confirmed or burnt, and ended, whatever happens in between, but for what is held. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { holdOrders, releaseOrder } from '../../src/orders/life/hold.sql.ts'
import { rejectOrder } from '../../src/orders/life/outcome.ts'
import { adoptOrder } from '../../src/orders/life/signed.sql.ts'
import { decideBatch } from '../../src/payouts/decide-batch.ts'
import { markSent } from '../../src/payouts/record-news.ts'
import { addBatchRow } from '../support/batch-rows.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import { CHAIN_ID, createOrdersFixture, type Operation, type OrdersFixture } from '../support/orders.ts'
import { createBatchSteps } from './batch-steps.ts'

let fixture: OrdersFixture
let steps: ReturnType<typeof createBatchSteps>
before(async () => {
  fixture = await createOrdersFixture()
  const { db } = fixture
  steps = createBatchSteps(db)
  await db.query('create table writes (order_id bigint not null)')
  await db.script(
    `create function count_write() returns trigger language plpgsql as $$
     begin insert into writes values (new.order_id); return new; end $$;
     create trigger count_writes after insert or update on orders for each row execute function count_write();`,
  )
})
after(() => fixture.close())

/** Posts an order and returns its id. */
async function post(operation: Operation, body: Record<string, unknown>): Promise<bigint> {
  await fixture.call(operation, body)
  const [row] = await fixture.db.query<{ order_id: bigint }>('select order_id from orders where reference_id = $1', [
    String(body.referenceId),
  ])
  assert.ok(row)
  return row.order_id
}

async function writesOf(orderIds: readonly bigint[]): Promise<number[]> {
  const rows = await fixture.db.query<{ count: bigint }>(
    `select count(w.order_id) as count from unnest($1::bigint[]) with ordinality as s (order_id, place)
     left join writes w using (order_id) group by place order by place`,
    [orderIds],
  )
  return rows.map(({ count }) => Number(count))
}

async function statusesOf(orderIds: readonly bigint[]): Promise<string[]> {
  const rows = await fixture.db.query<{ status: string }>(
    'select status from orders where order_id = any ($1::bigint[]) order by order_id',
    [orderIds],
  )
  return rows.map(({ status }) => status)
}

/** Everything that a batch can go through before its end: mined, moved to another block, undone, mined again. */
async function disturb(batch: { chainId: number; batchId: bigint }): Promise<void> {
  await steps.mine(batch)
  await steps.relocate(batch)
  await steps.unmine(batch)
  await steps.mine(batch)
}

async function payOut(): Promise<void> {
  for (const { payoutId, attempt } of await claimPayouts(fixture.db, { rail: 'test', limit: 10, claimMs: 60_000 })) {
    await fixture.db.transaction((tx) =>
      markSent(tx, { payoutId, attempt }, { railReference: 'R', effectiveAt: new Date() }),
    )
  }
}

const confirmed = () => post('mint', fixture.mintBody({ fiatConfirmed: true }))

test('of every kind: accepted, confirmed later, burnt, ended, whatever its batch goes through', async () => {
  const unconfirmed = fixture.mintBody({ fiatConfirmed: false })
  const ids = [
    await confirmed(),
    await post('mint', unconfirmed),
    await post('redeem', fixture.redeemBody()),
    await post('redeem', fixture.redeemBody({ amountCoin: '0.01' })),
    await post('transfer', fixture.transferBody()),
    await confirmed(),
    await post('redeem', fixture.redeemBody()),
    await post('transfer', fixture.transferBody()),
  ]
  await fixture.call('mint', { ...unconfirmed, fiatConfirmed: true })
  const batch = { chainId: CHAIN_ID, batchId: 1n }
  await steps.submit(batch, ids)
  await disturb(batch)
  assert.deepEqual(await writesOf(ids), [1, 2, 1, 1, 1, 1, 1, 1], 'none of it while it is in a batch')
  await steps.finalise(batch, { succeeded: [0, 1, 2, 3, 4] })
  await payOut()
  assert.deepEqual(await statusesOf(ids), [
    'completed',
    'completed',
    'completed',
    'completed',
    'completed',
    'failed',
    'failed',
    'failed',
  ])
  assert.deepEqual(await writesOf(ids), [2, 3, 3, 3, 2, 2, 2, 2])
})

test('of batches that can never execute, however many; of a mint that is cancelled', async () => {
  const ids = [
    await confirmed(),
    await post('redeem', fixture.redeemBody()),
    await post('transfer', fixture.transferBody()),
  ]
  const batch = { chainId: CHAIN_ID, batchId: 2n }
  await steps.submit(batch, ids)
  await steps.requeue(batch)
  await steps.submit(batch, ids.toReversed())
  await disturb(batch)
  await steps.requeue(batch)
  await steps.submit({ ...batch, batchId: 3n }, ids)
  await disturb({ ...batch, batchId: 3n })
  await steps.finalise({ ...batch, batchId: 3n }, { succeeded: [1] })
  await payOut()
  const body = fixture.mintBody({ fiatConfirmed: false })
  const cancelled = await post('mint', body)
  await fixture.call('cancelMint', {}, { referenceId: String(body.referenceId) })
  assert.deepEqual(await statusesOf([...ids, cancelled]), ['failed', 'completed', 'failed', 'cancelled'])
  assert.deepEqual(await writesOf([...ids, cancelled]), [2, 3, 2, 2])
})

test('of what a batch of others has settled, also after one of ours, or before its partner confirmed it; of what is rejected', async () => {
  const ids = [
    await confirmed(),
    await post('redeem', fixture.redeemBody()),
    await post('transfer', fixture.transferBody()),
    await post('mint', fixture.mintBody({ fiatConfirmed: false })),
  ]
  await steps.submit({ chainId: CHAIN_ID, batchId: 4n }, ids.slice(0, 2))
  await steps.requeue({ chainId: CHAIN_ID, batchId: 4n })
  const theirs = { chainId: CHAIN_ID, batchId: 5n }
  await addBatchRow(fixture.db, { ...theirs, status: 'final', orderIds: [], isForeign: true })
  for (const [index, orderId] of ids.entries()) {
    await fixture.db.transaction(async (tx) => {
      await adoptOrder(tx, theirs, orderId, index)
      const outcome = { ...theirs, orderIds: [orderId], successBitmap: 0b1011n, reasons: new Map() }
      await decideBatch(tx, outcome, { source: `batch/5/${index}`, effectiveAt: new Date() })
    })
  }
  await payOut()
  const rejected = await post('transfer', fixture.transferBody())
  assert.ok(await fixture.db.transaction((tx) => rejectOrder(tx, rejected)))
  assert.deepEqual(await statusesOf([...ids, rejected]), ['completed', 'completed', 'failed', 'completed', 'failed'])
  assert.deepEqual(await writesOf([...ids, rejected]), [2, 3, 2, 2, 2])
  const [left] = await fixture.db.query<{ lines: bigint }>('select count(*) as lines from signed_orders')
  assert.equal(left?.lines, 0n)
})

test('of one that an operator holds, releases, and rejects or lets go on: each hold and each release is one more', async () => {
  const unconfirmed = fixture.mintBody({ fiatConfirmed: false })
  const ids = [await confirmed(), await post('mint', unconfirmed), await post('redeem', fixture.redeemBody())]
  await fixture.call('mint', { ...unconfirmed, fiatConfirmed: true })
  const [rejected = 0n, ...others] = ids
  await fixture.db.transaction((tx) =>
    holdOrders(
      tx,
      ids.map((orderId) => ({ orderId, reason: 'a reason' })),
    ),
  )
  for (const orderId of ids) assert.equal(await fixture.db.transaction((tx) => releaseOrder(tx, orderId)), true)
  await fixture.db.transaction((tx) => holdOrders(tx, [{ orderId: rejected, reason: 'a reason' }]))
  await fixture.db.transaction((tx) => rejectOrder(tx, rejected))
  const batch = { chainId: CHAIN_ID, batchId: 9n }
  await steps.submit(batch, others)
  await steps.mine(batch)
  await steps.finalise(batch, { succeeded: [0, 1] })
  await payOut()
  assert.deepEqual(await statusesOf(ids), ['failed', 'completed', 'completed'])
  assert.deepEqual(await writesOf(ids), [5, 5, 5])
  assert.deepEqual(await fixture.db.query('select order_id from order_holds'), [])
})
