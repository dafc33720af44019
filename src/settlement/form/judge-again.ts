/** Orders that were accepted before something was decided that would refuse them now. */
import type { Queryable } from '../../db/database.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { holdOrders } from '../../orders/life/hold.sql.ts'
import { readObjections } from '../tables/objections.sql.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'

const idsOf = (orders: readonly PendingOrder[]) => orders.map(({ orderId }) => orderId)

/** Whether any of them may not settle any more, as the transaction sees it. */
export async function isAnyObjected(tx: Queryable, orders: readonly PendingOrder[]): Promise<boolean> {
  return (await readObjections(tx, idsOf(orders))).length > 0
}

/**
 * Holds what may not settle any more: of a suspended integration or customer, or with a denied wallet.
 * @returns those, which do not settle now; the others go on: of one integration there may be very many, and nobody waits for their holds
 */
export async function holdObjected(
  { db, chain, lease, logger }: Work,
  orders: readonly PendingOrder[],
): Promise<ReadonlySet<bigint>> {
  const objections = await readObjections(db, idsOf(orders))
  if (objections.length === 0) return new Set()
  await underLease(db, lease, (tx) => holdOrders(tx, objections))
  for (const { orderId, reason } of objections)
    logger.warn(
      { chainId: chain.config.chainId, orderId: String(orderId), reason },
      'an order is held: an operator decides',
    )
  return new Set(objections.map(({ orderId }) => orderId))
}
