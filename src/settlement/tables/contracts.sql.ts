/** Which contracts a database belongs to, of the table `chains` (read-only). */
import type { Queryable } from '../../db/database.ts'

/** EIP-55 addresses. */
export type OwnContracts = { coinAddress: string; settlementAddress: string }

/** By chain, those that were registered. */
export async function readOwnContracts(db: Queryable): Promise<Map<number, OwnContracts>> {
  const rows = await db.query<{ chain_id: bigint; coin_address: string; settlement_address: string }>(
    'select chain_id, coin_address, settlement_address from chains',
  )
  return new Map(
    rows.map((row) => [
      Number(row.chain_id),
      { coinAddress: row.coin_address, settlementAddress: row.settlement_address },
    ]),
  )
}
