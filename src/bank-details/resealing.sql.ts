/** Bank details, as far as they are sealed under an earlier key. Their hashes are made anew with the seal. */
import type { Queryable } from '../db/database.ts'
import type { SealedTable, SealedValue } from '../secrets/resealing.ts'
import { detailsFrom, hashesOf } from './bank-details.ts'

/** What leads from details that nothing opens to whoever must set them again; the rest is what banks have said, which nobody does. */
const WHOSE = `case
    when d.customer_id is not null then 'customer ' || d.customer_id || case when exists (
      select from customers c where c.customer_id = d.customer_id and c.bank_id = d.bank_id) then '' else ', an account of before' end
    when d.payment is not null then 'the payee of ' || split_part(d.payment, ' ', 1)
    else coalesce((select 'remitter of ' || r.integration_id from integration_remitters r where r.bank_id = d.bank_id), 'of a line of a bank') end`

export const SEALED_BANK_DETAILS: SealedTable<Queryable> = {
  name: 'bank_details',
  find: (tx, { prefix, after, limit }) =>
    tx.query<SealedValue>(
      `select d.bank_id as key, concat_ws(' ', d.bank_id, d.customer_id, d.payment) as "boundTo", d.sealed, ${WHOSE} as whose from (
         select * from bank_details where not starts_with(sealed, $1) and bank_id collate "C" > $2 order by bank_id collate "C" limit $3::int) d
       order by d.bank_id collate "C"`,
      [prefix, after, limit],
    ),
  async replace(tx, { key, sealed }, { sealed: anew, text, secrets }) {
    const { accountKey, textKey, nameKeys } = hashesOf(secrets, detailsFrom(text), { isFoundByName: true })
    const rows = await tx.query(
      `update bank_details set sealed = $3, account_key = $4, text_key = $5,
         name_keys = case when name_keys is null then null else $6::text[] end
       where bank_id = $1 and sealed = $2 returning bank_id`,
      [key, sealed, anew, accountKey, textKey, nameKeys === null ? null : [...nameKeys]],
    )
    return rows.length > 0
  },
}
