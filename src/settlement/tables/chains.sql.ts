/** The tables `chains` and `signers`. Writes run under the chain's lease. */
import type { Hex } from 'viem'
import type { Queryable } from '../../db/database.ts'
import { DATABASE_TIMELINE } from '../../db/timeline.sql.ts'
import { FENCE_STATE, type FenceState, IS_TIMELINE_NOTED } from './fences.sql.ts'

export type ChainRow = {
  coinAddress: string
  settlementAddress: string
  genesisHash: string
  observedBlock: bigint
  observedHash: string | null
  nextBatchId: bigint
  /** The contract's running hash once every batch before the next one is settled. */
  runningHash: Hex
  /** Something happened on it that nobody asked for, and settlement waits for an operator. */
  isPaused: boolean
  /** The database's timeline on which this was read. */
  databaseTimeline: string
  /** Whether anything was accepted on it, or a settler has noted it. */
  isTimelineNoted: boolean
  fence: FenceState
}

/** The chain's row; undefined before it was first registered. */
export async function findChain(db: Queryable, chainId: number): Promise<ChainRow | undefined> {
  const [row] = await db.query<{
    coin_address: string
    settlement_address: string
    genesis_hash: string
    observed_block: bigint
    observed_hash: string | null
    next_batch_id: bigint
    running_hash: Hex
    is_paused: boolean
    database_timeline: string
    is_noted: boolean
    fence: FenceState
  }>(
    `select c.*, ${DATABASE_TIMELINE} as database_timeline, ${IS_TIMELINE_NOTED} as is_noted, ${FENCE_STATE} as fence, exists (select from foreign_movements m where m.chain_id = c.chain_id and m.ended_at is null and m.pauses) as is_paused
     from chains c where c.chain_id = $1`,
    [chainId],
  )
  if (row === undefined) return undefined
  return {
    coinAddress: row.coin_address,
    settlementAddress: row.settlement_address,
    genesisHash: row.genesis_hash,
    observedBlock: row.observed_block,
    observedHash: row.observed_hash,
    nextBatchId: row.next_batch_id,
    runningHash: row.running_hash,
    isPaused: row.is_paused,
    databaseTimeline: row.database_timeline,
    isTimelineNoted: row.is_noted,
    fence: row.fence,
  }
}

/** Registers a chain; does nothing when it is registered. */
export async function insertChain(
  db: Queryable,
  chainId: number,
  chain: Pick<ChainRow, 'coinAddress' | 'settlementAddress' | 'genesisHash' | 'observedBlock'> & {
    observedHash: string
    /** Its contracts have batches: another database of this service may be lost. */
    hasHistory?: boolean
  },
): Promise<void> {
  await db.query(
    `insert into chains (chain_id, coin_address, settlement_address, genesis_hash, observed_block, observed_hash, fenced_on)
     values ($1, $2, $3, $4, $5, $6, case when not $7::boolean then ${DATABASE_TIMELINE} end) on conflict (chain_id) do nothing`,
    [
      chainId,
      chain.coinAddress,
      chain.settlementAddress,
      chain.genesisHash,
      chain.observedBlock,
      chain.observedHash,
      chain.hasHistory ?? false,
    ],
  )
}

/** The limits as its settlers last compared them, as they wrote them; undefined before the first did. */
export async function findWatchedLimits(db: Queryable, chainId: number): Promise<string | undefined> {
  const [row] = await db.query<{ watched_limits: string | null }>(
    'select watched_limits from chains where chain_id = $1',
    [chainId],
  )
  return row?.watched_limits ?? undefined
}

export async function setWatchedLimits(tx: Queryable, chainId: number, limits: string): Promise<void> {
  await tx.query('update chains set watched_limits = $2 where chain_id = $1', [chainId, limits])
}

/** Waits for whoever changes the chain's history, and keeps others from it until the transaction ends. */
export async function lockChain(tx: Queryable, chainId: number): Promise<void> {
  await tx.query('select from chains where chain_id = $1 for update', [chainId])
}

