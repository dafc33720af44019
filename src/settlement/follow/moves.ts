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
  /** Its block is final: the orders can be decided. */
  final: FinalOutcome[]
  /** At the final block the nonce is used up but the batch is not settled, so its bytes can never execute. */
  dead: { batch: InFlightBatch; byUs: boolean }[]
  /** The contract has different instructions under this id. */
  foreign: InFlightBatch[]
  /** Settled, but the transaction cannot be found, or not yet. */
  unlocated: InFlightBatch[]
}

/**
 * Decides the moves of all batches.
 * @param finalBlock the highest block whose contents are final, as of the head that `view` describes
 */
export function decideMoves(batches: readonly InFlightBatch[], view: View, finalBlock: bigint): Moves {
  const moves: Moves = { mined: [], relocated: [], unmined: [], final: [], dead: [], foreign: [], unlocated: [] }
  for (const batch of batches) {
    const fact = view.batches[String(batch.batchId)]
    if (fact !== undefined) decideOne(moves, batch, fact, finalBlock)
  }
  return moves
}

function decideOne(moves: Moves, batch: InFlightBatch, fact: BatchFact, finalBlock: bigint): void {
  if (fact.state === 'waiting') {
    if (batch.status === 'mined') moves.unmined.push(batch)
    return
  }
  if (fact.state === 'dead') {
    moves.dead.push({ batch, byUs: fact.byUs })
    return
  }
  if (fact.digest !== batch.digest) {
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
  if (mined.blockNumber <= finalBlock) {
    moves.final.push({ batch, mined, successBitmap: fact.successBitmap })
  }
}
