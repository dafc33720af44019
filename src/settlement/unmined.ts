/** Why the first batch under way stays in no block: said also where no order waits behind it. */
import type { AgreedHead } from '../chain/quorum.ts'
import { type Hold, isNonceUsed, type Unable } from './memory.ts'
import type { HoldReason } from './metrics.ts'
import { type InFlightBatch, presentAttempts } from './tables/in-flight.sql.ts'
import type { Work } from './work.ts'

/** After so many raises' time a batch should have been mined, whatever nodes say of it. */
const RAISES = 3n
/** A chain stands still when no block has come for so long, and for so many of its usual times between two. */
const STILL_MS = 300_000
const STILL_INTERVALS = 10
/** How long a batch waits before that is said of it: there are chains that make a block only when they have something for it. */
const WAITED_MS = 30_000

const REASON_OF: Readonly<Record<Unable, HoldReason>> = {
  role: 'signer-without-role',
  'gas-balance': 'gas-balance',
  code: 'signer-unavailable',
  'not configured': 'signer-unavailable',
  'does not sign': 'signer-unavailable',
}

export type UnminedFacts = {
  baseFeePerGas: bigint
  maxFeePerGasWei: bigint
  bumpAfterBlocks: number
  /** How many blocks came without it. */
  sinceBlocks: bigint
  /** How long ago the newest block was first seen. */
  sinceHeadMs: number
  /** How long it was seen to wait. */
  waitedMs: number
  /** Another transaction has its nonce, or its own has reverted: its orders enter another batch once that is final. */
  isNonceUsed: boolean
  blockIntervalMs: number | undefined
  /** Why its signer cannot carry it, where no other one has taken it over. */
  unable: Unable | undefined
}

/** What keeps a batch out of blocks; undefined while nothing but a block is missing (pure). */
export function whyUnmined(batch: InFlightBatch, facts: UnminedFacts): Hold | undefined {
  const attempts = presentAttempts(batch)
  if (attempts.length === 0) return undefined
  const batchId = String(batch.batchId)
  if (facts.isNonceUsed) return { reason: 'batch-not-mined', details: { batchId, usedNonce: String(batch.nonce) } }
  const standing = whyStanding(batchId, facts)
  if (facts.sinceBlocks === 0n) return standing
  const { baseFeePerGas, maxFeePerGasWei, unable } = facts
  if (unable !== undefined)
    return { reason: REASON_OF[unable], details: { batchId, signer: batch.signer, why: unable } }
  const isLate = facts.sinceBlocks >= RAISES * BigInt(facts.bumpAfterBlocks)
  const isTooCheap = attempts.every(({ fees }) => fees.maxFeePerGas < baseFeePerGas)
  if (isTooCheap && (isLate || baseFeePerGas > maxFeePerGasWei))
    return {
      reason: 'gas-price',
      details: { batchId, baseFeePerGas: String(baseFeePerGas), maxFeePerGas: String(maxFeePerGasWei) },
    }
  const isRefused = attempts.every(({ verdict }) => verdict === 'rejected')
  if (!isLate && !isRefused) return standing
  const details = { batchId, blocks: String(facts.sinceBlocks), answer: attempts.at(-1)?.verdict ?? 'not broadcast' }
  return { reason: 'batch-not-mined', details }
}

/** No node is asked for more where nothing comes: whoever looks at a batch that was taken hours ago is to learn that it is the chain that waits. */
function whyStanding(batchId: string, { sinceHeadMs, waitedMs, blockIntervalMs = 0 }: UnminedFacts): Hold | undefined {
  if (waitedMs < WAITED_MS || sinceHeadMs < Math.max(STILL_MS, STILL_INTERVALS * blockIntervalMs)) return undefined
  return { reason: 'batch-not-mined', details: { batchId, noBlockForSeconds: String(Math.floor(sinceHeadMs / 1_000)) } }
}

/** Remembers it for the hold, after everything was tried that mends it. */
export function noteUnmined(
  { chain, memory, nowMs }: Work,
  { head }: AgreedHead,
  inFlight: readonly InFlightBatch[],
): void {
  const first = inFlight.find(({ status }) => status === 'signed')
  if (first === undefined || memory.holds.unlocated?.batchId === first.batchId) {
    memory.holds.unmined = undefined
    memory.holds.waiting = undefined
    return
  }
  if (memory.holds.waiting?.batchId !== first.batchId) {
    memory.holds.waiting = { batchId: first.batchId, sinceMs: nowMs() }
  }
  const { maxFeePerGasWei, bumpAfterBlocks } = chain.config
  const seenAt = presentAttempts(first).map(({ txHash }) => memory.bump.seenAtBlock.get(txHash) ?? head.number)
  const sinceBlocks = head.number - seenAt.reduce((least, block) => (block < least ? block : least), head.number)
  const { baseFeePerGas } = head
  const { unable } = memory.handOver
  const { seenAtMs, intervalMs: blockIntervalMs } = memory.blocks
  memory.holds.unmined = whyUnmined(first, {
    baseFeePerGas,
    maxFeePerGasWei,
    bumpAfterBlocks,
    sinceBlocks,
    unable,
    sinceHeadMs: nowMs() - seenAtMs,
    waitedMs: nowMs() - memory.holds.waiting.sinceMs,
    blockIntervalMs,
    isNonceUsed: isNonceUsed(memory, first),
  })
}
