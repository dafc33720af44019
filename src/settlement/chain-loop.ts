/** Settles one chain as long as this process holds its lease, and waits for the lease otherwise. */
import type { Logger } from 'pino'
import type { Chain } from '../chain/chain.ts'
import type { Database } from '../db/database.ts'
import { acquireLease, isHeldByAnother, LeaseLostError, releaseLease, renewLease } from '../leases/leases.sql.ts'
import type { ReservePolicy } from '../reserves/guard.ts'
import { AT_ONCE, createLoop, type Pause } from '../work-loop.ts'
import { createComparison } from './compare.ts'
import { freshMemory } from './fresh-memory.ts'
import { holdOf } from './holds.ts'
import { unlessLost } from './lost/unless-lost.ts'
import { forgetMarket } from './market.ts'
import type { HoldReason, SettlementMetrics } from './metrics.ts'
import { publishHold } from './publish-hold.ts'
import { registerChain } from './register.ts'
import { OTHER_TIMELINE } from './repair/history.ts'
import { runRound } from './round.ts'
import { forgetAfterGap, wasReadElsewhere } from './tables/holds.sql.ts'
import type { OnForeignMovement, SettlementTimes, Step, Work } from './work.ts'

export type ChainLoopDeps = {
  db: Database
  chain: Chain
  otherChainIds: readonly number[]
  logger: Logger
  metrics: SettlementMetrics
  onForeignMovement: OnForeignMovement
  holder: string
  times: SettlementTimes
  onStep: (step: Step) => void | Promise<void>
  reserve?: ReservePolicy | undefined
}

/** What an operator wants to know about a chain's settlement in this process. */
export type ChainLoopState = { chainId: number; leading: boolean; held: HoldReason }

export type ChainLoop = { start(): void; stop(): Promise<void>; wake(): void; state(): ChainLoopState }

/** What settles one chain, one round at a time, while it holds the lease. */
export type Leader = {
  /** One round. Resolves to the pause after it. */
  round(): Promise<Pause>
  /** Gives the lease up, so that another process need not wait. */
  resign(): Promise<void>
  state(): ChainLoopState
}

/** The steps that ask the chain, and the clock. */
export type LeaderParts = { registerChain: typeof registerChain; runRound: typeof runRound; nowMs: () => number }

const PARTS: LeaderParts = { registerChain, runRound, nowMs: () => performance.now() }

type Leading = { work: Work; renewal: NodeJS.Timeout; checkedAtMs: number }

/** Makes the loop of a chain: it waits for the lease and, with the lease, settles. */
export function createChainLoop(deps: ChainLoopDeps): ChainLoop {
  const leader = unlessLost(deps, createLeader(deps))
  const loop = createLoop({
    name: `settlement:${deps.chain.config.chainId}`,
    logger: deps.logger,
    failed: 'settlement round failed; it will be repeated',
    work: leader.round,
  })
  return {
    start: loop.start,
    async stop() {
      await loop.stop()
      await leader.resign()
    },
    wake: loop.wake,
    state: leader.state,
  }
}

/** Makes what works on a chain while it has the lease, a round at a time. @param parts replaced by tests */
export function createLeader(deps: ChainLoopDeps, parts: LeaderParts = PARTS): Leader {
  const { db, chain, metrics, times } = deps
  const { chainId, pollIntervalMs } = chain.config
  let leading: Leading | undefined
  const comparison = createComparison(deps, parts.registerChain)
  metrics.leading(chainId, false)

  async function round(): Promise<Pause> {
    if (leading === undefined) {
      const tried = await tryToLead(deps, parts, comparison)
      if (!('work' in tried)) return tried
      leading = tried
      return AT_ONCE
    }
    const { work } = leading
    try {
      if (!(await stillLeads(deps, leading, parts.nowMs()))) return giveUp()
      const { waiting, isMore = false } = await parts.runRound(work)
      if (isMore) return AT_ONCE
      // With a batch under way new orders can wait for the next poll.
      return { ms: pollIntervalMs, wakeable: !waiting }
    } catch (error) {
      if (error instanceof LeaseLostError) return giveUp()
      forgetMarket(work)
      throw error
    }
  }

  function giveUp(): Pause {
    clearInterval(leading?.renewal)
    leading = undefined
    metrics.leading(chainId, false)
    return untilAskedAgain(times)
  }

  return {
    round,
    async resign() {
      const lease = leading?.work.lease
      if (lease === undefined) return
      giveUp()
      await releaseLease(db, lease).catch(() => {})
    },
    state() {
      const held = comparison.isMismatched()
        ? 'chain-mismatch'
        : leading === undefined
          ? 'none'
          : holdOf(leading.work.memory).reason
      return { chainId, leading: leading !== undefined, held }
    },
  }
}

/** How long whoever does not lead waits before the next try. */
function untilAskedAgain({ leaseMs }: SettlementTimes): Pause {
  return { ms: leaseMs / 10, wakeable: false }
}

/** @returns what it leads with from now on; or, where it does not, the pause before the next try */
async function tryToLead(
  deps: ChainLoopDeps,
  { nowMs }: LeaderParts,
  comparison: ReturnType<typeof createComparison>,
): Promise<Leading | Pause> {
  const { db, chain, logger, metrics, holder, times } = deps
  const { chainId } = chain.config
  const name = `settlement:${chainId}`
  // Whoever stands by has found the chain to be the right one, and asks it nothing until it may lead: providers bill each request.
  if (comparison.isMade() && (await isHeldByAnother(db, name, holder))) return untilAskedAgain(times)
  const isElsewhere = await wasReadElsewhere(db, chainId)
  await tellGap(deps)
  const pause = await comparison.make()
  if (pause !== undefined) return pause
  const lease = await acquireLease(db, name, holder, times.leaseMs)
  if (lease === undefined) return untilAskedAgain(times)
  if (isElsewhere) logger.warn({ chainId }, OTHER_TIMELINE)
  logger.info({ chainId, fencingToken: String(lease.token) }, 'settling this chain')
  metrics.leading(chainId, true)
  return {
    work: { ...deps, lease, nowMs, memory: freshMemory() },
    renewal: setInterval(() => void renewLease(db, lease, times.leaseMs).catch(() => {}), times.leaseMs / 3),
    checkedAtMs: nowMs(),
  }
}

/** While nothing is written a lost lease would go unnoticed. */
async function stillLeads({ db, times }: ChainLoopDeps, own: Leading, nowMs: number): Promise<boolean> {
  if (nowMs - own.checkedAtMs < times.leaseMs / 2) return true
  own.checkedAtMs = nowMs
  try {
    return await renewLease(db, own.work.lease, times.leaseMs)
  } catch (error) {
    // Without its database no round may come to saying so itself.
    await publishHold(own.work, error)
    throw error
  }
}

/** Says that nobody has settled for long. Before the lease is taken, which ends the gap, and before the chain is asked, which may not answer. */
async function tellGap({ db, chain, logger }: ChainLoopDeps): Promise<void> {
  const chainIds = await forgetAfterGap(db, chain.config.chainId)
  // Whoever puts an embedded one back has the chain beside it put back, too.
  if (chainIds.length === 0 || db.kind === 'pglite') return
  logger.warn(
    { chainIds },
    'nobody has settled for ten minutes or longer, by this database: its chains are read before anything is signed. If the service was not away for so long, it is an older copy: see "Backup and restore"',
  )
}
