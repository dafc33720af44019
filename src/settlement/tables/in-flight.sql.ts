/** Batches that are not decided yet, with their attempts. */
import type { Hex } from 'viem'
import type { BroadcastVerdict } from '../../chain/broadcast.ts'
import type { Fees } from '../../chain/fees.ts'
import type { Queryable } from '../../db/database.ts'

/**
 * An attempt without its bytes. `sinceBroadcastMs`, by the database's clock, and `verdict`, the nodes' last answer, are
 * null when it was never broadcast.
 */
export type Attempt = {
  txHash: Hex
  signer: string
  nonce: bigint
  fees: Fees
  gasLimit: bigint
  sinceBroadcastMs: number | null
  verdict: BroadcastVerdict | null
}

/** A batch that is not decided yet. `attempts` are oldest first and may include earlier nonces. */
export type InFlightBatch = {
  batchId: bigint
  signer: string
  nonce: bigint
  digest: string
  orderCount: number
  status: 'signed' | 'mined'
  minedBlock: bigint | null
  minedHash: string | null
  /** The transaction that carries it, as partners see it; null while it was adopted and not found yet. */
  txHash: string | null
  attempts: Attempt[]
}

/** The attempts that compete for the batch's present nonce, oldest first. Under earlier nonces nothing can execute. */
export function presentAttempts({ signer, nonce, attempts }: InFlightBatch): Attempt[] {
  return attempts.filter((attempt) => attempt.signer === signer && attempt.nonce === nonce)
}

type InFlightRow = {
  batch_id: bigint
  signer: string
  nonce: bigint
  digest: string
  order_count: number
  status: 'signed' | 'mined'
  mined_block: bigint | null
  mined_hash: string | null
  carrier_hash: string | null
  tx_hash: Hex | null
  attempt_signer: string
  attempt_nonce: bigint
  max_fee_per_gas: string
  max_priority_fee_per_gas: string
  gas_limit: bigint
  since_broadcast_ms: number | null
  verdict: BroadcastVerdict | null
}

/** All undecided batches of a chain in the order of their ids. */
export async function readInFlight(db: Queryable, chainId: number): Promise<InFlightBatch[]> {
  const rows = await db.query<InFlightRow>(
    `select b.batch_id, b.signer, b.nonce, b.digest, b.order_count, b.status, b.mined_block, b.mined_hash,
       b.tx_hash as carrier_hash,
       a.tx_hash, a.signer as attempt_signer, a.nonce as attempt_nonce, a.max_fee_per_gas, a.max_priority_fee_per_gas, a.gas_limit,
       (extract(epoch from now() - a.last_broadcast_at) * 1000)::float8 as since_broadcast_ms,
       split_part(a.last_answer, ':', 1) as verdict
     from batches b left join batch_attempts a on a.chain_id = b.chain_id and a.batch_id = b.batch_id
     where b.chain_id = $1 and b.status in ('signed', 'mined')
     order by b.batch_id, a.created_at, a.max_fee_per_gas`,
    [chainId],
  )
  const batches = new Map<bigint, InFlightBatch>()
  for (const row of rows) {
    const batch = batches.get(row.batch_id) ?? batchOf(row)
    batches.set(row.batch_id, batch)
    if (row.tx_hash !== null) batch.attempts.push(attemptOf(row, row.tx_hash))
  }
  return [...batches.values()]
}

function batchOf(row: InFlightRow): InFlightBatch {
  return {
    batchId: row.batch_id,
    signer: row.signer,
    nonce: row.nonce,
    digest: row.digest,
    orderCount: row.order_count,
    status: row.status,
    minedBlock: row.mined_block,
    minedHash: row.mined_hash,
    txHash: row.carrier_hash,
    attempts: [],
  }
}

function attemptOf(row: InFlightRow, txHash: Hex): Attempt {
  return {
    txHash,
    signer: row.attempt_signer,
    nonce: row.attempt_nonce,
    fees: { maxFeePerGas: BigInt(row.max_fee_per_gas), maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas) },
    gasLimit: row.gas_limit,
    sinceBroadcastMs: row.since_broadcast_ms,
    verdict: row.verdict,
  }
}
