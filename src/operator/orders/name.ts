/** Names of orders, as operators give them. */
import type { OrderName } from '../../orders/order.ts'
import { isReferenceId } from '../../orders/reference-id.ts'
import { isOfHouse } from '../../values/house.ts'

/** The order that a text names as integrationId/referenceId; undefined where one of the two is missing. */
export function orderNamed(text: string): OrderName | undefined {
  const slash = text.indexOf('/')
  if (slash <= 0 || slash === text.length - 1) return undefined
  return { integrationId: text.slice(0, slash), referenceId: text.slice(slash + 1) }
}

/** Whatever the house tries once more has its number behind its name. */
const LATER = /^([^/]+)\/[1-9]\d{0,8}$/

/** Whether an order can have this name: a partner's reference, or that of an order of the house. */
export function isOrderName({ integrationId, referenceId }: OrderName): boolean {
  const [, first = referenceId] = isOfHouse({ integrationId }) ? (LATER.exec(referenceId) ?? []) : []
  return isReferenceId(first)
}
