/**
 * Final batches of ours that the chain has executed again with another outcome: the table `batch_outcomes`. Settlers write what they have seen in a
 * final block, under the chain's lease; operators write that they say so, too, under the chain's lock.
 */
import type { Queryable } from '../../db/database.ts'
import { refundNameOf } from '../../payouts/payouts.sql.ts'
import { REFUNDS } from '../../values/house.ts'
import { DONE_BY_OTHERS } from './ended-alike.sql.ts'

/**
 * `executed`: the indexes of what it has executed now, in their sequence. `beside`: of redeems that had left it, those whose burn by it the books have.
 */
export type SeenOutcome = {
  batchId: bigint
  executed: readonly number[]
  isExplained: boolean
  beside: readonly number[]
}

const SEEN = `select batch_id as "batchId", executed, beside, explained_at is not null as "isExplained" from batch_outcomes where chain_id = $1`

/** Those of a chain, by batch id, in their sequence. There are as many as reorganisations deeper than final have changed. */
export async function readOutcomes(db: Queryable, chainId: number): Promise<ReadonlyMap<bigint, SeenOutcome>> {
  const rows = await db.query<SeenOutcome>(`${SEEN} order by batch_id`, [chainId])
  return new Map(rows.map((row) => [row.batchId, row]))
}

/** What was seen of one; undefined where that is nothing else than its orders were told. */
export async function findOutcome(db: Queryable, chainId: number, batchId: bigint): Promise<SeenOutcome | undefined> {
  const [row] = await db.query<SeenOutcome>(`${SEEN} and batch_id = $2`, [chainId, batchId])
  return row
}

/** The same. Locks it, so that no settler sees anything else before the transaction ends. */
export async function lockOutcome(tx: Queryable, chainId: number, batchId: bigint): Promise<SeenOutcome | undefined> {
  const [row] = await tx.query<SeenOutcome>(`${SEEN} and batch_id = $2 for update`, [chainId, batchId])
  return row
}

/** Orders `o` with what was seen, `x`, of the batch of ours that they are in. */
const SEEN_OF = `orders o join batches b on b.chain_id = o.chain_id and b.batch_id = o.batch_id and b.order_ids[o.batch_index + 1] = o.order_id
  join batch_outcomes x on x.chain_id = b.chain_id and x.batch_id = b.batch_id`

/** Whether the chain has done something with the batch of an order of which operators have said nothing yet. */
export async function isUnexplained(db: Queryable, orderId: bigint): Promise<boolean> {
  const rows = await db.query(`select from ${SEEN_OF} where o.order_id = $1 and x.explained_at is null`, [orderId])
  return rows.length > 0
}

/** Whether the chain has refused an order when it executed its batch again, whatever operators have said of that. */
export async function isRefusedNow(db: Queryable, orderId: bigint): Promise<boolean> {
  const rows = await db.query(`select from ${SEEN_OF} where o.order_id = $1 and o.batch_index <> all (x.executed)`, [
    orderId,
  ])
  return rows.length > 0
}

/** `isByOthers`: its bytes were read as what others did, because it had failed before. */
export type ExecutedRefund = { name: string; isByOthers: boolean }

/** The refund of a payout that had failed, and that the chain has executed after all, until that was made good. */
export async function findExecutedRefund(db: Queryable, payoutId: string): Promise<ExecutedRefund | undefined> {
  const [row] = await db.query<ExecutedRefund>(
    `select o.reference_id as name, c."isByOthers" from orders o left join lost_orders l on l.order_id = o.order_id
       cross join lateral (select exists (select from ${DONE_BY_OTHERS}) as "isByOthers") c
     where o.integration_id = '${REFUNDS}' and o.reference_id in (
         select ${refundNameOf('n')} from payouts p cross join lateral generate_series(1, p.refunds) n where p.payout_id = $1)
       and o.status || '' = 'failed' and l.closed_at is null
       and (l.executed or c."isByOthers" or exists (select from batches b join batch_outcomes x on x.chain_id = b.chain_id and x.batch_id = b.batch_id
         where b.chain_id = o.chain_id and b.batch_id = o.batch_id and b.order_ids[o.batch_index + 1] = o.order_id and o.batch_index = any (x.executed)))
     limit 1`,
    [payoutId],
  )
  return row
}

