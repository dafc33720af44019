/** SQL of the table `wallets`. Addresses are EIP-55 checksummed. */
import type { Queryable } from '../db/database.ts'

export type Wallet = { address: string; isPrimary: boolean; createdAt: Date }

type WalletRow = { address: string; is_primary: boolean; created_at: Date }

const MAX_WALLETS = 1000

/** The wallets of a customer, oldest first; at most 1,000. */
export async function listWallets(db: Queryable, customerId: string): Promise<Wallet[]> {
  const rows = await db.query<WalletRow>(
    `select address, is_primary, created_at from wallets where customer_id = $1 order by created_at, address limit ${MAX_WALLETS}`,
    [customerId],
  )
  return rows.map((row) => ({ address: row.address, isPrimary: row.is_primary, createdAt: row.created_at }))
}

const WALLET_LOCK = 7_261_081

/** Until the transaction ends, nobody else gives this wallet to a customer: whoever looks for another holder sees them all. */
export async function lockWallet(tx: Queryable, address: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${WALLET_LOCK}, hashtext($1))`, [address])
}

/** Another customer with this wallet, if there is one, because sharing must be asked for. */
export async function findOtherHolder(db: Queryable, customerId: string, address: string): Promise<string | undefined> {
  const [row] = await db.query<{ customer_id: string }>(
    'select customer_id from wallets where address = $2 and customer_id <> $1 limit 1',
    [customerId, address],
  )
  return row?.customer_id
}

/** The customers to whom an address is linked, with their integrations and how they stand, in words. */
export async function findHolders(db: Queryable, address: string): Promise<string[]> {
  const rows = await db.query<{ holder: string }>(
    `select customer_id || ' of ' || c.integration_id || ', ' || c.verification_status as holder
     from wallets w join customers c using (customer_id) where w.address = $1 order by 1 limit 10`,
    [address],
  )
  return rows.map(({ holder }) => holder)
}

/**
 * Records a wallet of a customer; recording it again can only change which one is primary. A customer's first wallet is
 * primary; `makePrimary` makes this one primary instead. The transaction must have locked the customer.
 */
export async function addWallet(
  tx: Queryable,
  wallet: { customerId: string; address: string; makePrimary: boolean },
): Promise<void> {
  const { customerId, address, makePrimary } = wallet
  if (makePrimary) {
    await tx.query('update wallets set is_primary = false where customer_id = $1 and is_primary and address <> $2', [
      customerId,
      address,
    ])
  }
  await tx.query(
    `insert into wallets (customer_id, address, is_primary)
    values ($1, $2, $3 or not exists (select 1 from wallets where customer_id = $1))
    on conflict (customer_id, address) do update set is_primary = wallets.is_primary or $3`,
    [customerId, address, makePrimary],
  )
}

/**
 * Takes a wallet from a customer, so that nothing is debited from it any more. @returns true when the customer had it
 */
export async function removeWallet(tx: Queryable, customerId: string, address: string): Promise<boolean> {
  const rows = await tx.query('delete from wallets where customer_id = $1 and address = $2 returning address', [
    customerId,
    address,
  ])
  return rows.length > 0
}
