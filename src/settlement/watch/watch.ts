/**
 * Watches the chain for what nobody here asked for: batches, coin made or destroyed outside batches, changes of roles, limits and code, and what the
 * timelock is about to do. All but the last is seen by reading state; logs, where nodes serve them, only name the transactions. What was there before
 * the first look of this settler is no news.
 */
import { ChainError } from '../../chain-errors.ts'
import { LeaseLostError } from '../../leases/leases.sql.ts'
import type { FollowedHead } from '../finality.ts'
import type { Work } from '../work.ts'
import { keepDone } from './changed.ts'
import { watchPowers } from './powers.ts'
import { watchSupply } from './supply.ts'
import { TOLD_AT, watchTimelock } from './timelock.ts'

/** Never fails a round: nodes that cannot tell are asked again at the next head, and so is everything else that went wrong. */
export async function watchChain(work: Work, at: FollowedHead): Promise<void> {
  const { memory, logger } = work
  if (memory.follow.behindSinceMs !== undefined) return await keepUnlooked(work)
  const unread: unknown[] = []
  for (const watch of [watchSupply, watchPowers, watchTimelock]) {
    try {
      await watch(work, at)
    } catch (error) {
      if (error instanceof LeaseLostError) throw error
      if (watch === watchSupply && error instanceof ChainError) await keepUnlooked(work)
      const level = error instanceof ChainError ? 'debug' : 'error'
      logger[level]({ chainId: work.chain.config.chainId, err: error }, 'the chain could not be watched')
      // That the timelock is not read it says itself.
      if (error instanceof ChainError && watch !== watchTimelock) unread.push(error)
    }
  }
  memory.watch.failures = unread.length === 0 ? 0 : memory.watch.failures + 1
  const fields = { chainId: work.chain.config.chainId, err: unread[0] }
  if (memory.watch.failures === TOLD_AT)
    logger.warn(fields, 'the chain is not watched: nobody sees what others do there until nodes answer')
}

/** Where nobody could look, what the last looks have seen is kept by what the database has now: later in the round it may learn more. */
async function keepUnlooked(work: Work): Promise<void> {
  try {
    await keepDone(work)
  } catch (error) {
    // Whoever learns more needs the same database, and says that it is away.
    work.logger.debug({ chainId: work.chain.config.chainId, err: error }, 'what the last looks have seen was not kept')
  }
}
