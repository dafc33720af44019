/**
 * Final batches older than those that each look compares, where the chain has lost these, too, and has them again: each of them may have done
 * something else than before. The block that the chain has them in is another one than they were final in, perhaps one of the same number.
 */
import { agree } from '../../chain/quorum.ts'
import { readBlock } from '../../chain/reads.ts'
import type { BatchRecord } from '../../chain/settlement-reads.ts'
import { ChainError } from '../../chain-errors.ts'
import type { FollowedHead } from '../finality.ts'
import { type FinalBatch, readFinalBefore } from '../tables/final.sql.ts'
import type { Work } from '../work.ts'
import { pairsOf, RECORDS_AT_ONCE, readRecords } from './final-records.ts'
import { compareOutcomes } from './other-outcomes.ts'

/** So often `RECORDS_AT_ONCE` are compared in one look; what is left is compared at the next. */
const REQUESTS = 20

type Compared = { batches: readonly FinalBatch[]; records: readonly BatchRecord[] }

/**
 * Compares them down to the first that the chain has where it was, once by each process.
 * @param newest what was compared just now, all of which is there; the newest first, and behind them perhaps a fence that is far older
 */
export async function compareOlder(work: Work, at: FollowedHead, newest: Compared): Promise<void> {
  const { recheck } = work.memory
  const begun = recheck.older?.next === undefined ? await beginBelow(work, at, newest) : recheck.older
  if (begun === undefined) return
  recheck.older = begun
  for (let requests = 0; requests < REQUESTS && recheck.older.next !== undefined; requests += 1)
    recheck.older = { ...begun, next: await compareBelow(work, at, { ...begun, next: recheck.older.next }) }
}

/** Where to begin: below the oldest of the newest, unless the chain has that one where it was, or may lose it again. */
async function beginBelow(work: Work, at: FollowedHead, { batches, records }: Compared) {
  const { recheck } = work.memory
  const index = Math.min(batches.length, RECORDS_AT_ONCE) - 1
  const [batch, record] = [batches[index], records[index]]
  if (batch === undefined || record === undefined) return undefined
  if (await isWhereItWas(work, at, batch, record)) {
    recheck.isBranchKnown = true
    return undefined
  }
  if (record.blockNumber > at.finalBlock) return undefined
  return { top: batch.batchId, end: recheck.older?.top ?? 0n, next: batch.batchId }
}

/** @returns below which one to go on; undefined where there is nothing more to compare */
async function compareBelow(
  work: Work,
  at: FollowedHead,
  { next, end }: { next: bigint; end: bigint },
): Promise<bigint | undefined> {
  const batches = await readFinalBefore(
    work.db,
    work.chain.config.chainId,
    { before: next, from: end },
    RECORDS_AT_ONCE,
  )
  const records = await readRecords(work, at, batches)
  await compareOutcomes(work, at, pairsOf(batches, records))
  const [last, record] = [batches.at(-1), records.at(-1)]
  if (last === undefined || record === undefined || batches.length < RECORDS_AT_ONCE) return undefined
  return (await isWhereItWas(work, at, last, record)) ? undefined : last.batchId
}

/**
 * By the block's number, and since the last reorganisation also by its hash: another branch may have what it was sent in the same blocks. By its number
 * alone where nodes cannot tell: a node that keeps no blocks as old is to stop nothing. That a batch of others is where it was says nothing of those before
 * it: it may have been read after a restore, which has lost what was known of them.
 */
async function isWhereItWas(work: Work, at: FollowedHead, batch: FinalBatch, record: BatchRecord): Promise<boolean> {
  if (record.blockNumber !== batch.minedBlock) return false
  return work.memory.recheck.isBranchKnown || (!batch.isForeign && (await hasSameBlock(work, at, batch)) !== false)
}

/** Undefined where nodes cannot tell. */
async function hasSameBlock(
  { chain }: Work,
  at: FollowedHead,
  { minedBlock, minedHash }: FinalBatch,
): Promise<boolean | undefined> {
  try {
    const { value } = await agree(at.nodes, chain.config.quorum, (node) => readBlock(node, minedBlock))
    return value === undefined || minedHash === null ? undefined : value.hash === minedHash
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}
