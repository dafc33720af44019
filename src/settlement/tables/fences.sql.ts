/** Fences in the tables `batches` and `chains`. Writes run under the chain's lease. */
import type { Hex } from 'viem'
import type { Queryable } from '../../db/database.ts'
import { isUnfencedChain } from '../../db/lost-chains.sql.ts'
import { DATABASE_TIMELINE, NEWEST_BEFORE } from '../../db/timeline.sql.ts'
import { wasHeldLately } from '../../leases/leases.sql.ts'
import { refundNameOf } from '../../payouts/payouts.sql.ts'
import { REFUNDS } from '../../values/house.ts'

/** Of a chain's row `c`: whether its fence is final; is signed, on this timeline of the database; or is still to be made. */
export type FenceState = 'done' | 'under way' | 'due'

export const FENCE_STATE = `case when c.fenced_on = ${DATABASE_TIMELINE} then 'done'
  when exists (select from batches b where b.chain_id = c.chain_id and b.status in ('signed', 'mined') and b.fences_on = ${DATABASE_TIMELINE})
    then 'under way' else 'due' end`

/**
 * SQL: whether a chain is another one than `own` on which a reference may have been settled as well: one that is configured here; or one that another
 * process settles, or has settled within ten minutes, whose chains file has it where this one's, of a forgotten machine, has not: what that one has signed can
 * be mined while it is replaced, too. What nobody's has any more is waited for by nobody.
 */
const isOther = (chain: string, own: string, configured: string): string =>
  `(${chain} = any (${configured}::bigint[]) or ${chain} <> ${own}::bigint and ${wasHeldLately(`'settlement:' || ${chain}`)})`

/** Whether there is any other: see `isOther`. */
export async function areOthers(db: Queryable, own: number, otherChainIds: readonly number[]): Promise<boolean> {
  if (otherChainIds.length > 0) return true
  return (await db.query(`select from chains c where ${isOther('c.chain_id', '$1', `'{}'`)} limit 1`, [own])).length > 0
}

/** Chains that somebody settles, or has settled within ten minutes, and that are none of these. */
export async function listSettledBeside(db: Queryable, chainIds: readonly number[]): Promise<number[]> {
  const rows = await db.query<{ chain_id: bigint }>(
    `select chain_id from chains c where chain_id <> all ($1::bigint[]) and ${wasHeldLately("'settlement:' || c.chain_id")} order by 1`,
    [chainIds],
  )
  return rows.map(({ chain_id: chainId }) => Number(chainId))
}

/**
 * Whether nothing that a lost history has signed can settle the order any more: on its chain; and, where that history may have had another order
 * under its reference, on any of the others. Nothing is waited for of a chain that is gone for good.
 * @param otherChainIds those that are configured; others count as `isOther` says
 */
export async function isFenced(
  db: Queryable,
  { orderId, chainId }: { orderId: bigint; chainId: number },
  otherChainIds: readonly number[],
): Promise<boolean> {
  const rows = await db.query(
    `select from chains where ${isUnfencedChain('chains')}
       and (chain_id = $1 or ${isOther('chain_id', '$1', '$2')} and $3::bigint > ${NEWEST_BEFORE})`,
    [chainId, otherChainIds, orderId],
  )
  return rows.length === 0
}

/**
 * Which chains are not fenced, and the newest order that can have no other under its reference there; undefined when there is nothing to wait for.
 * @param own beside which chain they are asked for: see `isOther`
 */
export async function readUnfenced(
  db: Queryable,
  chainIds: readonly number[],
  own?: number,
): Promise<{ chainIds: number[]; newestOrderId: bigint } | undefined> {
  const rows = await db.query<{ chain_id: bigint; newest: bigint }>(
    `select c.chain_id, n.newest from chains c cross join (select ${NEWEST_BEFORE} as newest) n
     where ${isOther('c.chain_id', '$2', '$1')} and ${isUnfencedChain('c')} and n.newest is not null
     order by 1`,
    [chainIds, own ?? null],
  )
  const [first] = rows
  if (first === undefined) return undefined
  return { chainIds: rows.map(({ chain_id: chainId }) => Number(chainId)), newestOrderId: first.newest }
}

/**
 * Whether a settler works, and a lost history may still have coin moved, on the chain of an order. Before a settler works, after a restore,
 * operators do again what they had done; what was said before the server was started is of the copy.
 */
export async function isFencing(db: Queryable, orderId: bigint): Promise<boolean> {
  const rows = await db.query(
    `select from orders o join chains c using (chain_id) join settlement_holds h using (chain_id)
     where o.order_id = $1 and ${isUnfencedChain('c')}
       and h.seen_at > greatest(now() - interval '1 minute', pg_postmaster_start_time())`,
    [orderId],
  )
  return rows.length > 0
}

/** Whether a lost history may still have coin moved on the chain of an order, also where no settler works. */
export async function isUnfenced(db: Queryable, orderId: bigint): Promise<boolean> {
  const rows = await db.query(
    `select from orders o join chains c using (chain_id)
     where o.order_id = $1 and ${isUnfencedChain('c')}`,
    [orderId],
  )
  return rows.length > 0
}