/** Publishes the block up to which every batch is recorded, and that the chain was seen. */
export async function moveObservedBlock(tx: Queryable, chainId: number, number: bigint, hash: string): Promise<void> {
  await tx.query('update chains set observed_block = $2, observed_hash = $3, observed_at = now() where chain_id = $1', [
    chainId,
    number,
    hash,
  ])
}

/** The chain was seen, whatever could be recorded of it. */
export async function noteSeen(tx: Queryable, chainId: number): Promise<void> {
  await tx.query('update chains set observed_at = now() where chain_id = $1', [chainId])
}

/** Raises a signer's next nonce to what the chain says and never lowers it. Returns the nonce that is next now. */
export async function reconcileNonce(tx: Queryable, chainId: number, signer: string, nonce: bigint): Promise<bigint> {
  const [row] = await tx.query<{ next_nonce: bigint }>(
    `insert into signers as s (chain_id, address, next_nonce) values ($1, $2, $3)
     on conflict (chain_id, address) do update set next_nonce = greatest(s.next_nonce, excluded.next_nonce)
     returning next_nonce`,
    [chainId, signer, nonce],
  )
  return row?.next_nonce ?? nonce
}

/** The next nonces of the registered signers. */
export async function readNextNonces(db: Queryable, chainId: number): Promise<Map<string, bigint>> {
  const rows = await db.query<{ address: string; next_nonce: bigint }>(
    'select address, next_nonce from signers where chain_id = $1',
    [chainId],
  )
  return new Map(rows.map((row) => [row.address, row.next_nonce]))
}

/** Of so many of the newest batches the nonces count that were signed for them. */
const NEWEST_BATCHES = 1_000

/** Takes a signer's next nonce back to what the chain, or a batch that this database has, says. Returns the one that is next now. */
export async function takeNonceBack(
  tx: Queryable,
  chainId: number,
  signer: string,
  { stored, onChain }: { stored: bigint; onChain: bigint },
): Promise<bigint> {
  const [row] = await tx.query<{ next_nonce: bigint }>(
    `update signers set next_nonce = least(next_nonce, greatest($3::bigint,
       (select max(least(nonce, $4::bigint - 1)) + 1 from batches where chain_id = $1 and signer = $2 and status in ('signed', 'mined')),
       (select max(least(nonce, $4::bigint - 1)) + 1 from batch_attempts where chain_id = $1 and signer = $2
          and batch_id > (select max(batch_id) - ${NEWEST_BATCHES} from batches where chain_id = $1))))
     where chain_id = $1 and address = $2 and next_nonce = $4 returning next_nonce`,
    [chainId, signer, onChain, stored],
  )
  return row?.next_nonce ?? stored
}

/** Takes a signer's nonce. Returns false when a different one is next by now. */
export async function takeNonce(tx: Queryable, chainId: number, signer: string, nonce: bigint): Promise<boolean> {
  const rows = await tx.query(
    'update signers set next_nonce = $3 + 1 where chain_id = $1 and address = $2 and next_nonce = $3 returning address',
    [chainId, signer, nonce],
  )
  return rows.length === 1
}

/** Sets the id and history of the next batch, whatever was planned before. */
export async function setNextBatch(
  tx: Queryable,
  chainId: number,
  { batchId, previous }: { batchId: bigint; previous: Hex },
): Promise<void> {
  await tx.query('update chains set next_batch_id = $2, running_hash = $3 where chain_id = $1', [
    chainId,
    batchId,
    previous,
  ])
}

/** Takes the chain's next batch id, on the history before it. Returns false when a different one is next by now. */
export async function takeBatchId(
  tx: Queryable,
  chainId: number,
  { batchId, previous, runningHash }: { batchId: bigint; previous: Hex; runningHash: Hex },
): Promise<boolean> {
  const rows = await tx.query(
    `update chains set next_batch_id = $2 + 1, running_hash = $4
     where chain_id = $1 and next_batch_id = $2 and running_hash = $3 returning chain_id`,
    [chainId, batchId, previous, runningHash],
  )
  return rows.length === 1
}
