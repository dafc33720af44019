/** What a believed view of the chain means for the batches in flight (pure). */

import type { MinedBatch } from '../tables/batches.sql.ts'
import type { InFlightBatch } from '../tables/in-flight.sql.ts'
import type { BatchFact, View } from './look.ts'

export type FinalOutcome = { batch: InFlightBatch; mined: MinedBatch; successBitmap: bigint }

export type Moves = {
  /** signed → mined */
  mined: MinedBatch[]
  /** mined, now in another block */
  relocated: MinedBatch[]
  /** mined → signed: a reorganisation took the block away */
  unmined: InFlightBatch[]
  /** Full depth reached: the orders can be decided. */
  final: FinalOutcome[]
  /** The nonce is used up but the batch is not settled, so its bytes can never execute. */
  dead: { batch: InFlightBatch; byUs: boolean }[]
  /** The contract has different instructions under this id. */
  foreign: InFlightBatch[]
  /** Settled, but the transaction cannot be found, or not yet. */
  unlocated: InFlightBatch[]
}

/**
 * Decides the moves of all batches.
 * @param headNumber number of the agreed head that `view` describes
 * @param confirmations blocks including the one that holds the transaction: 1 means mined
 */
export function decideMoves(
  batches: readonly InFlightBatch[],
  view: View,
  headNumber: bigint,
  confirmations: number,
): Moves {
  const moves: Moves = { mined: [], relocated: [], unmined: [], final: [], dead: [], foreign: [], unlocated: [] }
  for (const batch of batches) {
    const fact = view.batches[String(batch.batchId)]
    if (fact !== undefined) decideOne(moves, batch, fact, headNumber, confirmations)
  }
  return moves
}

function decideOne(
  moves: Moves,
  batch: InFlightBatch,
  fact: BatchFact,
  headNumber: bigint,
  confirmations: number,
): void {
  if (fact.state === 'waiting') {
    if (batch.status === 'mined') moves.unmined.push(batch)
    return
  }
  if (fact.state === 'dead') {
    moves.dead.push({ batch, byUs: fact.byUs })
    return
  }
  if (fact.digest.toLowerCase() !== batch.digest.toLowerCase()) {
    moves.foreign.push(batch)
    return
  }
  if (fact.location === undefined) {
    moves.unlocated.push(batch)
    return
  }
  const mined: MinedBatch = { batchId: batch.batchId, ...fact.location }
  if (batch.status === 'signed') moves.mined.push(mined)
  else if (batch.minedHash !== mined.blockHash || batch.txHash !== mined.txHash) moves.relocated.push(mined)
  if (isDeep(mined.blockNumber, headNumber, confirmations)) {
    moves.final.push({ batch, mined, successBitmap: fact.successBitmap })
  }
}

/** Whether a block has the chain's confirmations when `headNumber` is the head. */
export function isDeep(blockNumber: bigint, headNumber: bigint, confirmations: number): boolean {
  return headNumber - blockNumber + 1n >= BigInt(confirmations)
}
