/** Batches and their instructions as operators see them (pure). */
import { formatAmount } from '../../money.ts'
import { orderTag } from '../../values/order-tag.ts'
import { hasSucceeded } from '../../values/success-bitmap.ts'
import { orderNamed } from '../orders/name.ts'
import type { BatchRow, InstructionRow } from './batches.sql.ts'

/** Shapes a batch: ids and numbers of the chain as decimal strings. */
export function viewBatch({ batchId, nonce, blockNumber, successBitmap: _, otherOutcome, ...batch }: BatchRow) {
  const { seenAt, reason, at } = otherOutcome ?? {}
  const other = otherOutcome && { seenAt, explanation: reason === null ? null : { reason, at } }
  return {
    ...batch,
    otherOutcome: other,
    batchId: String(batchId),
    nonce: String(nonce),
    blockNumber: blockNumber?.toString() ?? null,
  }
}

/**
 * Shapes an instruction. `outcome`: `executed`, `failed`, or null while the batch is not final; `outcomeNow`: the same where the chain has done the
 * contrary since, otherwise null. `order`: whose it is, as integrationId/referenceId.
 */
export function viewInstruction(
  instruction: InstructionRow,
  { successBitmap, otherOutcome }: Pick<BatchRow, 'successBitmap' | 'otherOutcome'>,
) {
  const { index, direction, walletAddress, debitAddress, amountMicro, order, ...orders } = instruction
  const succeeded = instruction.succeeded ?? (successBitmap === null ? null : hasSucceeded(successBitmap, index))
  const isNow = otherOutcome?.executed.includes(Number(index))
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
    outcome: succeeded === null ? null : sayOutcome(succeeded),
    outcomeNow: isNow === undefined || isNow === succeeded ? null : sayOutcome(isNow),
  }
}

const sayOutcome = (succeeded: boolean) => (succeeded ? 'executed' : 'failed')

function tagOf(order: string): string | null {
  const named = orderNamed(order)
  return named === undefined ? null : orderTag(named.integrationId, named.referenceId)
}
