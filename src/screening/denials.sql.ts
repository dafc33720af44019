/** SQL of the table `screening_denials`: recipients that no transfer may reach. Stored in lower case. */
import type { Queryable } from '../db/database.ts'

/** Denies an address. @returns true when it was not denied before */
export async function denyAddress(tx: Queryable, address: string): Promise<boolean> {
  const rows = await tx.query(
    'insert into screening_denials (address) values (lower($1)) on conflict do nothing returning address',
    [address],
  )
  return rows.length > 0
}

/** Takes an address off the deny list. @returns true when it was on it */
export async function allowAddress(tx: Queryable, address: string): Promise<boolean> {
  const rows = await tx.query('delete from screening_denials where address = lower($1) returning address', [address])
  return rows.length > 0
}

/** When an address was denied; undefined when it is not on the deny list. */
export async function findDenial(db: Queryable, address: string): Promise<Date | undefined> {
  const [row] = await db.query<{ created_at: Date }>(
    'select created_at from screening_denials where address = lower($1)',
    [address],
  )
  return row?.created_at
}

export type Denial = { address: string; deniedSince: Date }

/** At most `limit` addresses of the deny list, in their order, after the address `after`. */
export async function listDenials(
  db: Queryable,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<Denial[]> {
  const rows = await db.query<{ address: string; created_at: Date }>(
    `select address, created_at from screening_denials where $1::text is null or address > lower($1)
     order by address limit $2::int`,
    [after ?? null, limit],
  )
  return rows.map((row) => ({ address: row.address, deniedSince: row.created_at }))
}
