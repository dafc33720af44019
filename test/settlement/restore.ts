/** Takes a database back to before anything was settled on a chain, as restoring an old backup does. */
import { NO_HISTORY } from '../../src/chain/instructions.ts'
import type { Database } from '../../src/db/database.ts'
import { withoutGuards } from '../support/without-guards.ts'

export async function restoreOldBackup(db: Database, chainId: number): Promise<void> {
  await loseBatches(db, chainId)
  await db.query('delete from leases where name = $1', [`settlement:${chainId}`])
}

/** The same, and whoever leads the chain still does. */
export async function loseBatches(db: Database, chainId: number): Promise<void> {
  await withoutGuards(db, async (tx) => {
    await tx.query(
      `update orders set status = 'pending', batch_id = null, batch_index = null, tx_hash = null,
         block_number = null, failure_reason = null where chain_id = $1 and batch_id is not null`,
      [chainId],
    )
    await tx.query('delete from signed_orders where order_id in (select order_id from orders where chain_id = $1)', [
      chainId,
    ])
  })
  await db.query('delete from events')
  for (const table of [
    'tag_conflicts',
    'foreign_instructions',
    'batch_explanations',
    'batch_attempts',
    'batches',
    'signers',
    'settlement_holds',
  ]) {
    await db.query(`delete from ${table} where chain_id = $1`, [chainId])
  }
  await db.query('update chains set next_batch_id = 1, running_hash = $2 where chain_id = $1', [chainId, NO_HISTORY])
}
