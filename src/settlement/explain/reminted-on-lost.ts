/**
 * Payouts on a chain that is gone for good whose coin a lost history had minted back. No order can be made there that would
 * take that outcome, and to pay them would leave their holders with both.
 */
import type { Queryable } from '../../db/database.ts'
import { endUnpaid, findRedeemOf, type NotEnded } from '../../payouts/lost-burn.sql.ts'
import { findReminted } from '../../payouts/reminted.sql.ts'
import { markOf } from '../tables/explanations.sql.ts'

/**
 * Ends one as minted back: what did that counts for its redeem, and stays owed.
 * @returns undefined where nothing has minted it back, or operators have said that no order asked for that
 */
export async function endReminted(tx: Queryable, payoutId: string): Promise<'ended' | NotEnded | undefined> {
  const reminted = await findReminted(tx, payoutId)
  const redeem = await findRedeemOf(tx, { referenceId: payoutId })
  if (reminted === undefined || reminted.isExplained || redeem === undefined) return undefined
  // First, or it would count as coin that others made beside.
  await markOf(tx, redeem.chainId, reminted, redeem.orderId)
  return await endUnpaid(tx, redeem, { ...redeem, amountMicro: reminted.amountMicro })
}
