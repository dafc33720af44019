/** The orders of a batch, in the order of their instructions (read-only). */
import type { Queryable } from '../../db/database.ts'
import { type PendingOrder, pendingOrderOf } from './queues.sql.ts'

/** Each is looked up by primary key; none of a batch that others made. */
export async function readOrdersOf(db: Queryable, chainId: number, batchId: bigint): Promise<PendingOrder[]> {
  return await db.query<PendingOrder>(
    `select ${pendingOrderOf('o')}
     from batches b cross join lateral unnest(b.order_ids) with ordinality as l (order_id, position)
     cross join lateral (select * from orders where order_id = l.order_id limit 1) o
     where b.chain_id = $1 and b.batch_id = $2 order by l.position`,
    [chainId, batchId],
  )
}