/** The refund of a payout that failed with its chain, which was called lost and is found: what was sent of it may be executed until that is fenced. */
export async function findUnfencedRefund(db: Queryable, payoutId: string): Promise<string | undefined> {
  const [row] = await db.query<{ name: string }>(
    `select o.reference_id as name from orders o join chains c using (chain_id)
     where o.integration_id = '${REFUNDS}' and o.reference_id in (
         select ${refundNameOf('n')} from payouts p cross join lateral generate_series(1, p.refunds) n where p.payout_id = $1)
       and o.status || '' = 'failed' and o.failure_reason = 'chain_lost'
       and ${isUnfencedChain('c')} limit 1`,
    [payoutId],
  )
  return row?.name
}

/** The tag of a batch that is a fence. */
export async function readFenceTag(db: Queryable, chainId: number, batchId: bigint): Promise<Hex | undefined> {
  const [row] = await db.query<{ fence_tag: Hex | null }>(
    'select fence_tag from batches where chain_id = $1 and batch_id = $2',
    [chainId, batchId],
  )
  return row?.fence_tag ?? undefined
}

/**
 * A batch is final: if it is a fence, what was signed before it, and is not known here, can be executed no more.
 * @returns whether it fences on this timeline of the database
 */
export async function noteFenced(tx: Queryable, chainId: number, batchId: bigint): Promise<boolean> {
  const [row] = await tx.query<{ done: boolean }>(
    `update chains c set fenced_on = b.fences_on from batches b
     where c.chain_id = $1 and b.chain_id = $1 and b.batch_id = $2 and b.fences_on is not null
     returning c.fenced_on = ${DATABASE_TIMELINE} as done`,
    [chainId, batchId],
  )
  return row?.done ?? false
}

/** The chain has lost a final batch: if it was the fence, what a lost history has signed may take its place, and another fence is due. */
export async function noteLost(tx: Queryable, chainId: number, batchId: bigint): Promise<void> {
  await tx.query(
    `update chains c set fenced_on = null from batches b
     where c.chain_id = $1 and b.chain_id = $1 and b.batch_id = $2 and b.fences_on = c.fenced_on`,
    [chainId, batchId],
  )
}

/** SQL: whether it is known since when the database is on its present timeline. */
export const IS_TIMELINE_NOTED = `exists (select from database_timelines where timeline = (select ${DATABASE_TIMELINE}))`

const NEWEST_ORDER = 'coalesce((select max(order_id) from orders), 0)'

/** Notes it as the first order does (`note_timeline`): none may come for hours, and payers ask rails about what came back before only once it is known. */
export async function noteTimelineOf(db: Queryable): Promise<void> {
  await db.query(
    `insert into database_timelines (timeline, after_order_id, newest_order_id)
     select ${DATABASE_TIMELINE}, ${NEWEST_ORDER}, ${NEWEST_ORDER} on conflict do nothing`,
  )
}

/**
 * What the database knew to be executed may be executed again, or never: until another fence of the chain is final, no order of it ends without
 * having settled, and nothing enters a batch of another chain, which does not know it any more either.
 */
export async function barUntilFenced(tx: Queryable, chainId: number): Promise<void> {
  await tx.query('update chains set fenced_on = null where chain_id = $1', [chainId])
  await tx.query(
    `insert into database_timelines (timeline, after_order_id, newest_order_id) select ${DATABASE_TIMELINE}, 0, ${NEWEST_ORDER}
     on conflict (timeline) do update set after_order_id = 0`,
  )
}

/**
 * Parts of a statement: what was fenced on chains, or is about to be, counts no more, because the database may be a copy of a time before; and
 * what was accepted since may have another order under its reference there. The chain of an embedded one is put back with it.
 * @param chains names the part that returns them
 * @param lastKnown when somebody settled last, by this copy: what was accepted before is in it
 */
export const forgetFences = (chains: string, lastKnown: string, isEmbedded: boolean) => `newest_before as (
    insert into database_timelines as t (timeline, after_order_id, newest_order_id)
    select ${DATABASE_TIMELINE}, coalesce((select order_id from orders where created_at <= ${lastKnown} order by order_id desc limit 1), 0), ${NEWEST_ORDER}
    where exists (select from ${chains}) and ${!isEmbedded}
    on conflict (timeline) do update set after_order_id = case
      when exists (select from chains where fenced_on is distinct from ${DATABASE_TIMELINE})
        then least(t.after_order_id, excluded.after_order_id)
      else excluded.after_order_id end),
  unfenced as (
    update chains set fenced_on = null where chain_id in (select chain_id from ${chains}) and fenced_on is not null and ${!isEmbedded}),
  unfencing as (
    update batches set fences_on = null
    where chain_id in (select chain_id from ${chains}) and status in ('signed', 'mined') and fences_on is not null and ${!isEmbedded})`
