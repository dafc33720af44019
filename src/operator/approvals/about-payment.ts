/** Which payment of a payout a line, or several that are taken together, would be about. */
import type { Queryable } from '../../db/database.ts'
import { saySen } from '../../money.ts'
import { findPayout } from '../../payouts/payouts.sql.ts'
import { findClaimMeant } from '../../statements/claims.ts'
import type { Line } from '../../statements/match.ts'
import { findMeant, isByHand, type Said } from '../../statements/meant.ts'
import { requirePayout } from '../require-payout.ts'
import { decided } from './decided.ts'

/** `payout`: paid or gave it back. `claim`: paid it once more, or gives that back. */
export type About = 'payout' | 'claim'

/** Its number; of a claim the name of the payment that was paid before (`po_…/1`), or of what is given back (`po_…/1/claim/1`). */
async function paymentMeant(
  db: Queryable,
  line: (Said & Pick<Line, 'bankAccount'>) | undefined,
  as: About,
  payment: { payoutId: string; attempt: number },
): Promise<number | string> {
  const meant =
    line && (as === 'claim' ? await findClaimMeant(db, line, payment) : await findMeant(db, line, payment.payoutId))
  return meant ?? payment.attempt
}

/** @returns undefined when there is no such payout */
export async function describePayment(
  db: Queryable,
  line: (Said & Pick<Line, 'bankAccount'>) | undefined,
  { payoutId, as }: { payoutId: string; as: About },
): Promise<string | undefined> {
  const payout = await findPayout(db, payoutId)
  if (payout === undefined) return undefined
  const { amountSen, status } = payout
  const meant = await paymentMeant(db, line, as, payout)
  if (as === 'payout' && line !== undefined && (await isByHand(db, line, payoutId)))
    return `${saySen(amountSen)}, ${status}, what was paid by hand`
  const which =
    typeof meant === 'number'
      ? `its payment ${meant}`
      : meant.includes('/claim/')
        ? `its claim ${meant}`
        : `beside its payment ${meant}`
  return `${saySen(amountSen)}, ${status}, ${which}`
}

/**
 * Which payment of a payout a line, or several that are taken together, would be about, as it is now. `sent` and `paid` are one here: that the rail calls
 * a payment paid meanwhile was to be expected, and voids no approval.
 */
export async function lookAtPayment(
  tx: Queryable,
  line: (Said & Pick<Line, 'bankAccount'>) | undefined,
  { payoutId, as }: { payoutId: string; as: About },
) {
  const { attempt, status } = await requirePayout(tx, payoutId)
  const stands = status === 'sent' || status === 'paid' ? 'made' : status
  const meant = await paymentMeant(tx, line, as, { payoutId, attempt })
  return { attempt: meant, stands, decided: await decided(tx, 'payout', payoutId) }
}
