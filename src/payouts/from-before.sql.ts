/** Due payouts that a history which the database has lost may have had, and for which no rail was asked: it may have had their coin minted back. */
import type { Queryable } from '../db/database.ts'
import { DATABASE_TIMELINE } from '../db/timeline.sql.ts'
import { orderTag } from '../values/order-tag.ts'
import { type ClaimOptions, due } from './claims.sql.ts'
import { IS_QUEUED } from './moves.ts'
import { inTurn } from './turns.sql.ts'
import { isFromBefore, isUnfenced } from './unretried.sql.ts'

/** `isUnfenced`: what that history has signed may be executed yet, so that nobody knows; nothing is on a chain that is gone for good. */
export type FromBefore = { payoutId: string; refunds: number; tag: `0x${string}`; isUnfenced: boolean }

/** Why what a lost history may have had is not paid yet. */
export const UNFENCED =
  'The database was restored, or another took over: what is lost may have minted its coin back until the fence of its chain is final. See "coin overview", which says "fence" until then. Where no settler works on that chain any more, run "coin payout hold", see that its coin was not minted back, and pay it by hand ("coin payout mark-paid").'

/** Which of the payouts that this rail would be asked about next a lost history may have had. */
export async function findFromBefore(
  db: Queryable,
  { rail, limit, mayAsk, open = new Map() }: Pick<ClaimOptions, 'rail' | 'limit' | 'open'> & { mayAsk: boolean },
): Promise<FromBefore[]> {
  const rows = await db.query<{
    payoutId: string
    refunds: number
    integrationId: string
    referenceId: string
    isUnfenced: boolean
  }>(
    `with recursive ${inTurn(due('$3'), { most: ['$2', '$2'], integrations: '$4', open: '$5' })}
     select p.payout_id as "payoutId", p.refunds::int as refunds, o.integration_id as "integrationId", o.reference_id as "referenceId",
       ${isUnfenced('o')} as "isUnfenced"
     from offered n cross join lateral (select * from payouts where payout_id = n.payout_id limit 1) p
       cross join lateral (select * from orders where order_id = p.order_id limit 1) o
     where n.place <= $2 and p.rail is null and ${isFromBefore(`(select ${DATABASE_TIMELINE})`)}`,
    [rail, limit, mayAsk, [...open.keys()], [...open.values()]],
  )
  return rows.map(({ integrationId, referenceId, ...each }) => ({ ...each, tag: orderTag(integrationId, referenceId) }))
}

/** Puts such payouts off: they are looked at again after a while. */
export async function postponeFromBefore(
  db: Queryable,
  payoutIds: readonly string[],
  { afterMs, reason }: { afterMs: number; reason: string },
): Promise<void> {
  await db.query(
    `update payouts set next_attempt_at = now() + $2 * interval '1 millisecond', last_error = $3, updated_at = now()
     where payout_id = any ($1::text[]) and ${IS_QUEUED} and rail is null`,
    [payoutIds, afterMs, reason],
  )
}
