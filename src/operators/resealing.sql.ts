/** The requests that approvals keep, as far as they are sealed under an earlier key. */
import type { Queryable } from '../db/database.ts'
import type { SealedTable, SealedValue } from '../secrets/resealing.ts'

export const SEALED_APPROVALS: SealedTable<Queryable> = {
  name: 'approvals',
  find: (tx, { prefix, after, limit }) =>
    tx.query<SealedValue>(
      `select approval_id as key, approval_id as "boundTo", body as sealed from approvals
       where not starts_with(body, $1) and approval_id collate "C" > $2 order by approval_id collate "C" limit $3::int`,
      [prefix, after, limit],
    ),
  async replace(tx, { key, sealed }, { sealed: anew }) {
    const rows = await tx.query(
      'update approvals set body = $3 where approval_id = $1 and body = $2 returning approval_id',
      [key, sealed, anew],
    )
    return rows.length > 0
  },
}
