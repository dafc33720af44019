/** Batches before they are simulated: each names the history on which it must be executed. */
import type { Hex } from 'viem'
import {
  digestOf,
  encodeSettle,
  fenceInstruction,
  instructionOf,
  packInstructions,
  runningHashAfter,
} from '../../chain/instructions.ts'
import { findChain } from '../tables/chains.sql.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'
import type { Due } from './fill-due.ts'

/**
 * `previous`: the running hash that the contract must have before; `runningHash`: the one it has afterwards; `expected`: the gas that
 * it will probably use, where that is known before it is simulated; `fenceTag`: of a fence, which has no orders.
 */
export type Draft = {
  batchId: bigint
  orders: PendingOrder[]
  previous: Hex
  packed: Hex
  callData: Hex
  digest: Hex
  runningHash: Hex
  expected?: bigint | undefined
  fenceTag?: Hex | undefined
}

/** The batch of these orders, or the fence, that comes next after a history (pure). */
export function draftAfter(
  history: { batchId: bigint; runningHash: Hex },
  orders: PendingOrder[],
  fenceTag?: Hex | undefined,
): Draft {
  const batchId = history.batchId + 1n
  const previous = history.runningHash
  const packed = packInstructions(fenceTag === undefined ? orders.map(instructionOf) : [fenceInstruction(fenceTag)])
  const digest = digestOf(packed)
  const runningHash = runningHashAfter(previous, digest)
  const callData = encodeSettle(batchId, previous, packed)
  return { batchId, orders, fenceTag, previous, packed, callData, digest, runningHash }
}

/** Batches that follow the stored history and one another; storing them later checks that they still do. */
export async function draftBatches({ db, chain }: Work, due: readonly Due[]): Promise<Draft[]> {
  const row = await findChain(db, chain.config.chainId)
  if (row === undefined) throw new Error('the chain is not registered')
  const drafts: Draft[] = []
  for (const { orders, expected, fenceTag } of due) {
    const before = drafts.at(-1) ?? { batchId: row.nextBatchId - 1n, runningHash: row.runningHash }
    drafts.push({ ...draftAfter(before, orders, fenceTag), expected })
  }
  return drafts
}
