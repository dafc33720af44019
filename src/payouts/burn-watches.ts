/** The watches over the burns of all chains of this process, as one. */
import { createWorkLoop, type WorkLoop } from '../work-loop.ts'
import { tellElsewhere } from './burns.sql.ts'
import { type BurnDeps, createBurnWatch, type WitnessedChain } from './burns.ts'

const ELSEWHERE_MS = 60_000

/** Makes a watch for each chain, and one that says what waits because its chain is not configured here. */
export function createBurnWatches({
  chains,
  ...deps
}: Omit<BurnDeps, 'chain'> & { chains: readonly WitnessedChain[] }): WorkLoop {
  const { db, logger } = deps
  const chainIds = chains.map(({ chainId }) => chainId)
  const elsewhere = createWorkLoop({
    name: 'burns elsewhere',
    logger,
    pollMs: ELSEWHERE_MS,
    async work() {
      const told = await tellElsewhere(db, chainIds)
      if (told > 0)
        logger.error(
          { payouts: told, chainIds },
          'payouts wait: their chain is lost, or not in the chains file of this payer',
        )
      return false
    },
  })
  const watches = chains.map((chain) => createBurnWatch({ ...deps, chain }))
  const all = [...watches, elsewhere]
  return {
    start: () => all.forEach((watch) => void watch.start()),
    wake: () => watches.forEach((watch) => void watch.wake()),
    stop: async () => void (await Promise.all(all.map((watch) => watch.stop()))),
  }
}
