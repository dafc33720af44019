/** Rejecting an order: only what was certainly never signed, and certainly not settled by others. */
import type { Queryable } from '../../db/database.ts'
import { orderTag, REFUNDS } from '../../order-tag.ts'
import { rejectOrder } from '../../orders/life/outcome.ts'
import type { Order } from '../../orders/order.ts'
import { failRefund } from '../../payouts/refund.sql.ts'
import { isSettledAs } from '../form/settled-tags.ts'
import { NOT_CAUGHT_UP } from '../holds.ts'
import { lockChain } from '../tables/chains.sql.ts'
import { deleteTagConflict } from '../tables/explanations.sql.ts'
import { readSettledTags } from '../tables/foreign.sql.ts'
import { isHeldOtherwise } from '../tables/holds.sql.ts'

/**
 * Fails an order with an event, and gives back what it held.
 * @returns why not: it was signed or has ended, a foreign batch has done what it asks for, or one may have that was not read
 *   yet, as after a restore
 */
export async function rejectUnsettled(
  tx: Queryable,
  order: Order,
): Promise<'rejected' | 'signed' | 'settled' | 'unsure'> {
  // Foreign batches are kept under the same lock.
  await lockChain(tx, order.chainId)
  const settled = await readSettledTags(tx, order.chainId, [orderTag(order.integrationId, order.referenceId)])
  const isIts = settled.some(
    (each) => each.orderId === null && each.notOfOrderId !== order.orderId && isSettledAs(order, each),
  )
  if (isIts) return 'settled'
  if (!(await isHeldOtherwise(tx, order.chainId, NOT_CAUGHT_UP))) return 'unsure'
  if (!(await rejectOrder(tx, order.orderId))) return 'signed'
  if (order.integrationId === REFUNDS) await failRefund(tx, order, 'an operator has rejected it')
  await deleteTagConflict(tx, order.orderId)
  return 'rejected'
}
