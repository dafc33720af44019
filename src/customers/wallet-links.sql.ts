/** SQL of the table `wallet_links`: the consents by which wallets are linked, chain by chain. Addresses are EIP-55 checksummed. */
import type { Queryable } from '../db/database.ts'

/** A holder's signature, good until `deadline` (seconds since 1970). */
export type StoredConsent = { signature: `0x${string}`; deadline: bigint }

export type LinkKey = { customerId: string; address: string; chainId: number }

/** Keeps the consent by which a link is about to be made. Without one, the earlier consent stays. */
export async function beginLink(tx: Queryable, link: LinkKey, consent: StoredConsent | undefined): Promise<void> {
  await tx.query(
    `insert into wallet_links (customer_id, address, chain_id, consent, consent_deadline) values ($1, $2, $3, $4, $5)
    on conflict (customer_id, address, chain_id) do update
    set consent = excluded.consent, consent_deadline = excluded.consent_deadline where excluded.consent is not null`,
    [link.customerId, link.address, link.chainId, consent?.signature ?? null, consent?.deadline ?? null],
  )
}

/** The consent that was kept for a link. */
export async function findConsent(db: Queryable, link: LinkKey): Promise<StoredConsent | undefined> {
  const [row] = await db.query<{ consent: `0x${string}`; consent_deadline: bigint }>(
    `select consent, consent_deadline from wallet_links
    where customer_id = $1 and address = $2 and chain_id = $3 and consent is not null`,
    [link.customerId, link.address, link.chainId],
  )
  return row === undefined ? undefined : { signature: row.consent, deadline: row.consent_deadline }
}

/** Whether a link of a wallet to a customer was begun, however far that has come, and was not ended. */
export async function isBegun(db: Queryable, customerId: string, address: string): Promise<boolean> {
  const rows = await db.query('select from wallet_links where customer_id = $1 and address = $2 limit 1', [
    customerId,
    address,
  ])
  return rows.length > 0
}

/** The chains on which it was, and was not ended. */
export async function chainsBegun(db: Queryable, customerId: string, address: string): Promise<ReadonlySet<number>> {
  const rows = await db.query<{ chain_id: bigint }>(
    'select chain_id from wallet_links where customer_id = $1 and address = $2',
    [customerId, address],
  )
  return new Set(rows.map((row) => Number(row.chain_id)))
}

/** Records that the chain shows the link. @returns false when it has been ended since it was begun */
export async function recordLinked(tx: Queryable, { customerId, address, chainId }: LinkKey): Promise<boolean> {
  const rows = await tx.query(
    `update wallet_links set linked_at = coalesce(linked_at, now())
    where customer_id = $1 and address = $2 and chain_id = $3 returning chain_id`,
    [customerId, address, chainId],
  )
  return rows.length > 0
}

/** Deletes the links of a wallet to a customer, after the chains have. */
export async function deleteLinks(tx: Queryable, customerId: string, address: string): Promise<void> {
  await tx.query('delete from wallet_links where customer_id = $1 and address = $2', [customerId, address])
}
