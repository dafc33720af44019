/**
 * Whether the chain has other instructions, for good, under the id of a batch that was final here: only then may operators give up what
 * the database has from there on.
 */
import type { RpcNode } from '../../chain/node.ts'
import { type Past, readPast } from '../../chain/past.ts'
import type { ChainConfig } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { areAnyForeignFrom, findFinal } from '../tables/final.sql.ts'
import { isHeldFor } from '../tables/holds.sql.ts'

export type Replaced =
  | 'replaced'
  /** The chain has the batch, or nothing under its id yet. */
  | 'own_batch'
  /** The batch before is not that of the chain either. */
  | 'not_first'
  /** Others made one behind it, which was read; what that settled would have to be undone. */
  | 'foreign_behind'

/**
 * Asks the nodes, where the settler says that something is wrong.
 * @throws ChainError when too few nodes answer, or agree
 */
export async function proveReplaced(
  db: Database,
  { config, nodes }: { config: ChainConfig; nodes: readonly RpcNode[] },
  batchId: bigint,
): Promise<Replaced> {
  const { chainId } = config
  if (!(await isHeldFor(db, chainId, 'batch-conflict'))) return 'own_batch'
  const past = await readPast(config, nodes)
  if ((await likeChain(db, past, { chainId, batchId })) !== 'other') return 'own_batch'
  if (batchId > 1n && (await likeChain(db, past, { chainId, batchId: batchId - 1n })) !== 'same') return 'not_first'
  return (await areAnyForeignFrom(db, chainId, batchId)) ? 'foreign_behind' : 'replaced'
}

async function likeChain(
  db: Database,
  past: Past,
  { chainId, batchId }: { chainId: number; batchId: bigint },
): Promise<'same' | 'other' | 'unknown'> {
  const [own, outcome] = [await findFinal(db, chainId, batchId), await past.outcomeOf(batchId)]
  if (own === undefined || outcome === undefined) return 'unknown'
  if (own.digest === outcome.digest) return 'same'
  return outcome.final ? 'other' : 'unknown'
}
