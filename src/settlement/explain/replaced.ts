/**
 * Whether the chain has lost a batch for good that was final here: it has other instructions under its id, or has nothing there, and nobody signs
 * it again. Only then may operators give up what the database has from there on.
 */
import type { AskedChain } from '../../chain/chain.ts'
import { readPast } from '../../chain/past.ts'
import type { Database } from '../../db/database.ts'
import { readForeignCall } from '../repair/foreign-call.ts'
import { readLostCall } from '../repair/own-call.ts'
import { readRunningHash } from '../tables/batches.sql.ts'
import { type FinalBatch, findFinal } from '../tables/final.sql.ts'
import { isHeldFor } from '../tables/holds.sql.ts'

export type Replaced =
  | 'replaced'
  /** The chain has nothing under its id, and its block cannot come back. */
  | 'gone'
  /** The chain has the batch, or nothing under its id yet. */
  | 'own_batch'
  /** The batch before is not that of the chain either. */
  | 'not_first'
  /** The chain has nothing under its id, but may have it again. */
  | 'not_final'
  /** The chain has nothing under its id, and the settler signs it again. */
  | 'signed_again'

/**
 * Asks the nodes, where the settler says that something is wrong.
 * @throws ChainError when too few nodes answer, or agree
 */
export async function proveReplaced(db: Database, { config, nodes }: AskedChain, batchId: bigint): Promise<Replaced> {
  const { chainId } = config
  const own = await findFinal(db, chainId, batchId)
  if (own === undefined || !(await isHeldFor(db, chainId, 'batch-conflict'))) return 'own_batch'
  const past = await readPast(config, nodes)
  const outcome = await past.outcomeOf(batchId)
  if (outcome?.digest === own.digest) return 'own_batch'
  if (outcome === undefined ? await isSignedAgain(db, chainId, own) : !outcome.final) return 'own_batch'
  if (batchId > 1n) {
    const before = await findFinal(db, chainId, batchId - 1n)
    if (before === undefined || (await past.outcomeOf(batchId - 1n))?.digest !== before.digest) return 'not_first'
  }
  if (outcome !== undefined) return 'replaced'
  const follows =
    past.lastBatchId === batchId - 1n && past.runningHash === (await readRunningHash(db, chainId, batchId - 1n))
  if (!follows) return 'not_first'
  if (own.isForeign && (await readForeignCall(db, chainId, own)) !== undefined) return 'signed_again'
  return own.minedBlock <= past.finalBlock ? 'gone' : 'not_final'
}

/** Of ours, unless somebody has rewritten its orders. */
async function isSignedAgain(db: Database, chainId: number, own: FinalBatch): Promise<boolean> {
  return !own.isForeign && (await readLostCall(db, chainId, own)) !== undefined
}
