/** Whether the bank has shown the payment of a payout of which an operator says that it was never made. */
import type { Queryable } from '../db/database.ts'
import { byHandName, lockByHand } from '../payouts/by-hand.sql.ts'
import { hasLineOf, lockBooking } from './lines.sql.ts'

/** Where a debit stands that names the payment of a payout and is not booked as that, whatever it was taken for, in a statement that waits perhaps. */
const UNDECIDED = `select l.bank_account || '/' || s.statement_id || '/' || l.entry || '.' || l.detail as place
  from payouts p join bank_lines l on l.end_to_end_id = p.end_to_end_id join bank_statements s using (statement_no)
  where p.payout_id = $1 and l.amount_micro < 0 and s.withdrawn_at is null
    and l.matched_to is distinct from p.payout_id || '/' || p.attempt limit 1`

/**
 * The line of a statement that contradicts; undefined when there is none, and no line is decided until the transaction ends.
 * Call it before the payout is locked, as whoever books a line does.
 */
export async function findPaymentShown(tx: Queryable, payoutId: string): Promise<string | undefined> {
  await lockBooking(tx)
  const [row] = await tx.query<{ place: string }>(UNDECIDED, [payoutId])
  if (row !== undefined) return row.place
  const byHand = await lockByHand(tx, payoutId)
  if (byHand === undefined) return undefined
  const name = byHandName(payoutId, byHand)
  return (await hasLineOf(tx, name, 'debit')) ? name : undefined
}
