/** Payments of a payout that only a history knows which is lost: operators had it retried, and have to do so again before its coin is minted back. */
import { BANK_TIME_ZONE } from '../bank-files/day.ts'
import type { Queryable } from '../db/database.ts'
import { DATABASE_TIMELINE } from '../db/timeline.sql.ts'
import { idsOfRetries, isSignedBefore, mayBeRetried, NEWEST_ATTEMPT, sayRetried } from '../payouts/unretried.sql.ts'
import { READ_BACK } from './asked.sql.ts'
import { placeOf } from './place.sql.ts'

const NEWEST = `select o.integration_id as "integrationId", o.reference_id as "referenceId",
    ${NEWEST_ATTEMPT} as attempt
  from payouts p join orders o using (order_id) where p.payout_id = $1`

/** In a payment file that was read back, or on a statement that stands. */
const SHOWN = `select f.end_to_end_id as id, 'in ' || f.message_id as place from filed_payments f
    where f.end_to_end_id = any ($1::text[]) and f.message_id is not null
  union all
  select l.end_to_end_id, 'the debit ' || ${placeOf('l')}
    from bank_lines l join bank_statements s using (statement_no)
    where l.end_to_end_id = any ($1::text[]) and l.amount_micro < 0 and l.state in ('unbooked', 'unallocated') and s.withdrawn_at is null
  limit 1`

/** Why the coin of a payout that came back is not minted back yet: its next payment, under the id that a retry would give it, was made. */
export async function findLostPayment(db: Queryable, payoutId: string): Promise<string | undefined> {
  const [newest] = await db.query<{ integrationId: string; referenceId: string; attempt: number }>(NEWEST, [payoutId])
  if (newest === undefined) return undefined
  const ids = idsOfRetries(newest)
  const [shown] = await db.query<{ id: string; place: string }>(SHOWN, [ids])
  if (shown === undefined) return undefined
  return sayRetried(shown.id, payoutId, shown.place)
}

/** An account without a statement for so many days before is not waited for. */
const DORMANT_DAYS = 14

/**
 * Since which day a lost history can have asked for nothing more; undefined where it can have asked for none of this payout, or its rail has said on this
 * timeline that it has no later one (payouts/unretried.ts).
 */
const ASKED_BEFORE = `select coalesce((t.created_at at time zone '${BANK_TIME_ZONE}')::date, (now() at time zone '${BANK_TIME_ZONE}')::date)::text as day,
    p.status = 'held' as "isHeld", (coalesce(a.asked_on, p.made_on) <> (select ${DATABASE_TIMELINE}) or p.made_on <> (select ${DATABASE_TIMELINE})
      or ${isSignedBefore(`(select ${DATABASE_TIMELINE})`)}) as "isFromBefore"
  from payouts p left join payout_attempts a on a.payout_id = p.payout_id and a.attempt = p.attempt
    left join database_timelines t on t.timeline = (select ${DATABASE_TIMELINE})
  where p.payout_id = $1 and ${mayBeRetried(`(select ${DATABASE_TIMELINE})`)} and coalesce(a.rail, '') <> '${READ_BACK}'
    and coalesce(p.unretried_on, '') <> (select ${DATABASE_TIMELINE})`

const IS_SHOWN = `select coalesce(bool_or(newest > $1::date) and not bool_or(newest between $1::date - ${DORMANT_DAYS} and $1::date), false) as "isShown"
  from (select max(closed_on) as newest from bank_statements where position is not null group by bank_account) n`

/**
 * Why the coin of a payout that came back is not minted back yet after a restore or a take-over: what is lost may have had it paid again by a rail
 * that nobody has asked since, and no statement can show that yet. Or why one that is held, and that no rail was asked for here, may have been paid.
 */
export async function whyMaybeRetried(db: Queryable, payoutId: string): Promise<string | undefined> {
  const [asked] = await db.query<{ day: string; isHeld: boolean; isFromBefore: boolean }>(ASKED_BEFORE, [payoutId])
  if (asked === undefined) return undefined
  const [read] = await db.query<{ isShown: boolean }>(IS_SHOWN, [asked.day])
  if (read?.isShown) return undefined
  if (asked.isHeld)
    return `${payoutId}, or the batch of its redeem, is from before the database was restored, or another took over: what it has lost may have had it paid, and the payee may have that ringgit. Wait for a statement of a day after ${asked.day}, which would show it.`
  // Only others have burnt it: that may be a history which is lost, or a thief's batch in a database that was never restored.
  const why = asked.isFromBefore
    ? 'came back, or was queued, before the database was restored, or another took over: what it has lost may have had it paid again'
    : 'pays for coin that a batch which this database did not make has burnt: where that is of a history which a restore has lost, that may have had it paid again'
  return `${payoutId} ${why}, and the payee may have that ringgit. If it had, run "coin payout retry": its rail knows that payment by its id, and pays nothing twice. Otherwise wait: where its rail can be asked, it is asked about that within a quarter of an hour, and the refund is free if it has no such payment; or a statement of a day after ${asked.day} would show it.`
}
