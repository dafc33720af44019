/**
 * Due payouts that a history which the database has lost may have had, and for which no rail was asked: it may have had their coin minted back.
 * Its place: docs/ARCHITECTURE.md, "A payout's path".
 */
import type { Queryable } from '../db/database.ts'
import { DATABASE_TIMELINE } from '../db/timeline.sql.ts'
import { orderTag } from '../values/order-tag.ts'
import { due, type Room } from './claims.sql.ts'
import { IS_QUEUED } from './moves.ts'
import { inTurn, OWNER, oldest } from './turns.sql.ts'
import { isFromBefore, isUnfenced } from './unretried.sql.ts'

/** `isUnfenced`: what that history has signed may be executed yet, so that nobody knows; nothing is on a chain that is gone for good. */
export type FromBefore = { payoutId: string; refunds: number; tag: `0x${string}`; isUnfenced: boolean }

/** Why what a lost history may have had is not paid yet. */
export const UNFENCED =
  'The database was restored, or another took over: what is lost may have minted its coin back until the fence of its chain is final. See "coin overview", which says "fence" until then. Where no settler works on that chain any more, run "coin payout hold", see that its coin was not minted back, and pay it by hand ("coin payout mark-paid").'

/** Which of the payouts that a claim with the same options would look at a lost history may have had. */
export async function findFromBefore(
  db: Queryable,
  { rail, limit, mayAsk, askedBefore, open }: Room & { rail: string; mayAsk: boolean },
): Promise<FromBefore[]> {
  const rows = await db.query<{
    payoutId: string
    refunds: number
    integrationId: string
    referenceId: string
    isUnfenced: boolean
  }>(
    `with recursive ${inTurn(due('$3'), { limit: '$2', again: '$6', integrations: '$4', open: '$5' })}
     select p.payout_id as "payoutId", p.refunds::int as refunds, o.integration_id as "integrationId", o.reference_id as "referenceId",
       ${isUnfenced('o')} as "isUnfenced"
     from next n cross join lateral (select * from payouts where payout_id = n.payout_id limit 1) p
       cross join lateral (select * from orders where order_id = p.order_id limit 1) o
     where p.rail is null and ${isFromBefore(`(select ${DATABASE_TIMELINE})`)}`,
    [rail, limit, mayAsk, [...open.keys()], [...open.values()], Math.min(askedBefore, limit)],
  )
  return rows.map(({ integrationId, referenceId, ...each }) => ({ ...each, tag: orderTag(integrationId, referenceId) }))
}

/** So many of one integration are put off at a time. */
const PUT_OFF_AT_ONCE = 2_000

/**
 * Puts payouts off that wait for a fence, and for longer what else of their integrations is due and waits for one: what is behind that, and waits for none, is
 * claimed by the next claims, and not after all of it.
 * @returns how many
 */
export async function postponeUnfenced(
  db: Queryable,
  payoutIds: readonly string[],
  { rail, mayAsk, afterMs, othersAfterMs }: { rail: string; mayAsk: boolean; afterMs: number; othersAfterMs: number },
): Promise<number> {
  const rows = await db.query(
    `update payouts u set next_attempt_at = now() + case when u.payout_id = any ($4::text[]) then $5::int else $6::int end * interval '1 millisecond',
       last_error = $7, updated_at = now()
     where u.payout_id = any (array(
       select p.payout_id from (select distinct ${OWNER} as owner from payouts where payout_id = any ($4::text[])) w
         cross join lateral (${[0, 1].map((asked) => oldest(due('$3'), asked, '$2')).join(' union all ')}) n
         cross join lateral (select payout_id from payouts p where payout_id = n.payout_id and ${IS_QUEUED} and rail is null
           and ${isFromBefore(`(select ${DATABASE_TIMELINE})`)} and exists (select from orders o where o.order_id = p.order_id and ${isUnfenced('o')})
           limit 1 for update skip locked) p))
     returning u.payout_id`,
    [rail, PUT_OFF_AT_ONCE, mayAsk, payoutIds, afterMs, othersAfterMs, UNFENCED],
  )
  return rows.length
}
