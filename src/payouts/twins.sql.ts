/**
 * Payouts whose payments would have one end-to-end id. By chance that takes ages; a partner that looks for such references finds two within minutes. A
 * rail would take the second for the first, and no claim of both succeeds.
 */
import { type Queryable, violatedConstraint } from '../db/database.ts'
import { PAYOUT_MOVES } from './moves.ts'

/** Whether a claim failed because a payment of another payout has the id of one of these. */
export function isOfTwins(error: unknown): boolean {
  return violatedConstraint(error) === 'payout_attempts_end_to_end_id_unique'
}

const SAME_ID =
  'A payment of another payout has its end-to-end id, so that a rail would take it for that one: "coin payout retry" gives it another id.'

/**
 * Ends the attempts of due payouts that no rail was asked for, and whose id another one has: of several alike one goes on. One has a rail, too, that was claimed
 * without an account, by a payer that ended before it said so: only the attempt says that the rail was asked.
 * @returns those
 */
export async function refuseTwins(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `update payouts p set status = '${PAYOUT_MOVES.refuse.to}', status_since = now(), last_error = $1, updated_at = now()
     where p.status = 'queued' and p.next_attempt_at <= now()
       and not exists (select from payout_attempts own where own.payout_id = p.payout_id and own.attempt = p.attempt) and (
       exists (select from payout_attempts a where a.end_to_end_id = p.end_to_end_id and a.payout_id <> p.payout_id)
       or exists (select from payouts q where q.end_to_end_id = p.end_to_end_id and q.status || '' = 'queued' and q.payout_id < p.payout_id))
     returning p.payout_id as id`,
    [SAME_ID],
  )
  return rows.map(({ id }) => id)
}
