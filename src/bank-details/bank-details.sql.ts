/** SQL of the table `bank_details`. */
import type { Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { type BankDetails, type Belonging, openDetails, type Sealed, sealDetails } from './bank-details.ts'

/**
 * Keeps bank details, sealed.
 * @param belonging whose, or of what, they are; a customer's are found by each word of the name too
 * @returns their ids, in the same order
 */
export async function insertDetails(
  tx: Queryable,
  secrets: SecretBox,
  details: readonly BankDetails[],
  belonging: Belonging = {},
): Promise<string[]> {
  if (details.length === 0) return []
  const rows = details.map((each) => sealDetails(secrets, each, belonging))
  await tx.query(
    `insert into bank_details (bank_id, sealed, account_key, text_key, name_keys, bic, account_ending, customer_id, payment)
     select d."bankId", d.sealed, d."accountKey", d."textKey", d."nameKeys", d.bic, d."accountEnding", $2, $3
     from jsonb_to_recordset($1::text::jsonb) as d ("bankId" text, sealed text, "accountKey" text, "textKey" text,
       "nameKeys" text[], bic text, "accountEnding" text)`,
    [JSON.stringify(rows), belonging.customerId ?? null, belonging.payment ?? null],
  )
  return rows.map(({ bankId }) => bankId)
}

/** Keeps the bank details of one. @returns their id */
export async function insertOne(
  tx: Queryable,
  secrets: SecretBox,
  details: BankDetails,
  belonging: Belonging = {},
): Promise<string> {
  const [bankId] = await insertDetails(tx, secrets, [details], belonging)
  if (bankId === undefined) throw new Error('bank details were not stored')
  return bankId
}

type Row = { bankId: string; sealed: string; customerId: string | null; payment: string | null; ending: string | null }

async function readRows(db: Queryable, bankIds: readonly (string | null)[]): Promise<Row[]> {
  const wanted = [...new Set(bankIds)].filter((bankId) => bankId !== null)
  if (wanted.length === 0) return []
  return await db.query<Row>(
    `select bank_id as "bankId", sealed, customer_id as "customerId", payment, account_ending as ending
     from bank_details where bank_id = any ($1::text[])`,
    [wanted],
  )
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
  const rows = await readRows(db, bankIds)
  return new Map(rows.map((row) => [row.bankId, openDetails(secrets, row)]))
}

/** Opens the bank details of one; undefined when there are none. @throws SecretBoxError when they do not open */
export async function readOne(
  db: Queryable,
  secrets: SecretBox,
  bankId: string | null,
): Promise<BankDetails | undefined> {
  return (await readDetails(db, secrets, [bankId])).values().next().value
}

/**
 * Opens what does open, where details are only looked at. In place of the others stands the end of the account, and that they do not
 * open: one of them is no reason to show nothing of all the others.
 * @returns by their ids; none where there is none
 */
export async function showDetails(
  db: Queryable,
  secrets: SecretBox,
  bankIds: readonly (string | null)[],
): Promise<Map<string, BankDetails>> {
  const rows = await readRows(db, bankIds)
  return new Map(rows.map((row) => [row.bankId, openedOrNot(secrets, row) ?? notOpened(row)]))
}

/**
 * Opens details of which the caller says what they belong to.
 * @returns in the same order; undefined for those that do not open as that
 */
export async function readBelonging(
  db: Queryable,
  secrets: SecretBox,
  wanted: readonly (Belonging & { bankId: string })[],
): Promise<(BankDetails | undefined)[]> {
  const rows = await readRows(
    db,
    wanted.map(({ bankId }) => bankId),
  )
  const sealed = new Map(rows.map((row) => [row.bankId, row.sealed]))
  return wanted.map((one) => openedOrNot(secrets, { ...one, sealed: sealed.get(one.bankId) ?? '' }))
}

/** What is shown for a name, or a bank's words, that do not open. */
export const NOT_OPENED = '(cannot be opened with the present key)'

function notOpened({ ending }: Row): BankDetails {
  return { bic: null, account: ending === null ? null : `…${ending}`, name: NOT_OPENED, text: NOT_OPENED }
}

function openedOrNot(secrets: SecretBox, sealed: Sealed): BankDetails | undefined {
  try {
    return openDetails(secrets, sealed)
  } catch {
    return undefined
  }
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
