/** Why the first batch under way stays in no block: said also where no order waits behind it. */
import type { AgreedHead } from '../chain/quorum.ts'
import { type Hold, isNonceUsed, type Unable } from './memory.ts'
import type { HoldReason } from './metrics.ts'
import { type InFlightBatch, presentAttempts } from './tables/in-flight.sql.ts'
import type { Work } from './work.ts'

/** After so many raises' time a batch should have been mined, whatever nodes say of it. */
const RAISES = 3n

const REASON_OF: Readonly<Record<Unable, HoldReason>> = {
  ...{ role: 'signer-without-role', 'gas-balance': 'gas-balance' },
  ...{ code: 'signer-unavailable', 'not configured': 'signer-unavailable', 'does not sign': 'signer-unavailable' },
}

/** `sinceBlocks`: how many blocks came without it; `unable`: why its signer cannot carry it, where no other one has taken it over. */
export type UnminedFacts = {
  baseFeePerGas: bigint
  maxFeePerGasWei: bigint
  bumpAfterBlocks: number
  sinceBlocks: bigint
  unable: Unable | undefined
}

/** What keeps a batch out of blocks; undefined while nothing but a block is missing (pure). */
export function whyUnmined(batch: InFlightBatch, facts: UnminedFacts): Hold | undefined {
  const attempts = presentAttempts(batch)
  if (attempts.length === 0 || facts.sinceBlocks === 0n) return undefined
  const batchId = String(batch.batchId)
  const { baseFeePerGas, maxFeePerGasWei, unable } = facts
  if (unable !== undefined)
    return { reason: REASON_OF[unable], details: { batchId, signer: batch.signer, why: unable } }
  const isLate = facts.sinceBlocks >= RAISES * BigInt(facts.bumpAfterBlocks)
  const isTooCheap = attempts.every(({ fees }) => fees.maxFeePerGas < baseFeePerGas)
  if (isTooCheap && (isLate || baseFeePerGas > maxFeePerGasWei))
    return { reason: 'gas-price', details: { batchId, baseFeePerGas: String(baseFeePerGas) } }
  const isRefused = attempts.every(({ verdict }) => verdict === 'rejected')
  if (!isLate && !isRefused) return undefined
  const details = { batchId, blocks: String(facts.sinceBlocks), answer: attempts.at(-1)?.verdict ?? 'not broadcast' }
  return { reason: 'batch-not-mined', details }
}

/** Remembers it for the hold, after everything was tried that mends it. */
export function noteUnmined({ chain, memory }: Work, { head }: AgreedHead, inFlight: readonly InFlightBatch[]): void {
  const first = inFlight.find(({ status }) => status === 'signed')
  if (first === undefined || isNonceUsed(memory, first)) {
    memory.holds.unmined = undefined
    return
  }
  const { maxFeePerGasWei, bumpAfterBlocks } = chain.config
  const seenAt = presentAttempts(first).map(({ txHash }) => memory.bump.seenAtBlock.get(txHash) ?? head.number)
  const sinceBlocks = head.number - seenAt.reduce((least, block) => (block < least ? block : least), head.number)
  const { baseFeePerGas } = head
  const { unable } = memory.handOver
  memory.holds.unmined = whyUnmined(first, { baseFeePerGas, maxFeePerGasWei, bumpAfterBlocks, sinceBlocks, unable })
}
