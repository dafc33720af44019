/** The tables of settlement: chains, signers, batches and their attempts. Writes run under the chain's lease. */
import type { Hex } from 'viem'
import type { Fees } from '../chain/fees.ts'
import type { Queryable } from '../db/database.ts'

export type ChainRow = {
  coinAddress: string
  settlementAddress: string
  genesisHash: string
  observedBlock: bigint
  observedHash: string | null
  nextBatchId: bigint
}

/** Undefined before the chain was first registered. */
export async function findChain(db: Queryable, chainId: number): Promise<ChainRow | undefined> {
  const [row] = await db.query<{
    coin_address: string
    settlement_address: string
    genesis_hash: string
    observed_block: bigint
    observed_hash: string | null
    next_batch_id: bigint
  }>('select * from chains where chain_id = $1', [chainId])
  if (row === undefined) return undefined
  return {
    coinAddress: row.coin_address,
    settlementAddress: row.settlement_address,
    genesisHash: row.genesis_hash,
    observedBlock: row.observed_block,
    observedHash: row.observed_hash,
    nextBatchId: row.next_batch_id,
  }
}

/** Registers a chain; does nothing when it is registered. */
export async function insertChain(
  db: Queryable,
  chainId: number,
  chain: Omit<ChainRow, 'nextBatchId' | 'observedHash'> & { observedHash: string },
): Promise<void> {
  await db.query(
    `insert into chains (chain_id, coin_address, settlement_address, genesis_hash, observed_block, observed_hash)
     values ($1, $2, $3, $4, $5, $6) on conflict (chain_id) do nothing`,
    [chainId, chain.coinAddress, chain.settlementAddress, chain.genesisHash, chain.observedBlock, chain.observedHash],
  )
}

/** Publishes the block up to which every batch is recorded. */
export async function moveObservedBlock(tx: Queryable, chainId: number, number: bigint, hash: string): Promise<void> {
  await tx.query('update chains set observed_block = $2, observed_hash = $3 where chain_id = $1', [
    chainId,
    number,
    hash,
  ])
}

/** Raises a signer's next nonce to what the chain says, never lowers it. Returns the nonce now next. */
export async function reconcileNonce(tx: Queryable, chainId: number, signer: string, nonce: bigint): Promise<bigint> {
  const [row] = await tx.query<{ next_nonce: bigint }>(
    `insert into signers as s (chain_id, address, next_nonce) values ($1, $2, $3)
     on conflict (chain_id, address) do update set next_nonce = greatest(s.next_nonce, excluded.next_nonce)
     returning next_nonce`,
    [chainId, signer, nonce],
  )
  return row?.next_nonce ?? nonce
}

/** The signers' next nonces, as far as they are registered. */
export async function readNextNonces(db: Queryable, chainId: number): Promise<Map<string, bigint>> {
  const rows = await db.query<{ address: string; next_nonce: bigint }>(
    'select address, next_nonce from signers where chain_id = $1',
    [chainId],
  )
  return new Map(rows.map((row) => [row.address, row.next_nonce]))
}

/** Takes a signer's nonce. Returns false when another one is next by now. */
export async function takeNonce(tx: Queryable, chainId: number, signer: string, nonce: bigint): Promise<boolean> {
  const rows = await tx.query(
    'update signers set next_nonce = $3 + 1 where chain_id = $1 and address = $2 and next_nonce = $3 returning address',
    [chainId, signer, nonce],
  )
  return rows.length === 1
}

/** Takes the chain's next batch id. Returns false when another one is next by now. */
export async function takeBatchId(tx: Queryable, chainId: number, batchId: bigint): Promise<boolean> {
  const rows = await tx.query(
    'update chains set next_batch_id = $2 + 1 where chain_id = $1 and next_batch_id = $2 returning chain_id',
    [chainId, batchId],
  )
  return rows.length === 1
}

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

export type NewAttempt = {
  chainId: number
  batchId: bigint
  txHash: string
  nonce: bigint
  rawTransaction: string
  fees: Fees
  gasLimit: bigint
}

