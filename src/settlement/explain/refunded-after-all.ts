/**
 * Coin that an order of the house has minted back although it had failed, because its chain was called lost: the chain was found, and had its bytes executed.
 * They are read as what others did, and no order took them.
 */
import type { Queryable } from '../../db/database.ts'
import type { Order } from '../../orders/order.ts'
import { REFUNDS } from '../../values/house.ts'
import { orderTag } from '../../values/order-tag.ts'
import { isSettledAs } from '../form/settled-tags.ts'
import { deleteTagConflict, markOf } from '../tables/explanations.sql.ts'
import { readSettledTags } from '../tables/foreign.sql.ts'
import { keepRefunded } from './executed-after-all.ts'

/**
 * Ends its payout as minted back; or books that its integration owes the ringgit, where that was paid since.
 * @param tx has locked the chain
 * @returns undefined where nothing has minted it
 */
export async function endRefundedByOthers(
  tx: Queryable,
  order: Order,
): Promise<Awaited<ReturnType<typeof keepRefunded>> | undefined> {
  const { orderId, chainId, integrationId, referenceId, status } = order
  if (integrationId !== REFUNDS || status !== 'failed') return undefined
  const settled = (await readSettledTags(tx, [orderTag(integrationId, referenceId)])).find(
    (each) => each.succeeded && each.orderId === null && each.notOfOrderId !== orderId && isSettledAs(order, each),
  )
  if (settled === undefined) return undefined
  // First, or the payout would count as one whose coin is being minted back.
  await markOf(tx, chainId, settled, orderId)
  await deleteTagConflict(tx, orderId)
  return await keepRefunded(tx, { ...order, batchId: settled.batchId })
}
