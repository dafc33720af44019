/**
 * Payouts whose payments would have one end-to-end id. By chance that takes ages; a partner that looks for such references finds two within minutes. A
 * rail would take the second for the first, and no claim of both succeeds.
 * Its place: docs/ARCHITECTURE.md, "A payout's path".
 */
import { type Queryable, violatedConstraint } from '../db/database.ts'
import { type ClaimOptions, claimable } from './claims.sql.ts'
import { PAYOUT_MOVES } from './moves.ts'

/** Whether a claim failed because a payment of another payout has the id of one of these. */
export function isOfTwins(error: unknown): boolean {
  return violatedConstraint(error) === 'payout_attempts_end_to_end_id_unique'
}

/** SQL: whether the end-to-end id of a payout `p` is that of a payment which was asked for of another one: what banks say of it is said of that. */
export const hasIdOfAnother = (p: string): string =>
  `exists (select from payout_attempts t where t.end_to_end_id = ${p}.end_to_end_id and t.payout_id <> ${p}.payout_id)`

/** Whether that is so of a payout. */
export async function isOfAnother(db: Queryable, payoutId: string): Promise<boolean> {
  return (
    (await db.query(`select from payouts p where payout_id = $1 and ${hasIdOfAnother('p')}`, [payoutId])).length > 0
  )
}

const SAME_ID =
  'A payment of another payout has its end-to-end id, so that a rail would take it for that one: "coin payout retry" gives it another id.'

/**
 * Ends the attempts of what could be claimed but for its id, which another payout's payment has, or will have: of several alike the oldest goes on, which
 * may be the one that a lost history had paid. A claim may have given it a rail, and no attempt, where its customer had no account then.
 * @returns those
 */
export async function refuseTwins(
  db: Queryable,
  { rail, mayAsk, fromBefore }: Pick<ClaimOptions, 'rail' | 'mayAsk' | 'fromBefore'>,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `update payouts p set status = '${PAYOUT_MOVES.refuse.to}', status_since = now(), last_error = $4, claimed_until = null, updated_at = now()
     where ${claimable('$2', '$3')} and not exists (select from payout_attempts a where a.payout_id = p.payout_id and a.attempt = p.attempt) and (
       ${hasIdOfAnother('p')}
       or exists (select from payouts q where q.end_to_end_id = p.end_to_end_id and q.status || '' = 'queued'
         and (q.created_at, q.payout_id) < (p.created_at, p.payout_id)))
     returning p.payout_id as id`,
    [rail, mayAsk, fromBefore, SAME_ID],
  )
  return rows.map(({ id }) => id)
}
