/** Payment files that wait, also because no key that a payer has opens them. */
import type { Queryable } from '../db/database.ts'

/** The oldest of them. @param bySomePayer only those of which a payer has said that they do not open */
export async function listNotOut(db: Queryable, bySomePayer: boolean, limit: number): Promise<string[]> {
  const rows = await db.query<{ message_id: string }>(
    `select message_id from payment_files where put_out_at is null and withdrawn_at is null and (not $1::boolean or not_opened_since is not null)
     order by file_number, prefix limit $2::int`,
    [bySomePayer, limit],
  )
  return rows.map((row) => row.message_id)
}
