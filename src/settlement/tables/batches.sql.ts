/** The table `batches`. Writes run under the chain's lease. */
import type { Hex } from 'viem'
import type { Queryable } from '../../db/database.ts'

export type NewBatch = {
  chainId: number
  batchId: bigint
  signer: string
  nonce: bigint
  digest: string
  /** The contract's, once the batch is settled. */
  runningHash: string
  orderCount: number
  callData: string
  fencingToken: bigint
}

/** Stores a batch, in the place of an abandoned one if its id was taken before. */
export async function insertBatch(tx: Queryable, batch: NewBatch): Promise<void> {
  await tx.query(
    `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_count, call_data, status, fencing_token)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 'signed', $9)
     on conflict (chain_id, batch_id) do update set signer = excluded.signer, nonce = excluded.nonce, digest = excluded.digest,
       running_hash = excluded.running_hash, order_count = excluded.order_count, call_data = excluded.call_data,
       status = excluded.status, fencing_token = excluded.fencing_token, created_at = now()
     where batches.status = 'abandoned'`,
    [
      ...[batch.chainId, batch.batchId, batch.signer, batch.nonce, batch.digest, batch.runningHash, batch.orderCount],
      ...[batch.callData, batch.fencingToken],
    ],
  )
}

/** A batch's call data: every attempt carries the same. */
export async function readCallData(db: Queryable, chainId: number, batchId: bigint): Promise<Hex> {
  const [row] = await db.query<{ call_data: Hex }>(
    'select call_data from batches where chain_id = $1 and batch_id = $2',
    [chainId, batchId],
  )
  if (row === undefined) throw new Error(`batch ${batchId} is not stored`)
  return row.call_data
}

export type MinedBatch = { batchId: bigint; blockNumber: bigint; blockHash: string; txHash: string }

export async function markMined(tx: Queryable, chainId: number, mined: MinedBatch): Promise<void> {
  await tx.query(
    `update batches set status = 'mined', mined_block = $3, mined_hash = $4, mined_tx_hash = $5
     where chain_id = $1 and batch_id = $2 and status in ('signed', 'mined')`,
    [chainId, mined.batchId, mined.blockNumber, mined.blockHash, mined.txHash],
  )
}

/** mined → signed after a reorganisation; its bytes are due to be sent again at once. */
export async function markUnmined(tx: Queryable, chainId: number, batchId: bigint): Promise<void> {
  await tx.query(
    `update batches set status = 'signed', mined_block = null, mined_hash = null, mined_tx_hash = null
     where chain_id = $1 and batch_id = $2 and status = 'mined'`,
    [chainId, batchId],
  )
  await tx.query('update batch_attempts set last_broadcast_at = null where chain_id = $1 and batch_id = $2', [
    chainId,
    batchId,
  ])
}

/** mined → final. Returns false when it was not mined (any more). */
export async function markFinal(tx: Queryable, chainId: number, batchId: bigint, bitmap: bigint): Promise<boolean> {
  const rows = await tx.query(
    `update batches set status = 'final', success_bitmap = $3, finalized_at = now()
     where chain_id = $1 and batch_id = $2 and status = 'mined' returning batch_id`,
    [chainId, batchId, bitmap],
  )
  return rows.length === 1
}

/** Ids of mined batches from one on. */
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

export type FinalBatch = {
  batchId: bigint
  digest: string
  signer: string
  nonce: bigint
  minedBlock: bigint
  minedTxHash: Hex
}

/** The newest final batches. */
export async function readNewestFinal(db: Queryable, chainId: number, limit: number): Promise<FinalBatch[]> {
  const rows = await db.query<{
    batch_id: bigint
    digest: string
    signer: string
    nonce: bigint
    mined_block: bigint
    mined_tx_hash: Hex
  }>(
    `select batch_id, digest, signer, nonce, mined_block, mined_tx_hash from batches
     where chain_id = $1 and status = 'final' order by batch_id desc limit $2`,
    [chainId, limit],
  )
  return rows.map((row) => ({
    batchId: row.batch_id,
    digest: row.digest,
    signer: row.signer,
    nonce: row.nonce,
    minedBlock: row.mined_block,
    minedTxHash: row.mined_tx_hash,
  }))
}
