/** The answer that shows an order; the one to the POST that created it is never stored: its immutable columns tell it. */
import { type NewOrder, viewOrder } from '../order.ts'

/** The JSON text of a successful answer (contract "Order"). */
export function answerBody(order: NewOrder): string {
  return JSON.stringify({ ok: true, ...viewOrder(order) })
}

/** The states that an order can be created in. */
export type FirstStatus = 'payment_pending' | 'pending'

const PHASES = { payment_pending: 'PAYMENT_PENDING', pending: 'ORDER_CREATED' } as const

/**
 * The answer that created the order, byte for byte, however far the order has gone since. A change to what an order's answer looks
 * like needs a new kind of first answer: those given before stay as they were.
 * @param order as it stands now
 * @param status what it was created as
 */
export function firstAnswerOf(order: NewOrder, status: FirstStatus): { status: 201; body: string } {
  const created = { status, phase: PHASES[status], txHash: null, blockNumber: null, updatedAt: null }
  return { status: 201, body: answerBody({ ...order, ...created }) }
}
