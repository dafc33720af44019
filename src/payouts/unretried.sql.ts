/**
 * Whether a history that the database has lost may have had a payout; and, of those that came back, whether it may have retried them.
 * Its place: docs/ARCHITECTURE.md, "A payout's path".
 */
import { endToEndIdOf } from '../bank-files/end-to-end-id.ts'
import type { Queryable } from '../db/database.ts'
import { isUnfencedChain } from '../db/lost-chains.sql.ts'
import { DATABASE_TIMELINE } from '../db/timeline.sql.ts'
import { RESIDUALS } from './residual.sql.ts'

/**
 * SQL: whether the batch of a payout's redeem was signed in a past of the database, which a lost history may have had as final: on another timeline, or before
 * the present one was noted. The times alone would not say so: the clock of the server that signed it may have been ahead.
 */
export const isSignedBefore = (
  timeline: string,
): string => `exists (select from (select chain_id, batch_id from orders where order_id = p.order_id limit 1) f join batches b using (chain_id, batch_id)
    where b.signed_on <> ${timeline} or not exists (select from database_timelines t where t.timeline = ${timeline} and t.created_at <= b.created_at))`

/**
 * SQL: whether a lost history may have had a payout `p` before it was queued here: its redeem has taken a burn of others, or its batch was signed before.
 * Both are looked up for each payout: a plan that reads all instructions of others first would do so for every few payouts that are due.
 */
export const isQueuedAgain = (
  timeline: string,
): string => `exists (select from (select from foreign_instructions where order_id = p.order_id and direction = 'REDEEM' limit 1) i)
  or ${isSignedBefore(timeline)}`

/** SQL: whether a history that the database has lost may have had a payout `p`: it was queued on another timeline, or again on this one. */
export const isFromBefore = (timeline: string): string => `(p.made_on <> ${timeline} or ${isQueuedAgain(timeline)})`

/** SQL: `isUnfencedChain`, of the chain of an order. */
export const isUnfenced = (order: string): string =>
  `exists (select from chains c where c.chain_id = ${order}.chain_id and ${isUnfencedChain('c')})`

/**
 * SQL: whether a lost history may have had a payout `p` that came back paid again, unless its rail has denied that; `a`: its newest attempt. What was asked for
 * here first, but queued before, or in that history, too, may have come back there, and its rail says here what it said then. That holds of each of its
 * payments: the next one may have been queued before as well, or be only one of those that the lost history has had made. Of what
 * is held only its batch counts: what others had burnt when it was queued ends by no command before its rail was asked (`ask_first`).
 */
export const mayBeRetried = (timeline: string): string => `(coalesce(a.asked_on, p.made_on) <> ${timeline}
  or p.status || '' in ('rejected', 'returned') and ${isFromBefore(timeline)}
  or p.status || '' = 'held' and ${isSignedBefore(timeline)})`

/** SQL: the newest attempt of a payout `p`, also where an earlier one counts: the next is the one behind it. */
export const NEWEST_ATTEMPT = `greatest(p.attempt, (select max(a.attempt) from payout_attempts a where a.payout_id = p.payout_id))`

/** So many retries are looked for. */
const MOST_RETRIES = 5

/** The ids of the payments that the next retries of a payout make. @param newest its newest attempt */
export function idsOfRetries(newest: { integrationId: string; referenceId: string; attempt: number }): string[] {
  return Array.from({ length: MOST_RETRIES }, (_, index) =>
    endToEndIdOf({ ...newest, attempt: newest.attempt + index + 1 }),
  )
}

/** What is to be known, and done, of a payment that only a lost history can have asked for. @param place where it is shown */
export function sayRetried(endToEndId: string, payoutId: string, place = 'at its rail'): string {
  return `${endToEndId} is a payment of ${payoutId} that this database does not know of (${place}): a history that is lost has retried it, and the payee may have that ringgit. Run "coin payout retry": its rail knows the payment by that id, and pays nothing twice.`
}

/** Of a payout that a lost history may have had. `laterIds`: of the payments that retries would make; `isUnfenced`: what that history has signed may be executed yet. */
export type MaybeHad = { laterIds: readonly string[]; isUnfenced: boolean }

