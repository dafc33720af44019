/** Batches and their instructions as operators see them (pure). */

import { formatAmount } from '../../money.ts'
import { orderTag } from '../../values/order-tag.ts'
import type { BatchRow, InstructionRow } from './batches.sql.ts'

/** Shapes a batch: ids and numbers of the chain as decimal strings. */
export function viewBatch({ batchId, nonce, blockNumber, successBitmap: _, ...batch }: BatchRow) {
  return { ...batch, batchId: String(batchId), nonce: String(nonce), blockNumber: blockNumber?.toString() ?? null }
}

/**
 * Shapes an instruction. `outcome`: `executed`, `failed`, or null while the batch is not final. `order`: whose it is, as
 * integrationId/referenceId.
 */
export function viewInstruction(instruction: InstructionRow, { successBitmap }: Pick<BatchRow, 'successBitmap'>) {
  const { index, direction, walletAddress, debitAddress, amountMicro, order, ...orders } = instruction
  const succeeded =
    instruction.succeeded ?? (successBitmap === null ? null : ((successBitmap >> BigInt(index)) & 1n) === 1n)
  return {
    index,
    kind: direction,
    from: debitAddress,
    to: direction === 'REDEEM' ? null : walletAddress,
    amount: formatAmount(amountMicro),
    tag: instruction.tag ?? (order === null ? null : tagOf(order)),
    order,
    waitingOrder: orders.waitingOrder,
    notOfOrder: orders.notOfOrder,
    endedOrder: orders.endedOrder,
    outcome: succeeded === null ? null : succeeded ? 'executed' : 'failed',
  }
}

function tagOf(order: string): string {
  const slash = order.indexOf('/')
  return orderTag(order.slice(0, slash), order.slice(slash + 1))
}
