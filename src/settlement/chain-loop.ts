/** Settles one chain as long as this process holds its lease, and waits for the lease otherwise. */
import type { Logger } from 'pino'
import type { Chain } from '../chain/chain.ts'
import type { Database } from '../db/database.ts'
import { acquireLease, type Lease, LeaseLostError, releaseLease, renewLease } from '../leases/leases.sql.ts'
import type { HoldReason, SettlementMetrics } from './metrics.ts'
import { ChainMismatchError, registerChain } from './register.ts'
import { runRound } from './round.ts'
import { freshMemory, holdOf, type SettlementTimes, type Step, type Work } from './work.ts'

export type ChainLoopDeps = {
  db: Database
  chain: Chain
  logger: Logger
  metrics: SettlementMetrics
  holder: string
  times: SettlementTimes
  payoutRail: string
  onStep: (step: Step) => void | Promise<void>
}

/** What an operator wants to know of a chain's settlement in this process. */
export type ChainLoopState = { chainId: number; leading: boolean; held: HoldReason }

export type ChainLoop = { start(): void; stop(): Promise<void>; wake(): void; state(): ChainLoopState }

const MAX_BACKOFF_MS = 10_000

/** Makes the loop of a chain. It never ends on an error: it reports, waits a bounded time, and goes on. */
export function createChainLoop(deps: ChainLoopDeps): ChainLoop {
  const { chain, logger, metrics, times } = deps
  const { chainId } = chain.config
  const alarm = createAlarm()
  let stopped = false
  let running: Promise<void> | undefined
  let leading: Work | undefined
  let mismatched = false

  async function run(): Promise<void> {
    let failures = 0
    while (!stopped) {
      try {
        await registerChain(deps.db, chain)
        mismatched = false
        const lease = await acquireLease(deps.db, `settlement:${chainId}`, deps.holder, times.leaseMs)
        if (lease !== undefined) await lead(lease)
        failures = 0
        await alarm.wait(times.leaseMs / 10, false)
      } catch (error) {
        failures += 1
        await report(error, failures)
      }
    }
  }

  async function lead(lease: Lease): Promise<void> {
    logger.info({ chainId, fencingToken: String(lease.token) }, 'settling this chain')
    metrics.leading(chainId, true)
    const renewal = setInterval(() => void renewLease(deps.db, lease, times.leaseMs).catch(() => {}), times.leaseMs / 3)
    try {
      leading = { ...deps, lease, nowMs: () => performance.now(), memory: freshMemory() }
      await settleWhileLeading(leading)
    } finally {
      leading = undefined
      clearInterval(renewal)
      metrics.leading(chainId, false)
      if (stopped) await releaseLease(deps.db, lease).catch(() => {})
    }
  }

  async function settleWhileLeading(work: Work): Promise<void> {
    let failures = 0
    while (!stopped) {
      try {
        const { waiting } = await runRound(work)
        failures = 0
        await alarm.wait(chain.config.pollIntervalMs, !waiting)
        if (!(await stillLeads(work))) return
      } catch (error) {
        if (error instanceof LeaseLostError) return
        failures += 1
        work.memory.turn += 1
        await report(error, failures)
      }
    }
  }

  /** Without writes a lost lease would go unnoticed. */
  let checkedAtMs = 0
  async function stillLeads({ db, lease }: Work): Promise<boolean> {
    if (performance.now() - checkedAtMs < times.leaseMs / 2) return true
    checkedAtMs = performance.now()
    return renewLease(db, lease, times.leaseMs)
  }

  async function report(error: unknown, failures: number): Promise<void> {
    if (error instanceof ChainMismatchError) {
      mismatched = true
      metrics.held(chainId, 'chain-mismatch')
      logger.fatal({ chainId }, error.message)
    } else {
      logger.error({ chainId, err: error, failures }, 'settlement round failed; it will be repeated')
    }
    const floor = error instanceof ChainMismatchError ? MAX_BACKOFF_MS : 50
    await alarm.wait(Math.min(floor * 2 ** Math.min(failures - 1, 10), MAX_BACKOFF_MS), false)
  }

  return {
    start() {
      running ??= run()
    },
    async stop() {
      stopped = true
      alarm.stop()
      await running
    },
    wake: () => alarm.ring(),
    state() {
      const held = mismatched ? 'chain-mismatch' : leading === undefined ? 'none' : holdOf(leading.memory).reason
      return { chainId, leading: leading !== undefined, held }
    },
  }
}

/** A wait that a ring, or the end, cuts short. A ring during the work before counts for the next wait. */
function createAlarm() {
  let rung = false
  let ended = false
  let cut: (() => void) | undefined
  return {
    ring() {
      rung = true
      cut?.()
    },
    stop() {
      ended = true
      rung = true
      cut?.()
    },
    async wait(ms: number, heedsRings: boolean): Promise<void> {
      if (ended || (heedsRings && rung)) {
        rung = false
        return
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        cut = () => {
          if (!heedsRings && !ended) return
          clearTimeout(timer)
          resolve()
        }
      })
      cut = undefined
      if (heedsRings) rung = false
    },
  }
}
