/** The secrets of endpoints, as far as they are sealed under an earlier key. */
import type { Queryable } from '../../db/database.ts'
import type { SealedTable, SealedValue } from '../../secrets/resealing.ts'

const SECRETS = `
  select endpoint_id || '/current' as key, endpoint_id as "boundTo", secret_encrypted as sealed from webhook_endpoints
  union all
  select endpoint_id || '/next', endpoint_id, next_secret_encrypted from webhook_endpoints`

export const SEALED_ENDPOINTS: SealedTable<Queryable> = {
  name: 'webhook_endpoints',
  find: (tx, { prefix, after, limit }) =>
    tx.query<SealedValue>(
      `select key, "boundTo", sealed from (${SECRETS}) s where sealed is not null and not starts_with(sealed, $1)
         and key collate "C" > $2 order by key collate "C" limit $3::int`,
      [prefix, after, limit],
    ),
  async replace(tx, { key, boundTo, sealed }, { sealed: anew }) {
    const column = key.endsWith('/next') ? 'next_secret_encrypted' : 'secret_encrypted'
    const rows = await tx.query(
      `update webhook_endpoints set ${column} = $3 where endpoint_id = $1 and ${column} = $2 returning endpoint_id`,
      [boundTo, sealed, anew],
    )
    return rows.length > 0
  },
}
