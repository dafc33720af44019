/** The payout that a request names. */
import type { Queryable } from '../db/database.ts'
import type { Payout } from '../payouts/payout.ts'
import { findPayout } from '../payouts/payouts.sql.ts'
import { found } from './errors.ts'

/** @throws OperatorError NOT_FOUND */
export async function requirePayout(db: Queryable, payoutId: string): Promise<Payout> {
  return found(await findPayout(db, payoutId), 'payout', payoutId, 'payout list')
}
