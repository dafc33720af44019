/** Orders of the house that mint again what the chain has lost of a mint, or back what it has burnt of a redeem that had failed. */
import type { Queryable } from '../../db/database.ts'
import { REMINTS } from '../../values/house.ts'
import { insertHouseOrder } from './house-order.sql.ts'

/**
 * Accepts the order that mints a lost one's coin again, to the wallet that had it, under a name that is used once for ever.
 * @throws the database's error when the name was used before, or nothing says that the coin is lost
 */
export async function insertRemint(tx: Queryable, lostOrderId: bigint, name: string): Promise<void> {
  const remint = { house: REMINTS, ofOrderId: lostOrderId, name, amountMicro: null } as const
  const isAccepted = await insertHouseOrder(tx, { ...remint, directions: ['MINT', 'REDEEM'] })
  if (!isAccepted) throw new Error(`order ${lostOrderId} moves coin from one wallet to another`)
}
