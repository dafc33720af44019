/** What the chain had under the number of a batch before. */
import type { Queryable } from '../../db/database.ts'
import type { BatchRow } from './batches.sql.ts'

/** Whether others were seen under the number of a batch, or one was given up there. */
export async function hadAnotherBatch(
  db: Queryable,
  { chainId, batchId, digest }: Pick<BatchRow, 'chainId' | 'batchId' | 'digest'>,
): Promise<boolean> {
  const rows = await db.query(
    `select from batches where chain_id = $1 and batch_id = $2 and taken_back > 0
     union all select from foreign_movements where chain_id = $1 and batch_id = $2 and digest <> $3 limit 1`,
    [chainId, batchId, digest],
  )
  return rows.length > 0
}
