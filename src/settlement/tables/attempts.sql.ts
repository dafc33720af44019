/**
 * The table `batch_attempts`: signed bytes, and the answers to sending them. Writes run under the chain's lease. Bytes of
 * a batch that is not decided are always there; those of others go with their month.
 */
import type { Hex } from 'viem'
import type { Fees } from '../../chain/fees.ts'
import { bytesParam, shownBytes } from '../../db/bytes.ts'
import type { Queryable } from '../../db/database.ts'
import type { MonthlyTable } from '../../db/monthly.ts'

/** Bytes stay at least until their batch is final or abandoned. */
export const BATCH_ATTEMPTS = {
  name: 'batch_attempts',
  instantColumn: 'created_at',
  fillPercent: 100,
  awaited: `exists (select from batches b join batch_attempts a on a.chain_id = b.chain_id and a.batch_id = b.batch_id
    where b.status in ('signed', 'mined') and a.created_at < $1::timestamptz)`,
  decided: `not exists (select from batches b where b.chain_id = t.chain_id and b.batch_id = t.batch_id
    and b.status in ('signed', 'mined'))`,
} as const satisfies MonthlyTable

/** The bytes of an attempt `a`, as nodes take them. */
const BYTES = `${shownBytes('a.raw_transaction')} as raw_transaction`

export type NewAttempt = {
  chainId: number
  batchId: bigint
  txHash: string
  signer: string
  nonce: bigint
  rawTransaction: Hex
  fees: Fees
  gasLimit: bigint
}

/**
 * Stores signed bytes. Nothing is broadcast before the transaction around it has committed. It comes after the batch's earlier ones,
 * also where the database's clock was set back since.
 */
export async function insertAttempt(tx: Queryable, attempt: NewAttempt): Promise<void> {
  await tx.query(
    `insert into batch_attempts (chain_id, batch_id, tx_hash, signer, nonce, raw_transaction, max_fee_per_gas,
       max_priority_fee_per_gas, gas_limit, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, greatest(now(), (select max(created_at) + interval '1 microsecond'
       from batch_attempts where chain_id = $1 and batch_id = $2)))`,
    [
      attempt.chainId,
      attempt.batchId,
      attempt.txHash,
      attempt.signer,
      attempt.nonce,
      bytesParam(attempt.rawTransaction),
      attempt.fees.maxFeePerGas,
      attempt.fees.maxPriorityFeePerGas,
      attempt.gasLimit,
    ],
  )
}

/** The bytes of every attempt at batches between two ids, both included; those of a batch that was formed anew differ. */
export async function readSignedBytes(
  db: Queryable,
  chainId: number,
  { first, last }: { first: bigint; last: bigint },
): Promise<{ batchId: bigint; raw: Hex }[]> {
  const rows = await db.query<{ batch_id: bigint; raw_transaction: Hex }>(
    `select a.batch_id, ${BYTES} from batch_attempts a where a.chain_id = $1 and a.batch_id between $2 and $3`,
    [chainId, first, last],
  )
  return rows.map((row) => ({ batchId: row.batch_id, raw: row.raw_transaction }))
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
    `select ${BYTES} from batch_attempts a where a.chain_id = $1 and a.tx_hash = $2`,
    [chainId, txHash],
  )
  return row?.raw_transaction
}

/** Signed bytes, and the batch that has their id now, which may be another than they settle. */
export type BytesOfNonce = { raw: Hex; batchId: bigint; digest: Hex }

/**
 * The bytes that a signer signed under a nonce for whatever had the id of the batch that has it now, the best-paid first. Never those of an
 * abandoned batch, whose orders are in other batches by now. Where one of a lost history has taken the id under the same nonce, there are also
 * those of the batch that was planned: whether they settle what the batch does, only they themselves say.
 */
export async function findBytesOfNonce(
  db: Queryable,
  chainId: number,
  signer: string,
  nonce: bigint,
): Promise<BytesOfNonce[]> {
  return await db.query<BytesOfNonce>(
    `select ${shownBytes('a.raw_transaction')} as raw, b.batch_id as "batchId", b.digest
     from batches b join batch_attempts a on a.chain_id = b.chain_id and a.batch_id = b.batch_id
     where b.chain_id = $1 and a.signer = $2 and a.nonce = $3 and b.signer = a.signer and b.nonce = a.nonce
       and b.status <> 'abandoned' order by a.max_fee_per_gas desc, a.max_priority_fee_per_gas desc`,
    [chainId, signer, nonce],
  )
}

/** Whether nodes said last of these bytes that none has them, and that one keeps others under their nonce. */
export async function isOutbid(db: Queryable, chainId: number, txHash: string): Promise<boolean> {
  const rows = await db.query(
    `select from batch_attempts where chain_id = $1 and tx_hash = $2 and last_answer like 'outbid:%'`,
    [chainId, txHash],
  )
  return rows.length > 0
}

/** How many batches back a transaction may be in a node's pool: hours of full blocks. */
const NEWEST_BATCHES = 10_000

/**
 * The most that a signer has offered under a nonce for any of the newest batches, in each field: what replaces it must offer more. Undefined
 * when it has offered nothing. Attempts of a chain have no order but that of their batches.
 */
export async function findDearestOfNonce(
  db: Queryable,
  chainId: number,
  signer: string,
  nonce: bigint,
): Promise<Fees | undefined> {
  const [row] = await db.query<{ fee: string | null; tip: string | null }>(
    `select max(max_fee_per_gas)::text as fee, max(max_priority_fee_per_gas)::text as tip from batch_attempts
     where chain_id = $1 and signer = $2 and nonce = $3
       and batch_id > (select max(batch_id) - ${NEWEST_BATCHES} from batches where chain_id = $1)`,
    [chainId, signer, nonce],
  )
  if (row === undefined || row.fee === null || row.tip === null) return undefined
  return { maxFeePerGas: BigInt(row.fee), maxPriorityFeePerGas: BigInt(row.tip) }
}
