/** Orders of the house. They settle as every order does, so they are exactly as safe; but they belong to no integration, count in no cap, and have no event. */
import { ORDERS_ACCEPTED } from '../../db/channels.ts'
import type { Queryable } from '../../db/database.ts'
import type { REFUNDS, REMINTS } from '../../values/house.ts'
import type { Direction } from '../order.ts'

const INSERT = `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address,
    customer_id, key_id, amount_micro)
  select $2::text, $3, 'MINT', 'pending', chain_id, network, token_address, wallet_address, customer_id, $2::text,
    coalesce($4::bigint, amount_micro)
  from orders where order_id = $1 and direction = any ($5::text[]) returning chain_id`

/**
 * Accepts an order of the house: it mints coin to the wallet of another order.
 * @param order.name used once for ever
 * @param order.amountMicro null: as much as that order
 * @param order.directions those that the other order may have
 * @returns false when it has another direction
 * @throws the database's error when the name was used before, or nothing says that this is owed
 */
export async function insertHouseOrder(
  tx: Queryable,
  order: {
    house: typeof REFUNDS | typeof REMINTS
    ofOrderId: bigint
    name: string
    amountMicro: bigint | null
    directions: readonly Direction[]
  },
): Promise<boolean> {
  const { house, ofOrderId, name, amountMicro, directions } = order
  const [row] = await tx.query<{ chain_id: bigint }>(INSERT, [ofOrderId, house, name, amountMicro, directions])
  if (row === undefined) return false
  await tx.query(`select pg_notify('${ORDERS_ACCEPTED}', $1)`, [String(row.chain_id)])
  return true
}
