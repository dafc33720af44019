/** Settles a chain as long as it is not lost. */
import type { Logger } from 'pino'
import type { Queryable } from '../../db/database.ts'
import { isChainLost } from '../../db/lost-chains.sql.ts'
import type { Pause } from '../../work-loop.ts'
import type { HoldReason, SettlementMetrics } from '../metrics.ts'

type Working = {
  round(): Promise<Pause>
  resign(): Promise<void>
  state(): { chainId: number; leading: boolean; held: HoldReason }
}

type Deps = {
  db: Queryable
  chain: { config: { chainId: number } }
  logger: Logger
  metrics: Pick<SettlementMetrics, 'leading' | 'lost'>
  times: { leaseMs: number }
}

const LOOK_MS = 1_000

/**
 * Makes what works on a chain until it is lost, and then asks its nodes nothing. Once it is found it leads anew, as after any other gap: whether it
 * is the same chain is asked again, and nothing is remembered of it.
 */
export function unlessLost(
  { db, chain, logger, metrics, times }: Deps,
  leader: Working,
  nowMs: () => number = () => performance.now(),
): Working {
  const { chainId } = chain.config
  const everyMs = Math.min(LOOK_MS, times.leaseMs / 10)
  let isLost = false
  let lookedAtMs = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    if (nowMs() - lookedAtMs < everyMs) return
    const was = isLost
    isLost = await isChainLost(db, chainId)
    lookedAtMs = nowMs()
    if (was === isLost) return
    // The alarm that nobody settles a chain knows of those alone of which a settler says so.
    if (was) return metrics.leading(chainId, false)
    await leader.resign()
    metrics.lost(chainId)
    logger.warn({ chainId }, 'the chain is lost: its nodes are not asked, and nothing is settled there')
  }

  return {
    async round() {
      const failed = await look().catch((error: unknown) => ({ error }))
      if (failed !== undefined && isLost) throw failed.error
      // A leader without its database says that its rounds fail. What it signs for a chain that is lost meanwhile the database refuses.
      return isLost ? { ms: everyMs, wakeable: false } : await leader.round()
    },
    resign: () => leader.resign(),
    state: () => (isLost ? { chainId, leading: false, held: 'none' } : leader.state()),
  }
}
