/** Batches that the contract has settled and whose transactions no quorum of nodes shows: their orders stay as they are, and operators see why. */
import type { InFlightBatch } from '../tables/in-flight.sql.ts'
import type { Work } from '../work.ts'

/** How long nodes may take to show the receipt of what they have executed. */
const PATIENCE_MS = 10_000

/** Remembers for the hold the first batch that cannot be found, once that lasts. */
export function noteUnlocated({ memory, nowMs }: Work, [first]: readonly Pick<InFlightBatch, 'batchId'>[]): void {
  if (first === undefined) {
    memory.holds.unlocated = undefined
    return
  }
  const { batchId } = first
  const known = memory.holds.unlocated
  const sinceMs = known?.batchId === batchId ? known.sinceMs : nowMs()
  const isLasting = nowMs() - sinceMs >= PATIENCE_MS
  const hold = { reason: 'batch-not-found' as const, details: { batchId: String(batchId) } }
  memory.holds.unlocated = { batchId, sinceMs, hold: isLasting ? hold : undefined }
}
