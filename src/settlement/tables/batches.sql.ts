/**
 * The table `batches`. Writes run under the chain's lease. While orders are processing, only this row says how far they
 * are, and which transaction and block partners see.
 */
import type { Hex } from 'viem'
import { NO_HISTORY } from '../../chain/instructions.ts'
import type { Queryable } from '../../db/database.ts'
import { DATABASE_TIMELINE } from '../../db/timeline.sql.ts'
import { earmarkCtes, MOVED_WITH_BATCH } from '../../orders/life/give-back.sql.ts'
import { BATCH_SOURCE } from '../../values/batch-source.ts'

export type NewBatch = {
  chainId: number
  batchId: bigint
  signer: string
  nonce: bigint
  digest: string
  /** The contract's running hash once the batch is settled. */
  runningHash: string
  /** The orders, in the order of their instructions. */
  orderIds: readonly bigint[]
  /** The hash of its first transaction. */
  txHash: string
  fencingToken: bigint
  /** Of a fence, which has no orders. */
  fenceTag?: string | undefined
}

/**
 * Stores a batch, replacing an abandoned one with the same id.
 * @throws Error when another batch has that id: what was signed must not go on as if it were stored
 */
export async function insertBatch(tx: Queryable, batch: NewBatch): Promise<void> {
  const stored = await tx.query(
    `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, tx_hash, status,
       fencing_token, fence_tag, fences_on)
     values ($1, $2, $3, $4, $5, $6, $7::bigint[], case when $10::text is null then cardinality($7::bigint[]) else 1 end, $8, 'signed', $9,
       $10, case when $10::text is not null then ${DATABASE_TIMELINE} end)
     on conflict (chain_id, batch_id) do update set signer = excluded.signer, nonce = excluded.nonce, digest = excluded.digest,
       running_hash = excluded.running_hash, order_ids = excluded.order_ids, order_count = excluded.order_count,
       tx_hash = excluded.tx_hash, status = excluded.status, fencing_token = excluded.fencing_token, fence_tag = excluded.fence_tag,
       fences_on = excluded.fences_on, signed_on = excluded.signed_on, created_at = now(), moved_at = null, is_foreign = false, settled_at = null
     where batches.status = 'abandoned'
     returning batch_id`,
    [
      batch.chainId,
      batch.batchId,
      batch.signer,
      batch.nonce,
      batch.digest,
      batch.runningHash,
      batch.orderIds,
      batch.txHash,
      batch.fencingToken,
      batch.fenceTag ?? null,
    ],
  )
  if (stored.length === 0) throw new Error(`batch ${batch.batchId} of chain ${batch.chainId} is stored already`)
}

/**
 * The contract's running hash once a batch is settled, which the next one names; `NO_HISTORY` for the one before the
 * first.
 */
export async function readRunningHash(db: Queryable, chainId: number, batchId: bigint): Promise<Hex> {
  if (batchId === 0n) return NO_HISTORY
  const [row] = await db.query<{ running_hash: Hex }>(
    'select running_hash from batches where chain_id = $1 and batch_id = $2',
    [chainId, batchId],
  )
  if (row === undefined) throw new Error(`batch ${batchId} is not stored`)
  return row.running_hash
}

export type MinedBatch = { batchId: bigint; blockNumber: bigint; blockHash: string; txHash: string }

const PLACE = 'mined_block = $3, mined_hash = $4, tx_hash = $5, moved_at = now()'
const placeOf = (chainId: number, { batchId, blockNumber, blockHash, txHash }: MinedBatch) => [
  chainId,
  batchId,
  blockNumber,
  blockHash,
  txHash,
]

/**
 * signed → mined; gives the earmarks of its orders back, because balances at the observed block now show the debits.
 * Belongs in the transaction that moves `chains.observed_block` to that block or a later one.
 */
export async function markMined(tx: Queryable, chainId: number, mined: MinedBatch): Promise<void> {
  await tx.query(
    `with moved_batch as (
      update batches set status = 'mined', ${PLACE} where chain_id = $1 and batch_id = $2 and status = 'signed'
      returning order_ids),
    ${MOVED_WITH_BATCH}, ${earmarkCtes('-')}
    select count(*) from moved`,
    placeOf(chainId, mined),
  )
}

