/**
 * What is remembered between two rounds, grouped by the step that writes it; who else does is said. Nothing here is needed
 * for correctness: a process that starts anew begins with `freshMemory()`.
 */
import type { Fees } from '../chain/fees.ts'
import type { Buckets } from '../chain/settlement-reads.ts'
import type { View } from './follow/look.ts'
import type { GasPerOrder } from './form/pace.ts'
import type { HoldReason } from './metrics.ts'

/** A reason, and what an operator wants to know with it. */
export type Hold = { reason: HoldReason; details: Readonly<Record<string, unknown>> }

export const NO_HOLD: Hold = { reason: 'none', details: {} }

export type Market = { headHash: string; fees: Fees | undefined; buckets: Buckets }

export type Memory = {
  /** round: the pace of blocks. */
  blocks: { number: bigint; seenAtMs: number; intervalMs: number | undefined }
  /** follow/observe: what the chain has shown. */
  follow: {
    /** The head whose view was recorded wholly. Cleared by repair: the same head says other things of other batches. */
    recordedHash: string | undefined
    view: View | undefined
    behindSinceMs: number | undefined
    /** The chain has another content under the id of a batch in flight: nothing is formed before it was read, at full depth. */
    hasForeignBatch: boolean
  }
  /** follow/recheck. */
  recheck: { doneAtMs: number }
  /** repair/gaps. */
  gaps: { sinceMs: number | undefined }
  /** form: gas limits are learnt in form/simulate, gas used in follow/finalize. */
  form: { gasPerOrder: GasPerOrder; oversizedCountedAtMs: number }
  /** market: which node is asked next, counted by holds and failures, and what it said of the newest head. */
  market: { turn: number; newest: Market | undefined }
  /** holds. */
  holds: {
    /** Why nothing is formed. */
    held: Hold
    /** When the next batch may be formed after a hold. */
    notBeforeMs: number
    /** What was told last. */
    told: HoldReason
  }
  /** round: when metrics that cost a query were counted. */
  numbers: { countedAtMs: number }
}

/** Mints to fresh wallets (bench/results/gas.md), until the first batches say otherwise. */
const FIRST_GAS_PER_ORDER: GasPerOrder = { used: 26_000n, limit: 29_500n }

export function freshMemory(): Memory {
  return {
    blocks: { number: -1n, seenAtMs: 0, intervalMs: undefined },
    follow: { recordedHash: undefined, view: undefined, behindSinceMs: undefined, hasForeignBatch: false },
    recheck: { doneAtMs: Number.NEGATIVE_INFINITY },
    gaps: { sinceMs: undefined },
    form: { gasPerOrder: FIRST_GAS_PER_ORDER, oversizedCountedAtMs: Number.NEGATIVE_INFINITY },
    market: { turn: 0, newest: undefined },
    holds: { held: NO_HOLD, notBeforeMs: 0, told: 'none' },
    numbers: { countedAtMs: Number.NEGATIVE_INFINITY },
  }
}
