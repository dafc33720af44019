/** Sees to what is left on chains that are gone for good, whether or not the chains file still names them. */
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { readLostChains } from '../../db/lost-chains.sql.ts'
import { acquireLease, releaseLease, underLease } from '../../leases/leases.sql.ts'
import { createWorkLoop, type WorkLoop } from '../../work-loop.ts'
import { isAnythingOpen } from '../tables/lost-chains.sql.ts'
import { type Ended, endSome } from './end-lost.ts'

const POLL_MS = 1_000

export type LostLoopDeps = { db: Database; logger: Logger; holder: string; times: { leaseMs: number } }

/** Several processes may each have one: whoever has the chain's lease works. */
export function createLostLoop(deps: LostLoopDeps): WorkLoop {
  return createWorkLoop({
    name: 'lost-chains',
    logger: deps.logger,
    pollMs: POLL_MS,
    work: () => endOnLostChains(deps),
  })
}

/** Each chain by itself. @returns whether there may be more to end at once @throws what kept one of them from it, after the others */
export async function endOnLostChains(deps: LostLoopDeps): Promise<boolean> {
  const ended: boolean[] = []
  const failed: unknown[] = []
  for (const { chainId } of await readLostChains(deps.db))
    await endOn(deps, chainId).then(
      (isMore) => ended.push(isMore),
      (error: unknown) => failed.push(error),
    )
  if (failed.length > 0) throw failed[0]
  return ended.includes(true)
}

async function endOn({ db, logger, holder, times }: LostLoopDeps, chainId: number): Promise<boolean> {
  if (!(await isAnythingOpen(db, chainId))) return false
  // Whoever settled it until now gives it back within a second.
  const lease = await acquireLease(db, `settlement:${chainId}`, holder, times.leaseMs)
  if (lease === undefined) return false
  try {
    return tell(logger, chainId, await underLease(db, lease, (tx) => endSome(tx, chainId)))
  } finally {
    await releaseLease(db, lease)
  }
}

/** @throws what kept orders from it, once there are no others */
function tell(logger: Logger, chainId: number, { batches, orders, failed }: Ended): boolean {
  if (batches + orders > 0) {
    logger.warn({ chainId, batches, orders }, 'the chain is lost: what was not final there has ended')
    return true
  }
  if (failed.length > 0) throw failed[0]
  return false
}
