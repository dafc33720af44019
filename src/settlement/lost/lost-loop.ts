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

/** @returns whether there may be more to end at once */
export async function endOnLostChains({ db, logger, holder, times }: LostLoopDeps): Promise<boolean> {
  let isMore = false
  for (const { chainId } of await readLostChains(db)) {
    if (!(await isAnythingOpen(db, chainId))) continue
    // Whoever settled it until now gives it back within a second.
    const lease = await acquireLease(db, `settlement:${chainId}`, holder, times.leaseMs)
    if (lease === undefined) continue
    try {
      const ended = await underLease(db, lease, (tx) => endSome(tx, chainId))
      if (tell(logger, chainId, ended)) isMore = true
    } finally {
      await releaseLease(db, lease)
    }
  }
  return isMore
}

function tell(logger: Logger, chainId: number, { batches, orders }: Ended): boolean {
  if (batches + orders === 0) return false
  logger.warn({ chainId, batches, orders }, 'the chain is lost: what was not final there has failed')
  return true
}