/** Keeps what the chain has done now: operators have said nothing of that. @returns whether it was not known */
export async function noteOutcome(
  tx: Queryable,
  chainId: number,
  { batchId, executed }: Pick<SeenOutcome, 'batchId' | 'executed'>,
): Promise<boolean> {
  const rows = await tx.query(
    `insert into batch_outcomes (chain_id, batch_id, executed)
     select chain_id, batch_id, $3 from batches where chain_id = $1 and batch_id = $2 and status = 'final' and not is_foreign
     on conflict (chain_id, batch_id) do update set executed = excluded.executed, seen_at = now(), reason = null, explained_at = null
       where batch_outcomes.executed <> excluded.executed returning batch_id`,
    [chainId, batchId, executed],
  )
  return rows.length > 0
}

/** SQL: whether a redeem has left the batch since, as not burnt by it: then what the batch did at first is not what its orders were told. */
const HAS_LEFT = `exists (select from batches b cross join lateral unnest(b.order_ids) as n (order_id)
    cross join lateral (select * from orders where order_id = n.order_id limit 1) o
  where b.chain_id = $1 and b.batch_id = $2 and o.batch_id is distinct from b.batch_id)`

/** Forgets one that was never explained: the chain has done again what its orders were told. @returns whether nothing is left of it */
export async function forgetOutcome(tx: Queryable, chainId: number, batchId: bigint): Promise<boolean> {
  const rows = await tx.query(
    `delete from batch_outcomes where chain_id = $1 and batch_id = $2 and explained_at is null and beside = '{}'
       and not exists (select from lost_orders l where l.chain_id = $1 and l.batch_id = $2) and not ${HAS_LEFT} returning batch_id`,
    [chainId, batchId],
  )
  return rows.length > 0
}

/**
 * Of the orders of batches that were abandoned just now, the redeems that a batch which they had left has burnt, as was seen last; but what the books have of it.
 * @param from the first that is abandoned, or given up: the chain has none from there on
 */
export async function findBurntBeside(
  tx: Queryable,
  chainId: number,
  abandoned: readonly bigint[],
  from: bigint,
): Promise<bigint[]> {
  const rows = await tx.query<{ order_id: bigint }>(
    `select s.order_id from batch_outcomes x join batches b on b.chain_id = x.chain_id and b.batch_id = x.batch_id and b.status = 'final'
       cross join lateral unnest(b.order_ids) with ordinality as s (order_id, position)
     where x.chain_id = $1 and x.batch_id < $3 and s.position - 1 = any (x.executed) and s.position - 1 <> all (x.beside)
       and exists (select from signed_orders f where f.order_id = s.order_id and f.batch_id is null)
       and exists (select from batches a where a.chain_id = $1 and a.batch_id = any ($2::bigint[]) and s.order_id = any (a.order_ids))`,
    [chainId, abandoned, from],
  )
  return rows.map(({ order_id: orderId }) => orderId)
}

/** Forgets one of a batch that was given up: the chain has neither outcome. */
export async function deleteOutcome(tx: Queryable, chainId: number, batchId: bigint): Promise<void> {
  await tx.query('delete from batch_outcomes where chain_id = $1 and batch_id = $2', [chainId, batchId])
}

/** What operators have said of those of a chain while it was lost, when no node could say so, is to be said again. */
export async function unexplainLost(tx: Queryable, chainId: number): Promise<void> {
  await tx.query(
    `update batch_outcomes x set reason = null, explained_at = null from lost_chains l
     where x.chain_id = $1 and l.chain_id = x.chain_id and x.explained_at >= l.lost_at`,
    [chainId],
  )
}

/** Keeps that operators have said so, too: not before its chain was called lost, also where a database has taken over whose clock is behind. */
export async function setExplained(tx: Queryable, chainId: number, batchId: bigint, reason: string): Promise<void> {
  await tx.query(
    `update batch_outcomes set reason = $3, explained_at = greatest(now(), (select lost_at from lost_chains where chain_id = $1))
     where chain_id = $1 and batch_id = $2`,
    [chainId, batchId, reason],
  )
}
