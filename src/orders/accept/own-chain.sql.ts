/** The chain on which a reference is already. */
import type { Queryable } from '../../db/database.ts'

/** Undefined where the integration has no order with that reference. */
export async function findOwnChain(
  db: Queryable,
  integrationId: string,
  referenceId: string,
): Promise<number | undefined> {
  const [row] = await db.query<{ chain_id: bigint }>(
    'select chain_id from orders where integration_id = $1 and reference_id = $2',
    [integrationId, referenceId],
  )
  return row && Number(row.chain_id)
}
