/** Sees to what is left on chains that are gone for good, whether or not the chains file still names them. */
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { readLostChains } from '../../db/lost-chains.sql.ts'
import { acquireLease, releaseLease, underLease } from '../../leases/leases.sql.ts'
import { createWorkLoop, type WorkLoop } from '../../work-loop.ts'
import { isAnythingOpen } from '../tables/lost-chains.sql.ts'
import { type Ended, endSome, type Failed } from './end-lost.ts'

const POLL_MS = 1_000

export type LostLoopDeps = { db: Database; logger: Logger; holder: string; times: { leaseMs: number } }

/** By chain, the orders that could not be ended, and why: they are tried again once there are no others. */
export type Unended = Map<number, Failed[]>

/** Several processes may each have one: whoever has the chain's lease works. */
export function createLostLoop(deps: LostLoopDeps): WorkLoop {
  const unended: Unended = new Map()
  return createWorkLoop({
    name: 'lost-chains',
    logger: deps.logger,
    pollMs: POLL_MS,
    work: () => endOnLostChains(deps, unended),
  })
}

/** Each chain by itself. @returns whether there may be more to end at once @throws what kept one of them from it, after the others */
export async function endOnLostChains(deps: LostLoopDeps, unended: Unended): Promise<boolean> {
  const ended: boolean[] = []
  const failed: unknown[] = []
  for (const { chainId } of await readLostChains(deps.db))
    await endOn(deps, chainId, unended).then(
      (isMore) => ended.push(isMore),
      (error: unknown) => failed.push(error),
    )
  if (failed.length > 0) throw failed[0]
  return ended.includes(true)
}

async function endOn(deps: LostLoopDeps, chainId: number, unended: Unended): Promise<boolean> {
  const { db, logger, holder, times } = deps
  if (!(await isAnythingOpen(db, chainId))) {
    unended.delete(chainId)
    return false
  }
  // Whoever settled it until now gives it back within a second.
  const lease = await acquireLease(db, `settlement:${chainId}`, holder, times.leaseMs)
  if (lease === undefined) return false
  const kept = unended.get(chainId) ?? []
  unended.delete(chainId)
  const but = kept.map(({ orderId }) => orderId)
  try {
    const ended = await underLease(db, lease, (tx) => endSome(tx, chainId, but))
    const failed = [...kept, ...ended.failed]
    if (!isLast(logger, chainId, ended)) {
      unended.set(chainId, failed)
      return true
    }
    if (failed[0] !== undefined) throw failed[0].error
    return false
  } finally {
    await releaseLease(db, lease)
  }
}

/** Says what has ended. @returns whether that was all that can be ended now */
function isLast(logger: Logger, chainId: number, { batches, orders, isWhole }: Ended): boolean {
  if (batches + orders > 0)
    logger.warn({ chainId, batches, orders }, 'the chain is lost: what was not final there has ended')
  return batches + orders === 0 && isWhole
}
