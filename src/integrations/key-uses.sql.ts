/** SQL of the table `api_key_uses`. */
import type { Queryable } from '../db/database.ts'

/** When a key was last presented with its secret and admitted, and from which address. */
export type KeyUse = { keyId: string; usedAt: Date; address: string }

/** Records uses; of each key the newest stays, whichever process saw it, unless a clock that was ahead has dated it. Keys that are not there are left out. */
export async function recordKeyUses(db: Queryable, uses: readonly KeyUse[]): Promise<void> {
  await db.query(
    `insert into api_key_uses (key_id, last_used_at, last_used_from)
     select u.key_id, u.used_at, u.address from unnest($1::text[], $2::timestamptz[], $3::text[]) as u (key_id, used_at, address)
     join api_keys using (key_id) order by u.key_id
     on conflict (key_id) do update
       set last_used_at = excluded.last_used_at, last_used_from = excluded.last_used_from
       where api_key_uses.last_used_at < excluded.last_used_at or api_key_uses.last_used_at > now() + interval '10 minutes'`,
    [uses.map(({ keyId }) => keyId), uses.map(({ usedAt }) => usedAt), uses.map(({ address }) => address)],
  )
}

/** The last uses of these keys; a key that was never used is not in it. */
export async function findKeyUses(db: Queryable, keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUse>> {
  const rows = await db.query<{ key_id: string; last_used_at: Date; last_used_from: string }>(
    'select key_id, last_used_at, last_used_from from api_key_uses where key_id = any ($1::text[])',
    [keyIds],
  )
  return new Map(
    rows.map((row) => [row.key_id, { keyId: row.key_id, usedAt: row.last_used_at, address: row.last_used_from }]),
  )
}
