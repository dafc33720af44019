/** Orders of the house that mint coin back to the wallet from which it was burnt. */
import type { Queryable } from '../../db/database.ts'
import { REFUNDS } from '../../values/house.ts'
import { insertHouseOrder } from './house-order.sql.ts'

/**
 * Accepts the refund of a redeem under a name that is used once for ever.
 * @throws the database's error when the name was used before
 */
export async function insertRefund(
  tx: Queryable,
  refund: { redeemOrderId: bigint; name: string; amountMicro: bigint },
): Promise<void> {
  const { redeemOrderId, name, amountMicro } = refund
  const order = { house: REFUNDS, ofOrderId: redeemOrderId, name, amountMicro } as const
  const isAccepted = await insertHouseOrder(tx, { ...order, directions: ['REDEEM'] })
  if (!isAccepted) throw new Error(`order ${redeemOrderId} is no redeem`)
}

/** Whether a refund of this name may still be executed, or was not decided yet. Its row is locked. */
export async function isRefundOpen(tx: Queryable, name: string): Promise<boolean> {
  const rows = await tx.query<{ status: string }>(
    `select status from orders where integration_id = '${REFUNDS}' and reference_id = $1 for update`,
    [name],
  )
  // A mint that was signed is stored as pending, too.
  return rows.some(({ status }) => status === 'pending')
}
