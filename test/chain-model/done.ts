/** What the chain has done for each order, by its tag: read from its transactions, not from what settlement believes. */
import { decodeSettle, unpackInstructions } from '../../src/chain/instructions.ts'
import type { ModelBlock } from './blocks.ts'

/** How often an instruction with the tag was carried out, how often it failed, and the block of the last one. */
export type Done = { times: number; failed: number; block: bigint }

export const NOTHING: Done = { times: 0, failed: 0, block: -1n }

export function doneOn(blocks: readonly ModelBlock[]): Map<string, Done> {
  const done = new Map<string, Done>()
  for (const { receipts, state, number: block } of blocks) {
    for (const { transaction, succeeded } of receipts) {
      const call = succeeded ? decodeSettle(transaction.data) : undefined
      if (call === undefined) continue
      const bitmap = state.records.get(call.batchId)?.bitmap ?? 0n
      for (const [index, { tag }] of (unpackInstructions(call.packed) ?? []).entries()) {
        const { times, failed } = done.get(tag) ?? NOTHING
        const isDone = ((bitmap >> BigInt(index)) & 1n) === 1n
        done.set(tag, { times: times + (isDone ? 1 : 0), failed: failed + (isDone ? 0 : 1), block })
      }
    }
  }
  return done
}
