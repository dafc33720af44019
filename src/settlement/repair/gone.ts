/**
 * Final batches that the chain has lost and that nobody here may sign again: of others, as of what a thief has made; and of ours, where somebody
 * has rewritten what they settled. Nothing that is behind one can be executed, and nothing takes its place, until operators give it up: then its
 * id is free.
 */
import type { FollowedHead } from '../finality.ts'
import { isGivenUp } from '../tables/explanations.sql.ts'
import type { FinalBatch } from '../tables/final.sql.ts'
import type { Work } from '../work.ts'
import { giveUpBarred } from './replaced.ts'

/**
 * Says that such a batch is gone, and remembers it, which holds the chain. Gives it up once operators have said so, the block in which it was
 * can come back no more, and for a while nothing could enter a batch of another chain that it may have settled: its bytes may be somewhere and
 * its nonce free, so until a fence is final in its place it may be executed yet.
 * @param batch the one that follows on the last batch of the chain, if it is such a one
 * @throws LeaseLostError
 */
export async function tellGone(work: Work, at: FollowedHead, batch: FinalBatch | undefined): Promise<void> {
  const { db, chain, logger, memory } = work
  const { chainId } = chain.config
  const { gone } = memory.recheck
  memory.recheck.gone = undefined
  if (batch === undefined) return
  const { batchId, minedBlock, isForeign } = batch
  const barredAtMs = gone?.batchId === batchId ? gone.barredAtMs : undefined
  const told = { batchId, isForeign, barredAtMs }
  memory.recheck.gone = told
  logger.fatal({ chainId, batchId: String(batchId) }, isForeign ? NOT_SIGNED : NOT_ITS_ORDERS)
  if (minedBlock > at.finalBlock || !(await isGivenUp(db, chainId, batchId))) return
  await giveUpBarred(work, told)
}

const NOT_SIGNED =
  'the chain has lost a final batch that this database did not make, and it is not signed again: not everything in it is the outcome of an ' +
  'order. Nothing is settled until operators give it up, see "The chain lost a final batch"'

const NOT_ITS_ORDERS =
  'a final batch that the chain has lost is not signed again: its orders are not what it settled. Who can write to the database? Nothing is ' +
  'settled until operators give it up, see "The chain lost a final batch"'