/** Stores signed bytes. Nothing is broadcast before the transaction around it has committed. */
export async function insertAttempt(tx: Queryable, attempt: NewAttempt): Promise<void> {
  await tx.query(
    `insert into batch_attempts (chain_id, batch_id, tx_hash, nonce, raw_transaction, max_fee_per_gas,
       max_priority_fee_per_gas, gas_limit)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      attempt.chainId,
      attempt.batchId,
      attempt.txHash,
      attempt.nonce,
      attempt.rawTransaction,
      attempt.fees.maxFeePerGas,
      attempt.fees.maxPriorityFeePerGas,
      attempt.gasLimit,
    ],
  )
}

/** Remembers what nodes answered, so that bytes are not sent again too soon. */
export async function recordBroadcast(tx: Queryable, chainId: number, txHash: string, answer: string): Promise<void> {
  await tx.query(
    'update batch_attempts set last_broadcast_at = now(), last_answer = $3 where chain_id = $1 and tx_hash = $2',
    [chainId, txHash, answer.slice(0, 300)],
  )
}

/** An attempt, without its bytes. Ages are by the database's clock; `sinceBroadcastMs` is null when never broadcast. */
export type Attempt = {
  txHash: Hex
  nonce: bigint
  fees: Fees
  gasLimit: bigint
  ageMs: number
  sinceBroadcastMs: number | null
}

/** A batch that is not decided yet. `attempts` are oldest first and may be of earlier nonces too. */
export type InFlightBatch = {
  batchId: bigint
  signer: string
  nonce: bigint
  digest: string
  orderCount: number
  status: 'signed' | 'mined'
  reverts: number
  minedBlock: bigint | null
  minedHash: string | null
  minedTxHash: string | null
  attempts: Attempt[]
}

type InFlightRow = {
  batch_id: bigint
  signer: string
  nonce: bigint
  digest: string
  order_count: number
  status: 'signed' | 'mined'
  reverts: number
  mined_block: bigint | null
  mined_hash: string | null
  mined_tx_hash: string | null
  tx_hash: Hex | null
  attempt_nonce: bigint
  max_fee_per_gas: string
  max_priority_fee_per_gas: string
  gas_limit: bigint
  age_ms: number
  since_broadcast_ms: number | null
}

/** All undecided batches of a chain in the sequence of their ids. */
export async function readInFlight(db: Queryable, chainId: number): Promise<InFlightBatch[]> {
  const rows = await db.query<InFlightRow>(
    `select b.batch_id, b.signer, b.nonce, b.digest, b.order_count, b.status, b.reverts, b.mined_block, b.mined_hash, b.mined_tx_hash,
       a.tx_hash, a.nonce as attempt_nonce, a.max_fee_per_gas, a.max_priority_fee_per_gas, a.gas_limit,
       (extract(epoch from now() - a.created_at) * 1000)::float8 as age_ms,
       (extract(epoch from now() - a.last_broadcast_at) * 1000)::float8 as since_broadcast_ms
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
    reverts: row.reverts,
    minedBlock: row.mined_block,
    minedHash: row.mined_hash,
    minedTxHash: row.mined_tx_hash,
    attempts: [],
  }
}

function attemptOf(row: InFlightRow, txHash: Hex): Attempt {
  return {
    txHash,
    nonce: row.attempt_nonce,
    fees: { maxFeePerGas: BigInt(row.max_fee_per_gas), maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas) },
    gasLimit: row.gas_limit,
    ageMs: row.age_ms,
    sinceBroadcastMs: row.since_broadcast_ms,
  }
}

/** The bytes of one attempt. */
export async function readRawTransaction(db: Queryable, chainId: number, txHash: string): Promise<Hex | undefined> {
  const [row] = await db.query<{ raw_transaction: Hex }>(
    'select raw_transaction from batch_attempts where chain_id = $1 and tx_hash = $2',
    [chainId, txHash],
  )
  return row?.raw_transaction
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

/** Moves a batch whose nonce was used up without an outcome to another nonce. */
export async function renewNonce(
  tx: Queryable,
  chainId: number,
  batchId: bigint,
  from: bigint,
  to: bigint,
  reverts: number,
): Promise<boolean> {
  const rows = await tx.query(
    `update batches set nonce = $4, reverts = $5 where chain_id = $1 and batch_id = $2 and nonce = $3 and status = 'signed'
     returning batch_id`,
    [chainId, batchId, from, to, reverts],
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

/** Bytes that were signed under a nonce, the best paid ones. */
export async function findBytesOfNonce(
  db: Queryable,
  chainId: number,
  signer: string,
  nonce: bigint,
): Promise<Hex | undefined> {
  const [row] = await db.query<{ raw_transaction: Hex }>(
    `select a.raw_transaction from batches b join batch_attempts a on a.chain_id = b.chain_id and a.batch_id = b.batch_id
     where b.chain_id = $1 and b.signer = $2 and a.nonce = $3 order by a.max_fee_per_gas desc limit 1`,
    [chainId, signer, nonce],
  )
  return row?.raw_transaction
}
