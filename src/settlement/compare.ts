/** Before a chain is settled: whether it, and its contracts, are those of the database. What is wrong is shown as what holds the chain. */
import type { Logger } from 'pino'
import type { Chain } from '../chain/chain.ts'
import { ChainError } from '../chain-errors.ts'
import type { Database } from '../db/database.ts'
import { isHeldByAnother } from '../leases/leases.sql.ts'
import type { Pause } from '../work-loop.ts'
import type { SettlementMetrics } from './metrics.ts'
import { ChainMismatchError, type registerChain } from './register.ts'
import { writeHold } from './tables/holds.sql.ts'

export type ComparisonDeps = { db: Database; chain: Chain; logger: Logger; metrics: SettlementMetrics; holder: string }

export type Comparison = {
  /** Asks the chain. Resolves to the pause before the next time where it is another chain, and to undefined where it is the right one. */
  make(): Promise<Pause | undefined>
  /** Whether the chain was found to be the right one before. */
  isMade(): boolean
  /** Whether it was another one the last time. */
  isMismatched(): boolean
}

/** The pause when chain or contracts are not those of the database, which only an operator can change. */
const MISMATCH_PAUSE_MS = 10_000

/** Makes what compares one chain with the database. `make` throws ChainError when the chain cannot be read, after telling so. */
export function createComparison(deps: ComparisonDeps, register: typeof registerChain): Comparison {
  const { db, chain, logger, metrics, holder } = deps
  const { chainId } = chain.config
  let isMade = false
  let isMismatched = false
  let isUnreadable = false

  /** Where another one settles the chain, it may be this process that has the wrong addresses: what holds the chain is the other's to say. */
  const isSettledElsewhere = () => isHeldByAnother(db, `settlement:${chainId}`, holder)

  /** Where nobody settles a chain that cannot be read, whoever looks is to learn that, and not to start another settler. */
  async function tellUnreadable(error: ChainError): Promise<void> {
    if (await isSettledElsewhere()) return
    isUnreadable = true
    metrics.held(chainId, 'round-failed')
    await writeHold(db, chainId, {
      reason: 'round-failed',
      details: JSON.stringify({ error: error.message }),
      blocked: [],
    })
  }

  async function tellMismatch(error: ChainMismatchError): Promise<void> {
    isMismatched = true
    metrics.held(chainId, 'chain-mismatch')
    logger.fatal({ chainId }, error.message)
    if (await isSettledElsewhere()) return
    await writeHold(db, chainId, { reason: 'chain-mismatch', details: error.message, blocked: [] })
  }

  return {
    isMade: () => isMade,
    isMismatched: () => isMismatched,
    async make() {
      try {
        // Contracts too, each time: what happened to them while nobody watched is news to no watch (watch/watch.ts).
        for (const missing of await register(db, chain)) logger.warn({ chainId }, missing)
        isMade = true
        // Otherwise whoever stands by from now on would go on saying so.
        if (isMismatched || isUnreadable) metrics.leading(chainId, false)
        isMismatched = false
        isUnreadable = false
        return undefined
      } catch (error) {
        if (error instanceof ChainError) await tellUnreadable(error)
        if (!(error instanceof ChainMismatchError)) throw error
        await tellMismatch(error)
        return { ms: MISMATCH_PAUSE_MS, wakeable: false }
      }
    },
  }
}
