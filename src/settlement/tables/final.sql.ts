/** Final batches in the table `batches`. Writes run under the chain's lease. */
import type { Hex } from 'viem'
import type { Queryable } from '../../db/database.ts'

export type FinalBatch = {
  batchId: bigint
  digest: string
  successBitmap: bigint
  signer: string
  nonce: bigint
  minedBlock: bigint
  /** That block's hash; null where nobody has written it. */
  minedHash: string | null
  txHash: Hex
  isForeign: boolean
}

type FinalRow = {
  batch_id: bigint
  digest: string
  success_bitmap: string
  signer: string
  nonce: bigint
  mined_block: bigint
  mined_hash: string | null
  tx_hash: Hex
  is_foreign: boolean
}

const FINAL = `select batch_id, digest, success_bitmap::text as success_bitmap, signer, nonce, mined_block, mined_hash, tx_hash, is_foreign from batches
  where chain_id = $1 and status = 'final'`

/** The newest final batches, and the chain's fence, however old it is: a lost history may come in its place. The newest first. */
export async function readNewestFinal(db: Queryable, chainId: number, limit: number): Promise<FinalBatch[]> {
  const rows = await db.query<FinalRow>(
    `${FINAL} and batch_id in (
       (select batch_id from batches where chain_id = $1 and status = 'final' order by batch_id desc limit $2) union
       (select max(batch_id) from batches b join chains c using (chain_id)
        where c.chain_id = $1 and b.status = 'final' and b.fences_on = c.fenced_on))
     order by batch_id desc`,
    [chainId, limit],
  )
  return rows.map(finalOf)
}

/** The first final batches behind this one that the next one follows. */
export async function readFinalAfter(
  db: Queryable,
  chainId: number,
  batchId: bigint,
  limit: number,
): Promise<FinalBatch[]> {
  const rows = await db.query<FinalRow>(
    `${FINAL} and batch_id > $2 and batch_id < (select next_batch_id from chains where chain_id = $1) order by batch_id limit $3`,
    [chainId, batchId, limit],
  )
  return rows.map(finalOf)
}

/** The newest final batches before one, from another one on. The newest first. */
export async function readFinalBefore(
  db: Queryable,
  chainId: number,
  { before, from }: { before: bigint; from: bigint },
  limit: number,
): Promise<FinalBatch[]> {
  const rows = await db.query<FinalRow>(
    `${FINAL} and batch_id < $2 and batch_id >= $3 order by batch_id desc limit $4`,
    [chainId, before, from, limit],
  )
  return rows.map(finalOf)
}

/** One final batch; undefined when there is none under this id. */
export async function findFinal(db: Queryable, chainId: number, batchId: bigint): Promise<FinalBatch | undefined> {
  const [row] = await db.query<FinalRow>(`${FINAL} and batch_id = $2`, [chainId, batchId])
  return row && finalOf(row)
}

/** Those of them that are final. */
export async function readFinalOf(db: Queryable, chainId: number, batchIds: readonly bigint[]): Promise<FinalBatch[]> {
  if (batchIds.length === 0) return []
  const rows = await db.query<FinalRow>(`${FINAL} and batch_id = any ($2::bigint[]) order by batch_id`, [
    chainId,
    batchIds,
  ])
  return rows.map(finalOf)
}

/**
 * The orders that a final batch settles, or that have taken an outcome of it, by their names. `succeeded`: what those that have taken one were told;
 * null of the others, which were told what the batch's bitmap says.
 */
export async function readNamesIn(
  db: Queryable,
  chainId: number,
  batchId: bigint,
): Promise<{ index: number; order: string; succeeded: boolean | null }[]> {
  return await db.query<{ index: number; order: string; succeeded: boolean | null }>(
    `with placed as (
       select (p.position - 1)::int as index, p.order_id, null::boolean as succeeded
       from batches b cross join lateral unnest(b.order_ids) with ordinality as p (order_id, position)
       where b.chain_id = $1 and b.batch_id = $2
       union all select instruction_index::int, order_id, succeeded from foreign_instructions where chain_id = $1 and batch_id = $2)
     select p.index, o.integration_id || '/' || o.reference_id as "order", p.succeeded
     from placed p cross join lateral (select * from orders where order_id = p.order_id limit 1) o order by 1`,
    [chainId, batchId],
  )
}

/** Whether a batch of others is among the final ones from this one on. */
export async function hasForeignFrom(db: Queryable, chainId: number, batchId: bigint): Promise<boolean> {
  const rows = await db.query(
    `select from batches where chain_id = $1 and batch_id >= $2 and status = 'final' and is_foreign limit 1`,
    [chainId, batchId],
  )
  return rows.length > 0
}

/**
 * final → abandoned, from this batch on, which the chain has lost for good, as operators have said: their ids are free, and what they have
 * decided stays. @returns their ids
 */
export async function giveUpFrom(tx: Queryable, chainId: number, batchId: bigint): Promise<bigint[]> {
  const rows = await tx.query<{ batch_id: bigint }>(
    `update batches set status = 'abandoned', mined_block = null, mined_hash = null, success_bitmap = null, finalized_at = null,
       taken_back = taken_back + 1
     where chain_id = $1 and batch_id >= $2 and status = 'final' returning batch_id`,
    [chainId, batchId],
  )
  return rows.map(({ batch_id: each }) => each).sort((a, b) => (a < b ? -1 : 1))
}

function finalOf(row: FinalRow): FinalBatch {
  return {
    batchId: row.batch_id,
    digest: row.digest,
    successBitmap: BigInt(row.success_bitmap),
    signer: row.signer,
    nonce: row.nonce,
    minedBlock: row.mined_block,
    minedHash: row.mined_hash,
    txHash: row.tx_hash,
    isForeign: row.is_foreign,
  }
}

/**
 * Gives a final batch that the chain has lost to a signer, under one of its nonces; what it settles stays the same.
 * @throws Error when it is not final any more
 */
export async function giveFinal(
  tx: Queryable,
  chainId: number,
  batchId: bigint,
  { signer, nonce, txHash }: { signer: string; nonce: bigint; txHash: string },
): Promise<void> {
  const rows = await tx.query(
    `update batches set signer = $3, nonce = $4, tx_hash = $5 where chain_id = $1 and batch_id = $2 and status = 'final'
     returning batch_id`,
    [chainId, batchId, signer, nonce, txHash],
  )
  if (rows.length !== 1) throw new Error(`batch ${batchId} is not final any more`)
}
