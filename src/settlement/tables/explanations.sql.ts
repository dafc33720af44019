/**
 * What operators say about foreign batches: the table `batch_explanations`, and verdicts on instructions. Writes need no
 * lease: settlement leaves orders in conflict alone, and compares tags again when one is released.
 */
import type { Hex } from 'viem'
import type { Queryable } from '../../db/database.ts'
import type { ConflictingOrder } from '../explain/disown.ts'
import type { SettledTag } from './foreign.sql.ts'

/** `isForeign`, `isOwn`: others made it, or this service, and it is final. */
export type ForeignState = {
  isForeign: boolean
  isOwn: boolean
  isExplained: boolean
  isGivenUp: boolean
  waitingOrders: string[]
}

/** What a batch's explanation depends on; undefined when there is no such batch. Locks the batch. */
export async function readForeignState(
  tx: Queryable,
  chainId: number,
  batchId: bigint,
): Promise<ForeignState | undefined> {
  const [row] = await tx.query<{
    is_foreign: boolean
    is_own: boolean
    is_explained: boolean
    is_given_up: boolean
    waiting: string[]
  }>(
    `select b.is_foreign and b.status = 'final' as is_foreign, not b.is_foreign and b.status = 'final' as is_own,
       exists (select from batch_explanations e where e.chain_id = b.chain_id and e.batch_id = b.batch_id) as is_explained,
       exists (select from batch_explanations e where e.chain_id = b.chain_id and e.batch_id = b.batch_id and e.gives_up) as is_given_up,
       array(select distinct o.integration_id || '/' || o.reference_id from foreign_instructions i
         join tag_conflicts t on t.chain_id = i.chain_id and t.tag = i.tag and t.order_id is distinct from i.not_of_order_id
         join orders o on o.order_id = t.order_id
         where i.chain_id = b.chain_id and i.batch_id = b.batch_id order by 1 limit 10) as waiting
     from batches b where b.chain_id = $1 and b.batch_id = $2 for no key update of b`,
    [chainId, batchId],
  )
  if (row === undefined) return undefined
  const { is_foreign: isForeign, is_own: isOwn, is_explained: isExplained, is_given_up: isGivenUp } = row
  return { isForeign, isOwn, isExplained, isGivenUp, waitingOrders: row.waiting }
}

/** Keeps why a foreign batch has instructions that no order took. */
export async function insertExplanation(
  tx: Queryable,
  chainId: number,
  batchId: bigint,
  reason: string,
): Promise<void> {
  await tx.query('insert into batch_explanations (chain_id, batch_id, reason) values ($1, $2, $3)', [
    chainId,
    batchId,
    reason,
  ])
}

/** Keeps that a final batch is given up with everything behind it, whatever was said of it before. */
export async function insertGivenUp(tx: Queryable, chainId: number, batchId: bigint, reason: string): Promise<void> {
  await tx.query(
    `insert into batch_explanations (chain_id, batch_id, reason, gives_up) values ($1, $2, $3, true)
     on conflict (chain_id, batch_id) do update set reason = excluded.reason, explained_at = now(), gives_up = true`,
    [chainId, batchId, reason],
  )
}

/** Whether operators have said that this batch is given up. */
export async function isGivenUp(db: Queryable, chainId: number, batchId: bigint): Promise<boolean> {
  const rows = await db.query('select from batch_explanations where chain_id = $1 and batch_id = $2 and gives_up', [
    chainId,
    batchId,
  ])
  return rows.length > 0
}

/** Whether operators have said of any batch that it is given up, and no settler has used that. */
export async function isAnyGivenUp(db: Queryable, chainId: number): Promise<boolean> {
  const rows = await db.query('select from batch_explanations where chain_id = $1 and gives_up limit 1', [chainId])
  return rows.length > 0
}

/** No batch is given up any more. @returns which were, with why */
export async function deleteGivenUp(tx: Queryable, chainId: number): Promise<{ batchId: bigint; reason: string }[]> {
  return await tx.query<{ batchId: bigint; reason: string }>(
    'delete from batch_explanations where chain_id = $1 and gives_up returning batch_id as "batchId", reason',
    [chainId],
  )
}

/** What was said of batches that were given up says nothing of those that the chain has, or will have, under their ids. */
export async function deleteExplanations(tx: Queryable, chainId: number, fromBatchId: bigint): Promise<void> {
  await tx.query('delete from batch_explanations where chain_id = $1 and batch_id >= $2', [chainId, fromBatchId])
}

/** An order that waits because of what has its tag on a chain, which may be another than its own; undefined when it does not. Locks it, and what has its tag. */
export async function lockConflict(
  tx: Queryable,
  chainId: number,
  { integrationId, referenceId }: { integrationId: string; referenceId: string },
): Promise<{ order: ConflictingOrder; tag: Hex } | undefined> {
  const [row] = await tx.query<{
    order_id: bigint
    chain_id: bigint
    status: string
    was_signed: boolean
    direction: ConflictingOrder['direction']
    wallet_address: string
    debit_address: string | null
    amount_micro: bigint
    tag: Hex
  }>(
    `select o.order_id, o.chain_id, o.status, f.order_id is not null as was_signed, o.direction, o.wallet_address, o.debit_address, o.amount_micro, t.tag
     from tag_conflicts t join orders o on o.order_id = t.order_id left join signed_orders f on f.order_id = o.order_id
     where t.chain_id = $1 and o.integration_id = $2 and o.reference_id = $3
       and o.status in ('pending', 'failed', 'cancelled') and f.batch_id is null for update of t`,
    [chainId, integrationId, referenceId],
  )
  if (row === undefined) return undefined
  await tx.query('select from foreign_instructions where tag = $1 for update', [row.tag])
  const { order_id: orderId, direction, wallet_address: walletAddress, debit_address: debitAddress } = row
  const own = {
    orderId,
    chainId: Number(row.chain_id),
    direction,
    walletAddress,
    debitAddress,
    amountMicro: row.amount_micro,
  }
  const hasEnded = row.status === 'failed' || row.status === 'cancelled'
  return {
    order: { ...own, integrationId, referenceId, wasSigned: row.was_signed, hasEnded },
    tag: row.tag,
  }
}

/** Records that instructions are not those of an order. */
export async function markNotOf(
  tx: Queryable,
  chainId: number,
  instructions: readonly SettledTag[],
  orderId: bigint,
): Promise<void> {
  await tx.query(
    `update foreign_instructions i set not_of_order_id = $4
     from unnest($2::bigint[], $3::int[]) as c (batch_id, instruction_index)
     where i.chain_id = $1 and i.batch_id = c.batch_id and i.instruction_index = c.instruction_index`,
    [chainId, instructions.map(({ batchId }) => batchId), instructions.map(({ index }) => index), orderId],
  )
}

/** Records that an instruction which no order had taken is that of an order. */
export async function markOf(
  tx: Queryable,
  chainId: number,
  { batchId, index }: Pick<SettledTag, 'batchId' | 'index'>,
  orderId: bigint,
): Promise<void> {
  await tx.query(
    'update foreign_instructions set order_id = $4 where chain_id = $1 and batch_id = $2 and instruction_index = $3 and order_id is null',
    [chainId, batchId, index, orderId],
  )
}

/** Lets an order back into batches, where its tag is compared once more. */
export async function deleteTagConflict(tx: Queryable, orderId: bigint): Promise<void> {
  await tx.query('delete from tag_conflicts where order_id = $1', [orderId])
}
