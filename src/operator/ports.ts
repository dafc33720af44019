/** What the operator API asks of other parts that it does not call directly. */
import type { Queryable } from '../db/database.ts'

export const PAYOUT_STATUSES = ['queued', 'accepted', 'refused'] as const
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

/** A payout as operators see it. */
export type Payout = {
  payoutId: string
  orderId: bigint
  customerId: string
  amountSen: bigint
  rail: string
  status: PayoutStatus
  attempts: number
  nextAttemptAt: Date
  railReference: string | null
  lastError: string | null
  createdAt: Date
  updatedAt: Date
}

export type PayoutAdmin = {
  /** At most `limit` payouts, oldest first, after the payout `after` when given. */
  list(
    db: Queryable,
    page: { status: PayoutStatus | undefined; after: string | undefined; limit: number },
  ): Promise<Payout[]>
  find(db: Queryable, payoutId: string): Promise<Payout | undefined>
  /**
   * Queues a refused payout again, to be initiated at once under the same id; a queued one is brought forward.
   * @returns the payout as it stands then; undefined when there is none, or when the rail has accepted it already
   */
  retry(tx: Queryable, payoutId: string): Promise<Payout | undefined>
}
