/** Whether the bank has shown the payment of a payout of which an operator says that it was never made. */
import type { Queryable } from '../db/database.ts'
import { byHandName, lockByHand } from '../payouts/by-hand.sql.ts'
import { hasIdOfAnother } from '../payouts/twins.sql.ts'
import { findOpenClaimOf } from './claims.sql.ts'
import { hasLineOf, lockBooking } from './lines.sql.ts'
import { placeOf } from './place.sql.ts'

/** Where a debit stands that names the payment of a payout and is not booked as that, whatever it was taken for, in a statement that waits perhaps. */
const UNDECIDED = `select ${placeOf('l')} as place
  from payouts p join bank_lines l on l.end_to_end_id = p.end_to_end_id join bank_statements s using (statement_no)
  where p.payout_id = $1 and not ${hasIdOfAnother('p')} and l.amount_micro < 0 and s.withdrawn_at is null
    and l.matched_to is distinct from p.payout_id || '/' || p.attempt and l.state not in ('allocated', 'dissolved') limit 1`

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

/**
 * Any payment of a payout: the bank may carry one out twice and give it back once, or take back that it came back; and the one that counts may have
 * been asked for by a history that is lost, and never here.
 */
const UNEXPLAINED = `select ${placeOf('l')} as place, l.booked_on::text as booked_on
  from (select end_to_end_id from payout_attempts where payout_id = $1 union select end_to_end_id from payouts p where payout_id = $1 and not ${hasIdOfAnother('p')}) a
    join bank_lines l using (end_to_end_id) join bank_statements s using (statement_no)
  where l.amount_micro < 0 and l.state in ('unbooked', 'unallocated') and s.withdrawn_at is null
  order by l.line_no limit 1`

/** Why a payout must not be paid again, or its coin minted back: a debit names a payment of it, and nothing explains that debit, in a statement that waits perhaps. */
export async function findPayeesDebit(db: Queryable, payoutId: string): Promise<string | undefined> {
  const claim = await findOpenClaimOf(db, payoutId)
  if (claim !== undefined)
    return `${claim.place} of ${claim.bookedOn} paid ${payoutId} once more, and that is claimed back and has not come: the payee has that ringgit. Wait for it; or if the payee keeps it, take that line back, run "coin payout mark-paid", and assign the line to the payout.`
  const [row] = await db.query<{ place: string; booked_on: string }>(UNEXPLAINED, [payoutId])
  if (row === undefined) return undefined
  return `${row.place} of ${row.booked_on} is a debit that names a payment of ${payoutId}, and nothing explains it: the payee may have that ringgit. Ask the bank. Is it so: "coin payout mark-paid", and assign the line to the payout; otherwise say first what that line is.`
}

/** The same, and no line is decided until the transaction ends. Call it before the payout is locked, as whoever books a line does. */
export async function lockPayeesDebit(tx: Queryable, payoutId: string): Promise<string | undefined> {
  await lockBooking(tx)
  return await findPayeesDebit(tx, payoutId)
}
