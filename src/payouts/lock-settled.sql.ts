/** The payouts that batches are about, locked. */
import type { Queryable } from '../db/database.ts'
import { REFUNDS } from '../values/house.ts'

/**
 * Locks the payouts of the redeems in these batches, and those whose coin the batches mint back. Whoever notes the burn of one of these payouts, pays it
 * again or has its coin minted back once more has either done so by then, and is seen; or waits, and sees what this transaction has done.
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
