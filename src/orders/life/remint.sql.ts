/**
 * Orders of the house that mint again what the chain has lost of a mint, or back what it has burnt of a redeem that had failed. As refunds are, they are settled like every order, belong to no
 * integration, count in no cap and have no event.
 */
import { ORDERS_ACCEPTED } from '../../db/channels.ts'
import type { Queryable } from '../../db/database.ts'
import { REMINTS } from '../../values/house.ts'

const INSERT = `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address,
    customer_id, key_id, amount_micro)
  select '${REMINTS}', $2, 'MINT', 'pending', chain_id, network, token_address, wallet_address, customer_id, '${REMINTS}', amount_micro
  from orders where order_id = $1 and direction in ('MINT', 'REDEEM') returning chain_id`

/**
 * Accepts the order that mints a lost one's coin again, to the wallet that had it, under a name that is used once for ever.
 * @throws the database's error when the name was used before, or nothing says that the coin is lost
 */
export async function insertRemint(tx: Queryable, lostOrderId: bigint, name: string): Promise<void> {
  const [row] = await tx.query<{ chain_id: bigint }>(INSERT, [lostOrderId, name])
  if (row === undefined) throw new Error(`order ${lostOrderId} moves coin from one wallet to another`)
  await tx.query(`select pg_notify('${ORDERS_ACCEPTED}', $1)`, [String(row.chain_id)])
}
