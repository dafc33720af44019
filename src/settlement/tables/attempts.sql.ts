/** The table `batch_attempts`: signed bytes, and the answers to sending them. Writes run under the chain's lease. */
import type { Hex } from 'viem'
import type { Fees } from '../../chain/fees.ts'
import type { Queryable } from '../../db/database.ts'

export type NewAttempt = {
  chainId: number
  batchId: bigint
  txHash: string
  signer: string
  nonce: bigint
  rawTransaction: string
  fees: Fees
  gasLimit: bigint
}

/** Stores signed bytes. Nothing is broadcast before the transaction around it has committed. */
export async function insertAttempt(tx: Queryable, attempt: NewAttempt): Promise<void> {
  await tx.query(
    `insert into batch_attempts (chain_id, batch_id, tx_hash, signer, nonce, raw_transaction, max_fee_per_gas,
       max_priority_fee_per_gas, gas_limit)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      attempt.chainId,
      attempt.batchId,
      attempt.txHash,
      attempt.signer,
      attempt.nonce,
      attempt.rawTransaction,
      attempt.fees.maxFeePerGas,
      attempt.fees.maxPriorityFeePerGas,
      attempt.gasLimit,
    ],
  )
}

/** Records what nodes answered, so that bytes are not sent again too soon. */
export async function recordBroadcast(tx: Queryable, chainId: number, txHash: string, answer: string): Promise<void> {
  await tx.query(
    'update batch_attempts set last_broadcast_at = now(), last_answer = $3 where chain_id = $1 and tx_hash = $2',
    [chainId, txHash, answer.slice(0, 300)],
  )
}

/** The bytes of one attempt. */
export async function readRawTransaction(db: Queryable, chainId: number, txHash: string): Promise<Hex | undefined> {
  const [row] = await db.query<{ raw_transaction: Hex }>(
    'select raw_transaction from batch_attempts where chain_id = $1 and tx_hash = $2',
    [chainId, txHash],
  )
  return row?.raw_transaction
}

/**
 * The best-paid bytes that a signer signed under a nonce for the batch that still has it. Never those of an abandoned
 * batch, nor of an earlier batch with the same id, whose orders are in other batches by now.
 */
export async function findBytesOfNonce(
  db: Queryable,
  chainId: number,
  signer: string,
  nonce: bigint,
): Promise<Hex | undefined> {
  const [row] = await db.query<{ raw_transaction: Hex }>(
    `select a.raw_transaction from batches b join batch_attempts a on a.chain_id = b.chain_id and a.batch_id = b.batch_id
     where b.chain_id = $1 and a.signer = $2 and a.nonce = $3 and b.signer = a.signer and b.nonce = a.nonce
       and b.status <> 'abandoned' order by a.max_fee_per_gas desc limit 1`,
    [chainId, signer, nonce],
  )
  return row?.raw_transaction
}
