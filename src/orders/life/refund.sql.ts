/**
 * Orders of the house that mint coin back to the wallet that it was burnt from. They settle as every order does, so that they are
 * exactly as safe; but they belong to no integration, count in no cap, and have no event.
 */
import { ORDERS_ACCEPTED } from '../../db/channels.ts'
import type { Queryable } from '../../db/database.ts'
import { REFUNDS } from '../../values/house.ts'

const INSERT = `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address,
    customer_id, key_id, amount_micro)
  select '${REFUNDS}', $2, 'MINT', 'pending', chain_id, network, token_address, wallet_address, customer_id, '${REFUNDS}', $3
  from orders where order_id = $1 and direction = 'REDEEM' returning chain_id`

/**
 * Accepts the refund of a redeem under a name that is used once for ever.
 * @throws the database's error when the name was used before
 */
export async function insertRefund(
  tx: Queryable,
  refund: { redeemOrderId: bigint; name: string; amountMicro: bigint },
): Promise<void> {
  const [row] = await tx.query<{ chain_id: bigint }>(INSERT, [refund.redeemOrderId, refund.name, refund.amountMicro])
  if (row === undefined) throw new Error(`order ${refund.redeemOrderId} is no redeem`)
  await tx.query(`select pg_notify('${ORDERS_ACCEPTED}', $1)`, [String(row.chain_id)])
}

/** Whether a refund of this name may still be executed, or was not decided yet. Its row is locked. */
export async function isRefundOpen(tx: Queryable, name: string): Promise<boolean> {
  const rows = await tx.query<{ status: string }>(
    `select status from orders where integration_id = '${REFUNDS}' and reference_id = $1 for update`,
    [name],
  )
  return rows.some(({ status }) => status === 'pending' || status === 'processing')
}
