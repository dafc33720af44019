/** Which wallets belong to customers that were made to fail on chain. */
import type { Queryable } from '../../db/database.ts'

/** Whether the address is a wallet of a customer whose external id begins so. */
export async function isWalletOf(db: Queryable, address: string, externalId: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 from wallets w join customers c on c.customer_id = w.customer_id
     where w.address = $1 and starts_with(c.external_id, $2) limit 1`,
    [address, externalId],
  )
  return rows.length > 0
}
