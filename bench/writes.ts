/** How often an order's row is written in its life, of every kind, by the service's own statements. */

import { markSent } from '../src/payouts/record-news.ts'
import { createBatchSteps } from '../test/life/batch-steps.ts'
import { claimPayouts } from '../test/support/claim-payouts.ts'
import { CHAIN_ID, createOrdersFixture, type Operation } from '../test/support/orders.ts'
import { currentLoad, publish } from './support/report.ts'

const loadBefore = currentLoad()
const fixture = await createOrdersFixture('pglite')
const { db } = fixture
await db.query('create table writes (order_id bigint not null)')
await db.script(
  `create function count_write() returns trigger language plpgsql as $$
   begin insert into writes values (new.order_id); return new; end $$;
   create trigger count_writes after insert or update on orders for each row execute function count_write();`,
)
const unconfirmed = fixture.mintBody({ fiatConfirmed: false })
const cancelled = fixture.mintBody({ fiatConfirmed: false })
const orders: readonly [what: string, operation: Operation, body: Record<string, unknown>][] = [
  ['a mint that is posted confirmed', 'mint', fixture.mintBody({ fiatConfirmed: true })],
  ['a mint that is confirmed later', 'mint', unconfirmed],
  ['a redeem, with its payout', 'redeem', fixture.redeemBody()],
  ['a transfer', 'transfer', fixture.transferBody()],
  ['a redeem that fails on chain', 'redeem', fixture.redeemBody()],
  ['a mint that is cancelled', 'mint', cancelled],
]
for (const [, operation, body] of orders) await fixture.call(operation, body)
await fixture.call('mint', { ...unconfirmed, fiatConfirmed: true })
await fixture.call('cancelMint', {}, { referenceId: String(cancelled.referenceId) })
const settled = await idsOf('status <> $1', 'cancelled')
const steps = createBatchSteps(db)
const batch = { chainId: CHAIN_ID, batchId: 1n }
await steps.submit(batch, settled)
await steps.mine(batch)
await steps.relocate(batch)
await steps.finalise(batch, { succeeded: [0, 1, 2, 3] })
for (const { payoutId, attempt } of await claimPayouts(db, { rail: 'test', limit: 10, claimMs: 60_000 })) {
  await db.transaction((tx) => markSent(tx, { payoutId, attempt }, { railReference: 'R', effectiveAt: new Date() }))
}
const open = await idsOf(`status not in ('completed', 'failed', $1)`, 'cancelled')
if (open.length > 0) throw new Error(`orders ${open.join(', ')} have not ended`)
const counted = await db.query<{ writes: bigint; status: string }>(
  `select count(*) as writes, o.status from writes join orders o using (order_id) group by order_id, o.status order by order_id`,
)
await fixture.close()
publish({
  name: 'writes',
  title: "How often an order's row is written",
  method: `One order of each kind from its acceptance to its end, by the service's own statements: signed in a batch, mined, moved to another block, final, paid
out. A trigger counts each insert and update of its row in \`orders\`. What else a batch can go through writes it no more often: \`test/life/writes.test.ts\`.`,
  rows: [
    ['order', 'ended as', 'writes of its row'],
    ...orders.map(([what], index) => [what, counted[index]?.status ?? '', Number(counted[index]?.writes)]),
  ],
  measured: { writes: Math.max(...orders.map((_order, index) => Number(counted[index]?.writes))) },
  loadBefore,
})

async function idsOf(condition: string, value: string): Promise<bigint[]> {
  const rows = await db.query<{ order_id: bigint }>(
    `select order_id from orders where ${condition} order by order_id`,
    [value],
  )
  return rows.map(({ order_id: orderId }) => orderId)
}
