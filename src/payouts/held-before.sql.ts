/** Payouts of redeems that were held. */
import type { Queryable } from '../db/database.ts'
import { mayMake } from './moves.ts'
import { sayHeldBefore } from './said-by-settlers.ts'

/** What a redeem was held for when others had burnt it holds its payout, if it has got one: nobody has said that it may be paid. */
export async function holdAsRedeem(tx: Queryable, orderId: bigint, heldFor: string): Promise<void> {
  await tx.query(
    `update payouts set status = 'held', hold_reason = 'by_operator', status_since = now(), last_error = $2, updated_at = now()
     where order_id = $1 and ${mayMake('hold')}`,
    [orderId, sayHeldBefore(heldFor)],
  )
}
