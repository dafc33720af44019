/** Claims of due payouts, as of a payer that asks about none yet. */
import type { Queryable } from '../../src/db/database.ts'
import { type ClaimedPayout, type ClaimOptions, claimDuePayouts, type Room } from '../../src/payouts/claims.sql.ts'

/** Room for so many, whether a rail was asked about them before or not. */
export const roomFor = (limit: number): Room => ({ limit, askedBefore: limit, open: new Map() })

/** Claims them at a rail that can say what it knows of a payment. */
export async function claimPayouts(
  db: Queryable,
  { limit, ...options }: Pick<ClaimOptions, 'rail' | 'limit' | 'claimMs'> & Partial<ClaimOptions>,
): Promise<ClaimedPayout[]> {
  return await claimDuePayouts(db, { ...roomFor(limit), mayAsk: true, fromBefore: [], ...options })
}
