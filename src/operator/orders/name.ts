/** Names of orders, as operators give them. */

import { isReferenceId } from '../../orders/reference-id.ts'
import { isOfHouse } from '../../values/house.ts'

/** Whatever the house tries once more has its number behind its name. */
const LATER = /^([^/]+)\/[1-9]\d{0,8}$/

/** Whether an order can have this name: a partner's reference, or that of an order of the house. */
export function isOrderName(integrationId: string, referenceId: string): boolean {
  const [, first = referenceId] = isOfHouse({ integrationId }) ? (LATER.exec(referenceId) ?? []) : []
  return isReferenceId(first)
}
