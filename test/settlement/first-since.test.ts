// engine: both
/** From which batch on an order is looked for, when it is proven that no batch has burnt it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { noteTimelineOf } from '../../src/settlement/tables/fences.sql.ts'
import { findFirstSince } from '../../src/settlement/tables/plan.sql.ts'
import type { TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { plantedDatabase } from './shadow.ts'

const CHAIN = 31_337
let db: TestDatabase
before(async () => {
  db = await plantedDatabase([CHAIN])
})
after(() => db.close())

test('an order is looked for in every batch of the timelines that came after it, also where their clock is behind', async () => {
  const [order] = await db.query<{ id: bigint; at: Date }>(
    'select order_id as id, created_at as at from orders where chain_id = $1 order by order_id limit 1',
    [CHAIN],
  )
  assert.ok(order)
  const first = () => findFirstSince(db, CHAIN, { orderId: order.id, acceptedAt: order.at, batchId: 8n }, 0n)
  const formedAt = (seconds: number, batchId: number) =>
    withoutGuards(db, (tx) =>
      tx.query(`update batches set created_at = $1::timestamptz + $2::int * interval '1 second' where batch_id = $3`, [
        order.at,
        seconds,
        batchId,
      ]),
    )
  await db.query('update chains set next_batch_id = 9')
  for (let id = 1; id <= 8; id += 1) await formedAt(-7_200 + id, id)
  await formedAt(60, 5)
  assert.equal(await first(), 5n)
  // Another server takes over, an hour behind, and forms the fourth batch.
  await withoutGuards(db, (tx) =>
    tx.query(`update database_timelines set timeline = 'before', created_at = $1`, [order.at]),
  )
  await noteTimelineOf(db)
  await db.query(
    `update database_timelines set created_at = $1::timestamptz - interval '1 hour' where timeline <> 'before'`,
    [order.at],
  )
  await formedAt(-3_500, 4)
  assert.equal(await first(), 4n)
})
