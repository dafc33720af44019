/** What the steps of settling a chain share: its parts, and what is remembered between two rounds. */
import type { Logger } from 'pino'
import type { Chain } from '../chain/chain.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Lease } from '../leases/leases.sql.ts'
import type { ReservePolicy } from '../reserves/guard.ts'
import type { Memory } from './memory.ts'
import type { SettlementMetrics } from './metrics.ts'

/** Points between two steps where a crash must do no harm; tests kill the process there. */
export type Step =
  | 'batch-selected'
  | 'batch-signed'
  | 'batch-stored'
  | 'batch-broadcast'
  | 'broadcast-recorded'
  | 'bump-signed'
  | 'bump-stored'
  | 'batches-handed-over'
  | 'batches-abandoned'
  | 'history-kept'
  | 'chain-looked-at'
  | 'mined-recorded'
  | 'outcome-decided'

export type OnForeignMovement = Config['onForeignMovement']

export type SettlementTimes = {
  leaseMs: number
  /** The time after which bytes that were neither mined nor refused are sent again. */
  rebroadcastMs: number
  /** How often final batches are looked for again. */
  recheckMs: number
  /** How long heads may stay behind what was seen before they are believed. */
  behindGraceMs: number
  /** The pause after a held or failed attempt to form a batch. */
  retryMs: number
}

export const DEFAULT_TIMES: SettlementTimes = {
  leaseMs: 10_000,
  rebroadcastMs: 10_000,
  recheckMs: 60_000,
  behindGraceMs: 15_000,
  retryMs: 500,
}

export type Work = {
  db: Database
  chain: Chain
  logger: Logger
  metrics: SettlementMetrics
  /** The other chains that are configured here. */
  otherChainIds: readonly number[]
  /** What follows when something happens on chain that nobody here asked for. */
  onForeignMovement: OnForeignMovement
  lease: Lease
  times: SettlementTimes
  /** A clock that never goes back; its zero has no meaning. */
  nowMs: () => number
  onStep: (step: Step) => void | Promise<void>
  /** Undefined: mints are signed whatever the reserve is. */
  reserve?: ReservePolicy | undefined
  memory: Memory
}