/** SQL: whether a payout `p` of parts of a sen may have been in a lost history, which gave it the same name: nothing shows more than that there may have been one. */
const isOfParts = (timeline: string): string =>
  `p.order_id is null and exists (select from database_timelines t where t.timeline <> ${timeline})`

/**
 * Those of these payouts that a lost history may have had. What it had refused is not known here; and the rail does not know it either where no rail was asked, another one
 * was, or it keeps nothing of what it refuses.
 */
export async function findMaybeHad(
  db: Queryable,
  payoutIds: readonly string[],
): Promise<ReadonlyMap<string, MaybeHad>> {
  if (payoutIds.length === 0) return new Map()
  const timeline = `(select ${DATABASE_TIMELINE})`
  const rows = await db.query<{
    payoutId: string
    integrationId: string
    referenceId: string
    attempt: number
    isUnfenced: boolean
  }>(
    `select p.payout_id as "payoutId", coalesce(o.integration_id, '${RESIDUALS}') as "integrationId", coalesce(o.reference_id, p.reference_id) as "referenceId",
       ${NEWEST_ATTEMPT} as attempt, ${isUnfenced('o')} as "isUnfenced"
     from payouts p left join lateral (select * from orders where order_id = p.order_id limit 1) o on true
     where p.payout_id = any ($1::text[]) and (${isFromBefore(timeline)} or ${isOfParts(timeline)}) and coalesce(p.unretried_on, '') <> ${timeline}`,
    [payoutIds],
  )
  return new Map(rows.map((row) => [row.payoutId, { laterIds: idsOfRetries(row), isUnfenced: row.isUnfenced }]))
}

/** `timeline`: of the database, as of before its rail was asked. */
export type CameBack = {
  payoutId: string
  integrationId: string
  referenceId: string
  attempt: number
  timeline: string
}

/**
 * Claims, to ask their rail about later payments, payouts of which a lost history may have had some made. Not before whatever the lost history
 * was about to ask has long been answered, or given up.
 */
export async function claimCameBack(db: Queryable, rail: string, limit: number): Promise<CameBack[]> {
  return await db.query<CameBack>(
    `with now_on as materialized (select t.timeline from database_timelines t
       where t.timeline = ${DATABASE_TIMELINE} and t.created_at < now() - interval '10 minutes'),
     due as (
       select p.payout_id, o.integration_id, o.reference_id, n.timeline,
         ${NEWEST_ATTEMPT} as attempt
       from now_on n join payouts p on p.status in ('rejected', 'returned') and coalesce(p.unretried_on, '') <> n.timeline
         join orders o on o.order_id = p.order_id
         left join payout_attempts a on a.payout_id = p.payout_id and a.attempt = p.attempt
       where ${mayBeRetried('n.timeline')} and coalesce(a.rail, p.rail, $1) = $1 and p.next_attempt_at <= now()
       order by p.next_attempt_at limit $2 for update of p skip locked)
     update payouts p set next_attempt_at = now() + interval '5 minutes' from due d where p.payout_id = d.payout_id
     returning p.payout_id as "payoutId", d.integration_id as "integrationId", d.reference_id as "referenceId", d.attempt,
       d.timeline`,
    [rail, limit],
  )
}

/** Whether a payout has been retried here since it was claimed, so that a payment which its rail has is known after all. */
export async function isKnownHere(
  db: Queryable,
  { payoutId, endToEndId }: { payoutId: string; endToEndId: string },
): Promise<boolean> {
  const rows = await db.query(
    `select from payouts where payout_id = $1 and end_to_end_id = $2
     union all select from payout_attempts where payout_id = $1 and end_to_end_id = $2`,
    [payoutId, endToEndId],
  )
  return rows.length > 0
}

/**
 * Its rail has none of them: until the database is restored once more, nobody has retried it but who did so here. Where that has happened since
 * the rail was asked, its word is of what is lost, and says nothing.
 */
export async function noteUnretried(
  db: Queryable,
  { payoutId, attempt, timeline }: Omit<CameBack, 'integrationId' | 'referenceId'>,
): Promise<void> {
  await db.query(
    `update payouts set unretried_on = $3, updated_at = now()
     where payout_id = $1 and attempt <= $2 and status in ('rejected', 'returned')`,
    [payoutId, attempt, timeline],
  )
}
