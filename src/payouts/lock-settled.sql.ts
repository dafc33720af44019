/** The payouts that batches are about, locked. */
import type { Queryable } from '../db/database.ts'
import { REFUNDS } from '../values/house.ts'

/**
 * Whoever has just seen the burn of a redeem of these batches, or is about to note it, is seen from then on, or notes nothing. Also the payouts whose coin
 * they mint back: whoever is about to pay one again, or have it minted back once more, sees what they have done, or is seen.
 */
export async function lockPayoutsIn(tx: Queryable, chainId: number, batchIds: readonly bigint[]): Promise<void> {
  await tx.query(
    `with settled as materialized (
       select unnest(order_ids) as order_id from batches where chain_id = $1 and batch_id = any ($2::bigint[])
       union select order_id from foreign_instructions where chain_id = $1 and batch_id = any ($2::bigint[]))
     select from payouts where payout_id in (
       select p.payout_id from settled s join payouts p using (order_id)
       union select split_part(o.reference_id, '/', 1) from settled s cross join lateral (select * from orders where order_id = s.order_id limit 1) o
       where o.integration_id = '${REFUNDS}') order by payout_id for update`,
    [chainId, batchIds],
  )
}