/** A mined batch is in another block now, or in another transaction. */
export async function markRelocated(tx: Queryable, chainId: number, mined: MinedBatch): Promise<void> {
  await tx.query(
    `update batches set ${PLACE} where chain_id = $1 and batch_id = $2 and status = 'mined'`,
    placeOf(chainId, mined),
  )
}

/** mined → signed after a reorganisation: earmarks are taken again, and its bytes are due to be sent again at once. */
export async function markUnmined(tx: Queryable, chainId: number, batchId: bigint): Promise<void> {
  await tx.query(
    `with moved_batch as (
      update batches set status = 'signed', mined_block = null, mined_hash = null, moved_at = now()
      where chain_id = $1 and batch_id = $2 and status = 'mined' returning order_ids),
    ${MOVED_WITH_BATCH}, ${earmarkCtes('+')}
    select count(*) from moved`,
    [chainId, batchId],
  )
  await tx.query('update batch_attempts set last_broadcast_at = null where chain_id = $1 and batch_id = $2', [
    chainId,
    batchId,
  ])
}

/**
 * mined → final. Returns its orders, which must be decided now, how the books name it, and the database's clock; undefined when it was not
 * mined, or no longer.
 */
export async function markFinal(
  tx: Queryable,
  chainId: number,
  batchId: bigint,
  bitmap: bigint,
): Promise<{ orderIds: bigint[]; source: string; now: Date } | undefined> {
  const [row] = await tx.query<{ order_ids: bigint[]; source: string; now: Date }>(
    `update batches set status = 'final', success_bitmap = $3, finalized_at = now()
     where chain_id = $1 and batch_id = $2 and status = 'mined' returning order_ids, ${BATCH_SOURCE} as source, now() as now`,
    [chainId, batchId, bitmap],
  )
  return row && { orderIds: row.order_ids, source: row.source, now: row.now }
}

/**
 * Gives a signed batch to another signer, under one of its nonces; what it settles stays the same.
 * @throws Error when it is not signed any more
 */
export async function giveBatch(
  tx: Queryable,
  chainId: number,
  batchId: bigint,
  { signer, nonce }: { signer: string; nonce: bigint },
): Promise<void> {
  const rows = await tx.query(
    `update batches set signer = $3, nonce = $4 where chain_id = $1 and batch_id = $2 and status = 'signed'
     returning batch_id`,
    [chainId, batchId, signer, nonce],
  )
  if (rows.length !== 1) throw new Error(`batch ${batchId} is not signed any more`)
}

/** The ids of mined batches, from the given one on. */
export async function readMinedFrom(db: Queryable, chainId: number, batchId: bigint): Promise<bigint[]> {
  const rows = await db.query<{ batch_id: bigint }>(
    `select batch_id from batches where chain_id = $1 and batch_id >= $2 and status = 'mined' order by batch_id`,
    [chainId, batchId],
  )
  return rows.map((row) => row.batch_id)
}

/**
 * signed → abandoned, for a batch that can never execute and everything behind it, which names its history.
 * @returns their ids
 */
export async function abandonFrom(tx: Queryable, chainId: number, batchId: bigint): Promise<bigint[]> {
  const rows = await tx.query<{ batch_id: bigint }>(
    `update batches set status = 'abandoned'
     where chain_id = $1 and batch_id >= $2 and status = 'signed' returning batch_id`,
    [chainId, batchId],
  )
  return rows.map((row) => row.batch_id)
}

/** How the books name what a batch did: another one may have had its id before, and was booked under it. */
export async function readSource(tx: Queryable, chainId: number, batchId: bigint): Promise<string> {
  const [row] = await tx.query<{ source: string }>(
    `select ${BATCH_SOURCE} as source from batches where chain_id = $1 and batch_id = $2`,
    [chainId, batchId],
  )
  if (row === undefined) throw new Error(`there is no batch ${batchId}`)
  return row.source
}
