/** The settler role: one loop per chain. */
import type { Logger } from 'pino'
import { bundling } from '../chain/bundling.ts'
import type { Chain } from '../chain/chain.ts'
import type { Database } from '../db/database.ts'
import type { ReservePolicy } from '../reserves/guard.ts'
import { type ChainLoopState, createChainLoop } from './chain-loop.ts'
import { createLostLoop } from './lost/lost-loop.ts'
import { noMetrics, type SettlementMetrics } from './metrics.ts'
import { DEFAULT_TIMES, type OnForeignMovement, type SettlementTimes, type Step } from './work.ts'

export type SettlerDeps = {
  db: Database
  chains: readonly Chain[]
  logger: Logger
  /**
   * The name of this process in leases. A process that keeps its name across a crash (as in a sandbox's data folder)
   * need not wait for them.
   */
  holder: string
  metrics?: SettlementMetrics
  /** Default `report`. */
  onForeignMovement?: OnForeignMovement
  times?: Partial<SettlementTimes>
  /** What the ringgit at the bank has to cover; by default nothing. */
  reserve?: ReservePolicy
  /** Called between any two steps (tests only). */
  onStep?: (step: Step) => void | Promise<void>
}

export type Settler = {
  start(): void
  /** Resolves when the round under way has ended and the leases are released. */
  stop(): Promise<void>
  /** Orders of this chain were accepted (notification `ORDERS_ACCEPTED`); without it they are found at the next poll. */
  wake(chainId: number): void
  /** For each chain: whether this process settles it, and what holds it up. */
  states(): ChainLoopState[]
}

/**
 * Makes the settler of the given chains. Any number of processes may run a settler; each chain is settled by one at a
 * time.
 */
export function createSettler(deps: SettlerDeps): Settler {
  const { db, logger, holder, metrics = noMetrics, onForeignMovement = 'report', onStep = () => {} } = deps
  const times = { ...DEFAULT_TIMES, ...deps.times }
  const loops = new Map(
    deps.chains.map((chain) => [
      chain.config.chainId,
      createChainLoop({
        otherChainIds: deps.chains.filter((each) => each !== chain).map(({ config }) => config.chainId),
        db,
        chain: thrifty(chain),
        logger,
        metrics,
        onForeignMovement,
        holder,
        times,
        onStep,
        reserve: deps.reserve,
      }),
    ]),
  )

  const lost = createLostLoop({ db, logger, holder, times })
  return {
    start() {
      for (const loop of loops.values()) loop.start()
      lost.start()
    },
    async stop() {
      await Promise.all([...loops.values(), lost].map((loop) => loop.stop()))
    },
    wake: (chainId) => loops.get(chainId)?.wake(),
    states: () => [...loops.values()].map((loop) => loop.state()),
  }
}

/** Settlement reads many things at each block, of which providers bill every request. */
function thrifty(chain: Chain): Chain {
  return { ...chain, nodes: chain.nodes.map((node) => bundling(node)) }
}
