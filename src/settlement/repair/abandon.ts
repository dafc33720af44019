/**
 * Abandons batches that can never execute: their nonce was used up at full depth without an outcome, or another batch
 * has the id. Every batch behind one names its history and so cannot execute either. Their orders await another batch, but for redeems that an earlier
 * one of theirs has burnt after all meanwhile: people decide.
 */
import type { Queryable } from '../../db/database.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { requeueOrders } from '../../orders/life/signed.sql.ts'
import type { Moves } from '../follow/moves.ts'
import { FIRST_SEARCH } from '../form/search.ts'
import { abandonFrom, markUnmined, readMinedFrom, readRunningHash } from '../tables/batches.sql.ts'
import { setNextBatch } from '../tables/chains.sql.ts'
import { findBurntBeside } from '../tables/outcomes.sql.ts'
import type { Work } from '../work.ts'
import { BURNT_BESIDE, holdFor } from './hold-minting.ts'

/** Abandons a batch and everything behind it. The caller sets what comes next. Returns their ids. */
export async function abandon(tx: Queryable, chainId: number, batchId: bigint): Promise<bigint[]> {
  // A reorganisation may have put another batch in the place of one that was mined.
  for (const mined of await readMinedFrom(tx, chainId, batchId)) await markUnmined(tx, chainId, mined)
  const abandoned = await abandonFrom(tx, chainId, batchId)
  for (const each of abandoned) await requeueOrders(tx, { chainId, batchId: each })
  await holdFor(tx, await findBurntBeside(tx, chainId, abandoned, batchId), BURNT_BESIDE)
  return abandoned
}

/** Abandons dead batches; their orders go into new batches under the same ids. */
export async function abandonDead(work: Work, dead: Moves['dead']): Promise<void> {
  const { db, chain, lease, logger, memory, metrics } = work
  const { chainId } = chain.config
  const [first] = dead
  if (first === undefined) return
  const { batchId } = first.batch
  const abandoned = await underLease(db, lease, async (tx) => {
    const ids = await abandon(tx, chainId, batchId)
    const previous = await readRunningHash(tx, chainId, batchId - 1n)
    if (ids.length > 0) await setNextBatch(tx, chainId, { batchId, previous })
    return ids
  })
  await work.onStep('batches-abandoned')
  memory.form.search = FIRST_SEARCH
  const fields = { chainId, batchId: String(batchId), abandoned: abandoned.length }
  for (const { byUs } of dead) if (byUs) metrics.reverted(chainId)
  if (first.byUs)
    logger.warn(fields, 'a batch reverted; its orders, and those of batches behind it, await another batch')
  else
    logger.error(
      { ...fields, nonce: String(first.batch.nonce) },
      'a foreign transaction used the nonce of a batch, whose orders await another one: is the key in use elsewhere?',
    )
}
