/**
 * Payouts of redeems that were held, and are burnt all the same.
 * Its place: docs/ARCHITECTURE.md, "A payout's path".
 */
import type { Queryable } from '../db/database.ts'
import { mayMake } from './moves.ts'
import { HELD_BEFORE } from './said-by-settlers.ts'

/** Holds the payout of a redeem that a batch of others has burnt while it was held for this reason, until people release it. One without a payout has nothing to hold. */
export async function holdPayoutOf(tx: Queryable, orderId: bigint, reason: string): Promise<void> {
  await tx.query(
    `update payouts set status = 'held', hold_reason = 'by_operator', status_since = now(), last_error = $2, updated_at = now()
     where order_id = $1 and ${mayMake('hold')}`,
    [orderId, `${HELD_BEFORE}${reason}`],
  )
}
