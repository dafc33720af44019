/** The end of a batch: the ends of its orders, and the payouts of the redeems that it burnt. */
import type { Queryable } from '../db/database.ts'
import { type BatchOutcome, completeRedeems, decideOrders } from '../orders/life/outcome.ts'
import { queuePayouts } from './queue.sql.ts'

/**
 * Decides every order of a batch that is final on chain: mints and transfers complete or fail, burnt redeems go on to
 * their payout, and a redeem with less than one sen to pay completes. Repeating this changes nothing.
 * @param tx the caller's transaction, which has marked the batch final
 */
export async function decideBatch(tx: Queryable, outcome: BatchOutcome): Promise<void> {
  const burnt = await decideOrders(tx, outcome)
  const paid = await queuePayouts(tx, burnt)
  const unpaid = burnt.filter(({ orderId }) => !paid.has(orderId))
  await completeRedeems(
    tx,
    unpaid.map(({ orderId }) => orderId),
  )
}
