/** SQL of the table `bank_details`. */
import type { Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets.ts'
import { type BankDetails, openDetails, sealDetails } from './bank-details.ts'

/**
 * Keeps bank details, sealed.
 * @param given.customerId of a customer, whose details are found by each word of the name too
 * @returns their ids, in the same order
 */
export async function insertDetails(
  tx: Queryable,
  secrets: SecretBox,
  details: readonly BankDetails[],
  { customerId = null }: { customerId?: string | null } = {},
): Promise<string[]> {
  if (details.length === 0) return []
  const rows = details.map((each) => sealDetails(secrets, each, customerId !== null))
  await tx.query(
    `insert into bank_details (bank_id, sealed, account_key, text_key, name_keys, bic, account_ending, customer_id)
     select d."bankId", d.sealed, d."accountKey", d."textKey", d."nameKeys", d.bic, d."accountEnding", $2
     from jsonb_to_recordset($1::text::jsonb) as d ("bankId" text, sealed text, "accountKey" text, "textKey" text,
       "nameKeys" text[], bic text, "accountEnding" text)`,
    [JSON.stringify(rows), customerId],
  )
  return rows.map(({ bankId }) => bankId)
}

/** Keeps the bank details of one. @returns their id */
export async function insertOne(
  tx: Queryable,
  secrets: SecretBox,
  details: BankDetails,
  options: { customerId?: string | null } = {},
): Promise<string> {
  const [bankId] = await insertDetails(tx, secrets, [details], options)
  if (bankId === undefined) throw new Error('bank details were not stored')
  return bankId
}

/**
 * Opens bank details.
 * @returns by their ids; none where there is none
 * @throws SecretBoxError when one does not open
 */
export async function readDetails(
  db: Queryable,
  secrets: SecretBox,
  bankIds: readonly (string | null)[],
): Promise<Map<string, BankDetails>> {
  const wanted = [...new Set(bankIds)].filter((bankId) => bankId !== null)
  if (wanted.length === 0) return new Map()
  const rows = await db.query<{ bank_id: string; sealed: string }>(
    'select bank_id, sealed from bank_details where bank_id = any ($1::text[])',
    [wanted],
  )
  return new Map(rows.map(({ bank_id: bankId, sealed }) => [bankId, openDetails(secrets, { bankId, sealed })]))
}

/** Opens the bank details of one; undefined when there are none. @throws SecretBoxError when they do not open */
export async function readOne(
  db: Queryable,
  secrets: SecretBox,
  bankId: string | null,
): Promise<BankDetails | undefined> {
  return (await readDetails(db, secrets, [bankId])).values().next().value
}

/** Forgets bank details that nothing names any more. */
export async function deleteDetails(tx: Queryable, bankIds: readonly string[]): Promise<void> {
  await tx.query('delete from bank_details where bank_id = any ($1::text[])', [bankIds])
}

/**
 * Forgets the bank details of a customer, but for those to which something was paid: the books need them. They are no longer found
 * by name.
 * @param customerId whose row names none any more
 * @returns how many are kept
 */
export async function forgetCustomer(tx: Queryable, customerId: string): Promise<number> {
  await tx.query(
    `delete from bank_details d where d.customer_id = $1
       and not exists (select from payouts p where p.customer_id = $1 and p.bank_id = d.bank_id)
       and not exists (select from payout_attempts a join payouts p using (payout_id) where p.customer_id = $1 and a.bank_id = d.bank_id)`,
    [customerId],
  )
  const kept = await tx.query('update bank_details set name_keys = null where customer_id = $1 returning bank_id', [
    customerId,
  ])
  return kept.length
}
