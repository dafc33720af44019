/** Which chains are lost, as far as this process knows: within seconds of when operators have said so, or that one was found. */
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { readLostChains } from '../../db/lost-chains.sql.ts'
import { createWorkLoop, type WorkLoop } from '../../work-loop.ts'

const POLL_MS = 2_000

export type LostWatch = Pick<WorkLoop, 'start' | 'stop'> & {
  isLost(chainId: number): boolean
  /** Those of the chains that are not lost, in their sequence; the map changes with what is known. */
  offered<T>(chains: ReadonlyMap<number, T>): ReadonlyMap<number, T>
}

/** Looks once, and makes the watch. Where the database does not answer, what was known stays. @throws the database's error */
export async function createLostWatch(deps: { db: Database; logger: Logger; pollMs?: number }): Promise<LostWatch> {
  const { db, logger, pollMs = POLL_MS } = deps
  let lost: ReadonlySet<number> = new Set()
  const refills: (() => void)[] = []

  async function look(): Promise<void> {
    const now = new Set((await readLostChains(db)).map(({ chainId }) => chainId))
    if (now.symmetricDifference(lost).size === 0) return
    lost = now
    for (const refill of refills) refill()
  }

  await look()
  const loop = createWorkLoop({
    name: 'lost-chains-watch',
    logger,
    pollMs,
    async work() {
      await look()
      return false
    },
  })
  return {
    start: loop.start,
    stop: loop.stop,
    isLost: (chainId) => lost.has(chainId),
    offered<T>(chains: ReadonlyMap<number, T>) {
      const offered = new Map<number, T>()
      const refill = () => {
        offered.clear()
        for (const [chainId, chain] of chains) if (!lost.has(chainId)) offered.set(chainId, chain)
      }
      refills.push(refill)
      refill()
      return offered
    },
  }
}
