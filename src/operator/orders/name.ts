/** Names of orders, as operators give them. */

import { isReferenceId } from '../../orders/reference-id.ts'
import { REFUNDS } from '../../values/order-tag.ts'

/** Every refund of a payout after the first has its number behind the payout's id. */
const LATER_REFUND = /^([^/]+)\/[1-9]\d{0,8}$/

/** Whether an order can have this name: a partner's reference, or that of a refund. */
export function isOrderName(integrationId: string, referenceId: string): boolean {
  const [, payoutId = referenceId] = integrationId === REFUNDS ? (LATER_REFUND.exec(referenceId) ?? []) : []
  return isReferenceId(payoutId)
}
