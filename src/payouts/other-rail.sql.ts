/**
 * Payouts that a history which the database has lost may have asked another rail for than the one of now.
 * Its place: docs/ARCHITECTURE.md, "A payout's path".
 */
import type { Queryable } from '../db/database.ts'
import { DATABASE_TIMELINE } from '../db/timeline.sql.ts'
import { IS_QUEUED } from './moves.ts'
import { BY_HAND } from './rail.ts'

/**
 * SQL: a rail that was asked last on a timeline of the database before the present one, where that is not the rail $1: what is lost may have asked either, and
 * neither knows what the other has paid. Null where there is none. Of the timelines from the one on which a payout was queued, as there may have been more
 * restores, or take-overs, since; and the newest one, of what is queued again. By the orders that each began with, because a new server's clock may be behind.
 * @param madeOn the timeline on which it was queued
 */
const otherRail = (rail: string, madeOn: string): string => `(with past as (
      select t.newest_order_id, a.rail, a.asked_at from database_timelines t cross join lateral (
        select rail, asked_at from payout_attempts where asked_on = t.timeline and rail <> '${BY_HAND}' order by asked_at desc limit 1) a
      where t.timeline <> (select ${DATABASE_TIMELINE}))
    select rail from past where rail <> ${rail} and (asked_at = (select max(asked_at) from past)
      or newest_order_id >= coalesce((select m.newest_order_id from database_timelines m where m.timeline = ${madeOn}), 0))
    order by asked_at desc limit 1)`

/** SQL: on which timelines payouts were queued that no other rail than $1 may have been asked for, of those that are held because one may. */
export const allOfRail = (rail: string): string => `(array(select made_on from (
    select distinct made_on from payouts where status = 'held' and hold_reason = 'maybe_paid_before') h where ${otherRail(rail, 'h.made_on')} is null))`

/** SQL: whether somebody has let a payout `p` go on this timeline of the database, after a look at what a lost history may have had paid. */
const IS_LOOKED_AT = `exists (select from database_timelines t join audit_log l on l.created_at >= t.created_at
    where t.timeline = (select ${DATABASE_TIMELINE}) and l.target = p.payout_id and l.action = 'payout.release'
      and l.before ->> 'holdReason' = 'maybe_paid_before')`

/** Holds those of these payouts that a lost history may have asked another rail for, until people have looked at both. @returns which */
export async function holdMaybeElsewhere(db: Queryable, payoutIds: readonly string[], rail: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `update payouts p set status = 'held', hold_reason = 'maybe_paid_before', ask_first = true, status_since = now(), updated_at = now(),
       last_error = 'Payouts were asked for at ' || o.rail || ' before the database was restored, and its rail is ' || $2 || ' now: look at both.'
     from payouts q cross join lateral (select ${otherRail('$2', 'q.made_on')} as rail) o
     where o.rail is not null and q.payout_id = any ($1::text[]) and p.payout_id = q.payout_id and p.${IS_QUEUED} and p.rail is null
       and (p.claimed_until is null or p.claimed_until <= now()) and not ${IS_LOOKED_AT} returning p.payout_id as id`,
    [payoutIds, rail],
  )
  return rows.map(({ id }) => id)
}
