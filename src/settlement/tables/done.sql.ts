/** What final batches have done to the coin in existence, as the database has it (read-only). */
import type { Queryable } from '../../db/database.ts'
import { hasSucceeded } from '../../values/success-bitmap.ts'

/** `moreMicro`: how much more coin exists where the instruction is executed. */
export type Done = {
  batchId: bigint
  digest: string
  instructions: { index: number; moreMicro: bigint; succeeded: boolean }[]
}

type Row = {
  batch_id: bigint
  digest: string
  success_bitmap: string
  executed: number[] | null
  index: number
  succeeded: boolean | null
  more: string
}

const MORE = (of: string) =>
  `(case ${of}.direction when 'MINT' then ${of}.amount_micro when 'REDEEM' then -${of}.amount_micro else 0 end)::text`

/** After a reorganisation, as many batches are read again as one request asks for (chain/bundling.ts). */
const READ_AGAIN = 31

/** The newest `READ_AGAIN` of them up to an id, the newest first: of ours, what was seen of them last. */
export async function readDone(db: Queryable, chainId: number, upTo: bigint): Promise<Done[]> {
  const rows = await db.query<Row>(
    `with newest as (
       select b.chain_id, b.batch_id, b.digest, b.success_bitmap::text as success_bitmap, b.order_ids, x.executed
       from batches b left join batch_outcomes x on x.chain_id = b.chain_id and x.batch_id = b.batch_id
       where b.chain_id = $1 and b.batch_id <= $2 and b.status = 'final' order by b.batch_id desc limit ${READ_AGAIN})
     select n.batch_id, n.digest, n.success_bitmap, n.executed, (p.position - 1)::int as index, null::boolean as succeeded, ${MORE('o')} as more
     from newest n cross join lateral unnest(n.order_ids) with ordinality as p (order_id, position)
       cross join lateral (select * from orders where order_id = p.order_id limit 1) o
     union all
     select n.batch_id, n.digest, n.success_bitmap, n.executed, i.instruction_index::int, i.succeeded, ${MORE('i')}
     from newest n join foreign_instructions i on i.chain_id = n.chain_id and i.batch_id = n.batch_id order by 1 desc, 5`,
    [chainId, upTo],
  )
  const batches = Map.groupBy(rows, (row) => row.batch_id)
  return [...batches].map(([batchId, of]) => ({
    batchId,
    digest: of[0]?.digest ?? '',
    instructions: of.map((row) => ({
      index: row.index,
      moreMicro: BigInt(row.more),
      succeeded:
        row.succeeded ?? row.executed?.includes(row.index) ?? hasSucceeded(BigInt(row.success_bitmap), row.index),
    })),
  }))
}
