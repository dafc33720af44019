/** The table `batches`. Writes run under the chain's lease. */
import type { Hex } from 'viem'
import type { Queryable } from '../../db/database.ts'

export type NewBatch = {
  chainId: number
  batchId: bigint
  signer: string
  nonce: bigint
  digest: string
  orderCount: number
  callData: string
  fencingToken: bigint
}

export async function insertBatch(tx: Queryable, batch: NewBatch): Promise<void> {
  await tx.query(
    `insert into batches (chain_id, batch_id, signer, nonce, digest, order_count, call_data, status, fencing_token)
     values ($1, $2, $3, $4, $5, $6, $7, 'signed', $8)`,
    [
      batch.chainId,
      batch.batchId,
      batch.signer,
      batch.nonce,
      batch.digest,
      batch.orderCount,
      batch.callData,
      batch.fencingToken,
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

/** Moves a batch whose nonce was used up without an outcome to another nonce. Returns false when it had moved before. */
export async function renewNonce(
  tx: Queryable,
  chainId: number,
  batchId: bigint,
  usedNonce: bigint,
  next: { signer: string; nonce: bigint; reverts: number },
): Promise<boolean> {
  const rows = await tx.query(
    `update batches set signer = $4, nonce = $5, reverts = $6
     where chain_id = $1 and batch_id = $2 and nonce = $3 and status = 'signed' returning batch_id`,
    [chainId, batchId, usedNonce, next.signer, next.nonce, next.reverts],
  )
  return rows.length === 1
}

/** signed → reverted: every nonce it was signed under is used up, nothing can execute it any more. */
export async function markReverted(tx: Queryable, chainId: number, batchId: bigint, reverts: number): Promise<boolean> {
  const rows = await tx.query(
    `update batches set status = 'reverted', reverts = $3, finalized_at = now()
     where chain_id = $1 and batch_id = $2 and status = 'signed' returning batch_id`,
    [chainId, batchId, reverts],
  )
  return rows.length === 1
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
