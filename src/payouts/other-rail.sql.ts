/** Payouts that a history which the database has lost may have asked another rail for than the one of now. */
import type { Queryable } from '../db/database.ts'
import { DATABASE_TIMELINE } from '../db/timeline.sql.ts'
import { IS_QUEUED } from './moves.ts'
import { BY_HAND } from './rail.ts'

/**
 * SQL: the rail that was asked last before the present timeline of the database, where that is not the rail $1: what is lost may have asked either, and neither
 * knows what the other has paid. Null otherwise.
 */
export const otherRail = (rail: string): string => `(select nullif(rail, ${rail}) from (
    select a.rail, a.asked_at from database_timelines t cross join lateral (
      select rail, asked_at from payout_attempts where asked_on = t.timeline and rail <> '${BY_HAND}' order by asked_at desc limit 1) a
    where t.timeline <> (select ${DATABASE_TIMELINE}) order by a.asked_at desc limit 1) newest)`

/** SQL: whether somebody has let a payout `p` go on this timeline of the database, after a look at what a lost history may have had paid. */
const IS_LOOKED_AT = `exists (select from database_timelines t join audit_log l on l.created_at >= t.created_at
    where t.timeline = (select ${DATABASE_TIMELINE}) and l.target = p.payout_id and l.action = 'payout.release'
      and l.before ->> 'holdReason' = 'maybe_paid_before')`

/** Holds those of these payouts that a lost history may have asked another rail for, until people have looked at both. @returns which */
export async function holdMaybeElsewhere(db: Queryable, payoutIds: readonly string[], rail: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `update payouts p set status = 'held', hold_reason = 'maybe_paid_before', ask_first = true, status_since = now(), updated_at = now(),
       last_error = 'Payouts were asked for at ' || o.rail || ' before the database was restored, and its rail is ' || $2 || ' now: look at both.'
     from (select ${otherRail('$2')} as rail) o
     where o.rail is not null and p.payout_id = any ($1::text[]) and p.${IS_QUEUED} and p.rail is null
       and (claimed_until is null or claimed_until <= now()) and not ${IS_LOOKED_AT} returning p.payout_id as id`,
    [payoutIds, rail],
  )
  return rows.map(({ id }) => id)
}
