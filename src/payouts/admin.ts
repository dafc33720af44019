/** What operators do with payouts. */
import type { Queryable } from '../db/database.ts'
import { completeRedeems } from '../orders/life/outcome.ts'
import type { Payout, PayoutStatus } from './payout.ts'
import { findPayout, listPayouts, markPaidByHand, releasePayout, requeuePayout } from './payouts.sql.ts'

export type PayoutAdmin = {
  /** At most `limit` payouts, oldest first, after the payout `after` when given. */
  list(
    db: Queryable,
    page: { status: PayoutStatus | undefined; after: string | undefined; limit: number },
  ): Promise<Payout[]>
  find(db: Queryable, payoutId: string): Promise<Payout | undefined>
  /**
   * Queues a rejected payout again, to be initiated at once under the same id; a queued one is brought forward.
   * @returns the payout as it is now; undefined when there is none, when the rail has it already, or when it is held
   */
  retry(tx: Queryable, payoutId: string): Promise<Payout | undefined>
  /**
   * Queues a payout that is held because the bank may have paid it before a restore. The caller knows that it has not.
   * @returns undefined when it is not held for that
   */
  release(tx: Queryable, payoutId: string): Promise<Payout | undefined>
  /** The opposite: the bank has paid it under `reference`, and its redeem is complete. */
  markPaid(tx: Queryable, payoutId: string, reference: string): Promise<Payout | undefined>
}

/** Makes the operators' side of payouts. */
export function createPayoutAdmin(): PayoutAdmin {
  return {
    list: listPayouts,
    find: findPayout,
    retry: requeuePayout,
    release: releasePayout,
    async markPaid(tx, payoutId, reference) {
      const payout = await markPaidByHand(tx, payoutId, reference)
      if (payout !== undefined) await completeRedeems(tx, [payout.orderId])
      return payout
    },
  }
}
