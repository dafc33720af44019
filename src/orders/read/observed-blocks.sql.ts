/** How far the chains are, for whoever asks them for what partners compare with their orders. */
import type { Queryable } from '../../db/database.ts'

/** The newest block of each chain that settlement has recorded. @throws DatabaseUnavailableError */
export async function readObservedBlocks(
  db: Queryable,
  chainIds: readonly number[],
): Promise<ReadonlyMap<number, bigint>> {
  const rows = await db.query<{ chain_id: bigint; observed_block: bigint }>(
    'select chain_id, observed_block from chains where chain_id = any ($1::bigint[])',
    [chainIds],
  )
  return new Map(rows.map((row) => [Number(row.chain_id), row.observed_block]))
}
