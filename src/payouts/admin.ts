/** What operators do with payouts. */
import type { Queryable } from '../db/database.ts'
import type { Payout, PayoutStatus } from './payout.ts'
import { findPayout, listPayouts, requeuePayout } from './payouts.sql.ts'

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
}

/** Makes the operators' side of payouts. */
export function createPayoutAdmin(): PayoutAdmin {
  return { list: listPayouts, find: findPayout, retry: requeuePayout }
}
