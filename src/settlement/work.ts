/** What the steps of settling one chain share: its parts, and what is remembered between two rounds. */
import type { Logger } from 'pino'
import type { Chain } from '../chain/chain.ts'
import type { Fees } from '../chain/fees.ts'
import type { Buckets } from '../chain/settlement-reads.ts'
import type { Database } from '../db/database.ts'
import type { Lease } from '../leases/leases.sql.ts'
import type { View } from './follow/look.ts'
import type { GasPerOrder } from './form/pace.ts'
import type { HoldReason, SettlementMetrics } from './metrics.ts'

/** Points between two steps where a crash must do no harm; tests kill the process there. */
export type Step =
  | 'batch-selected'
  | 'batch-signed'
  | 'batch-stored'
  | 'batch-broadcast'
  | 'broadcast-recorded'
  | 'bump-signed'
  | 'bump-stored'
  | 'resign-stored'
  | 'chain-looked-at'
  | 'mined-recorded'
  | 'outcome-decided'

export type SettlementTimes = {
  leaseMs: number
  /** After how long bytes that were neither mined nor refused are sent again. */
  rebroadcastMs: number
  /** How often final batches are looked for again. */
  recheckMs: number
  /** How long heads may stay behind what was seen before that is believed. */
  behindGraceMs: number
  /** How long after a held or failed attempt to form a batch the next one waits. */
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
  lease: Lease
  times: SettlementTimes
  /** A clock that only moves on; its zero means nothing. */
  nowMs: () => number
  onStep: (step: Step) => void | Promise<void>
  memory: Memory
}

/** A reason, and what an operator wants to know with it. */
export type Hold = { reason: HoldReason; details: Readonly<Record<string, unknown>> }

export const NO_HOLD: Hold = { reason: 'none', details: {} }

/** Nothing here is needed for correctness: a process that starts anew begins with `freshMemory()`. */
export type Memory = {
  /** Why nothing is formed. */
  held: Hold
  /** Why a batch whose nonce is used up cannot be signed anew. */
  deadHeld: Hold
  /** Of both, what was told last. */
  toldHeld: HoldReason
  /** Counts holds and failures: which node is asked next. */
  turn: number
  formNotBeforeMs: number
  gasPerOrder: GasPerOrder
  blockIntervalMs: number | undefined
  headSeenAtMs: number
  headNumber: bigint
  /** The head whose view was recorded wholly. */
  recordedHash: string | undefined
  view: View | undefined
  market: Market | undefined
  behindSinceMs: number | undefined
  /** The chain has another content under the id of a batch in flight: nothing is formed until an operator has looked. */
  hasForeignBatch: boolean
  recheckedAtMs: number
  statisticsAtMs: number
  gapSinceMs: number | undefined
  numbersAtMs: number
}

export type Market = { headHash: string; fees: Fees | undefined; buckets: Buckets }

/** Mints to fresh wallets (bench/results/gas.md), until the first batches say otherwise. */
const FIRST_GAS_PER_ORDER: GasPerOrder = { used: 29_000n, limit: 30_500n }

export function freshMemory(): Memory {
  return {
    held: NO_HOLD,
    deadHeld: NO_HOLD,
    toldHeld: 'none',
    turn: 0,
    formNotBeforeMs: 0,
    gasPerOrder: FIRST_GAS_PER_ORDER,
    blockIntervalMs: undefined,
    headSeenAtMs: 0,
    headNumber: -1n,
    recordedHash: undefined,
    view: undefined,
    market: undefined,
    behindSinceMs: undefined,
    hasForeignBatch: false,
    recheckedAtMs: Number.NEGATIVE_INFINITY,
    statisticsAtMs: Number.NEGATIVE_INFINITY,
    gapSinceMs: undefined,
    numbersAtMs: Number.NEGATIVE_INFINITY,
  }
}

/** Remembers why nothing is formed (`none`: no longer). Returns false: nothing was formed. */
export function setHeld(work: Work, reason: HoldReason, details: Hold['details'] = {}): false {
  const { memory, times, nowMs } = work
  if (reason !== 'none') {
    memory.formNotBeforeMs = nowMs() + times.retryMs
    askAnotherNode(work)
  }
  memory.held = { reason, details }
  return false
}

/** Another node may see other limits. */
export function askAnotherNode({ memory }: Work): void {
  memory.turn += 1
  memory.market = undefined
}

/** What holds the chain now, whichever step it holds. */
export function holdOf({ held, deadHeld }: Memory): Hold {
  return held.reason === 'none' ? deadHeld : held
}

/** Says, once per change, what holds the chain. Belongs at the end of a round, when all its steps have spoken. */
export function tellHeld({ chain, logger, memory, metrics }: Work): void {
  const { chainId } = chain.config
  const { reason, details } = holdOf(memory)
  metrics.held(chainId, reason)
  if (reason === memory.toldHeld) return
  if (reason === 'none') logger.info({ chainId, before: memory.toldHeld }, 'settlement goes on')
  else logger.warn({ chainId, reason, ...details }, 'settlement is held; orders stay pending')
  memory.toldHeld = reason
}
