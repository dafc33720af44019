/** What follows on a chain by what is stored: every batch up to the next id. And batches that were stored as final and never were. */
import type { Hex } from 'viem'
import type { Queryable } from '../../db/database.ts'

/** What comes next on a chain. */
export type Plan = { nextBatchId: bigint; runningHash: Hex }

export async function readPlan(db: Queryable, chainId: number): Promise<Plan> {
  const [row] = await db.query<Plan>(
    'select next_batch_id as "nextBatchId", running_hash as "runningHash" from chains where chain_id = $1',
    [chainId],
  )
  if (row === undefined) throw new Error(`chain ${chainId} is not registered`)
  return row
}

/**
 * The first batch, below the next id, that may have an order: the first that was formed or read since it was accepted, or what others had burnt before, as
 * in a history that a restore has lost, and it has taken since; undefined when there is none. Clocks do not decide alone: of a timeline that came after it all
 * batches are looked at, and those of ours that list it count whenever they were formed.
 * @param sought.batchId in which it is called burnt
 * @param within how many of the newest batches are looked through for those that it has left
 */
export async function findFirstSince(
  db: Queryable,
  chainId: number,
  { orderId, acceptedAt, batchId }: { orderId: bigint; acceptedAt: Date; batchId: bigint },
  within: bigint,
): Promise<bigint | undefined> {
  const [row] = await db.query<{ first: bigint | null }>(
    `select least(
       (select min(b.batch_id) from batches b join chains c using (chain_id)
        where b.chain_id = $1 and b.batch_id < c.next_batch_id and b.created_at >= $2::timestamptz - interval '1 second'),
       (select min(b.batch_id) from batches b join database_timelines t on b.created_at >= t.created_at - interval '1 second'
        where b.chain_id = $1 and t.newest_order_id >= $3),
       (select $4::bigint from chains where chain_id = $1 and next_batch_id > $4::bigint),
       (select min(b.batch_id) from batches b join chains c using (chain_id)
        where b.chain_id = $1 and b.batch_id < c.next_batch_id and b.batch_id >= c.next_batch_id - $5::bigint and $3 = any (b.order_ids)),
       (select min(i.batch_id) from foreign_instructions i where i.order_id = $3 and i.chain_id + 0 = $1)) as first`,
    [chainId, acceptedAt, orderId, batchId, within],
  )
  return row?.first ?? undefined
}

/** Under which id a batch with the order must be final before it can never be executed: its own if it was signed here. */
export async function findAbandonedId(tx: Queryable, chainId: number, batchId: bigint): Promise<bigint | null> {
  const [row] = await tx.query<{ id: bigint | null }>(
    `select case when c.next_batch_id > $2 or exists (select from batch_attempts a where a.chain_id = $1 and a.batch_id = $2) then $2
       else (select max(b.batch_id) from batches b where b.chain_id = $1 and b.status = 'final' and b.batch_id < c.next_batch_id) end as id
     from chains c where c.chain_id = $1`,
    [chainId, batchId],
  )
  return row?.id ?? null
}

/** No instruction of a foreign batch counts as the order's any more. */
export async function unnameOrder(tx: Queryable, orderId: bigint): Promise<void> {
  await tx.query('update foreign_instructions set order_id = null where order_id = $1', [orderId])
}

/**
 * Takes a batch of ours back that was stored as final, that no chain has, and that nothing follows: its id is free. Its row stays until
 * the last of its redeems has left it. @returns whether it was taken back
 */
export async function takeBatchBack(tx: Queryable, chainId: number, batchId: bigint): Promise<boolean> {
  const rows = await tx.query(
    `update batches b set status = 'abandoned', mined_block = null, mined_hash = null, success_bitmap = null, finalized_at = null,
       taken_back = taken_back + 1
     where chain_id = $1 and batch_id = $2 and status = 'final' and not is_foreign
       and batch_id >= (select next_batch_id from chains where chain_id = $1)
       and not exists (select from unnest(b.order_ids) as l (order_id) cross join lateral (
         select from orders where order_id = l.order_id and status = 'processing' and batch_id = $2) o)
     returning batch_id`,
    [chainId, batchId],
  )
  return rows.length > 0
}
