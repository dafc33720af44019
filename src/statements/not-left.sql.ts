/** A payment of which the bank shows that it came back, and not that it left. */
import type { Queryable } from '../db/database.ts'
import { placeOf } from './place.sql.ts'

/** The bank itself does not call the credit a return. */
const CREDIT = `select ${placeOf('c')} as place, c.booked_on::text as booked_on
  from payouts p join bank_lines c on c.matched_to = p.payout_id || '/' || p.attempt join bank_statements s using (statement_no)
  where p.payout_id = $1 and p.status = 'returned' and c.amount_micro > 0 and c.return_code is null and not c.is_reversal
    and not exists (select from bank_lines d where d.matched_to = c.matched_to and d.amount_micro < 0)`

/** What whoever is about to pay a payout again is to know: the bank may have written a debit as a credit. Undefined where nothing speaks for that. */
export async function whyMaybeNotBack(db: Queryable, payoutId: string): Promise<string | undefined> {
  const [credit] = await db.query<{ place: string; booked_on: string }>(CREDIT, [payoutId])
  if (credit === undefined) return undefined
  return `The credit ${credit.place} of ${credit.booked_on} names its payment, but the bank does not call that a return, and no statement shows that the payment left. Ask the bank: if it has paid the payee, neither retry nor refund it.`
}
