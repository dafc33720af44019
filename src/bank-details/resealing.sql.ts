/** Bank details, as far as they are sealed under an earlier key. Their hashes are made anew with the seal. */
import type { Queryable } from '../db/database.ts'
import type { SealedTable, SealedValue } from '../secrets/resealing.ts'
import { detailsFrom, hashesOf } from './bank-details.ts'

export const SEALED_BANK_DETAILS: SealedTable<Queryable> = {
  name: 'bank_details',
  find: (tx, { prefix, after, limit }) =>
    tx.query<SealedValue>(
      `select bank_id as key, concat_ws(' ', bank_id, customer_id, payment) as "boundTo", sealed from bank_details
       where not starts_with(sealed, $1) and bank_id collate "C" > $2 order by bank_id collate "C" limit $3::int`,
      [prefix, after, limit],
    ),
  async replace(tx, { key, sealed }, { sealed: anew, text, secrets }) {
    const { accountKey, textKey, nameKeys } = hashesOf(secrets, detailsFrom(text), true)
    const rows = await tx.query(
      `update bank_details set sealed = $3, account_key = $4, text_key = $5,
         name_keys = case when name_keys is null then null else $6::text[] end
       where bank_id = $1 and sealed = $2 returning bank_id`,
      [key, sealed, anew, accountKey, textKey, nameKeys === null ? null : [...nameKeys]],
    )
    return rows.length > 0
  },
}
