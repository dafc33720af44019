/**
 * The answer that shows an order. The answer to the POST that created it is never stored: it follows from immutable
 * columns.
 */
import type { NewOrder } from '../order.ts'
import { viewOrder } from '../view.ts'

/** The JSON text of a successful answer (contract "Order"). */
export function answerBody(order: NewOrder): string {
  return JSON.stringify({ ok: true, ...viewOrder(order) })
}

/** The statuses in which an order can be created. */
export type FirstStatus = 'payment_pending' | 'pending'

/**
 * The answer to the POST that created the order, byte for byte, however far the order has gone since. A change to the
 * form of an order's answer needs a new kind of first answer, because earlier answers must stay as they were.
 * @param order as it is now
 * @param status in which it was created
 */
export function firstAnswerOf(order: NewOrder, status: FirstStatus): { status: 201; body: string } {
  const created = { status, batchStatus: null, txHash: null, blockNumber: null, updatedAt: null }
  return { status: 201, body: answerBody({ ...order, ...created }) }
}
