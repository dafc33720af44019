/** SQL of the table `customers`. */
import { accountKeys, wordKeys } from '../bank-details/bank-details.ts'
import type { Param, Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { newId } from '../values/ids.ts'
import type { AccountType, Customer, CustomerDetails } from './customer.ts'
import { type VerificationStatus, verifiedAtSql } from './verification.ts'

const select = (bank: string, from: string) => `
  select c.customer_id, c.integration_id, c.account_type, c.verification_status, c.verification_level, c.verified_at,
    c.country_code, c.is_resident, c.monthly_cap_micro, c.can_mint, c.can_redeem, c.can_transfer,
    c.bank_id, ${bank}, c.external_id, c.erased_at, c.created_at, coalesce(u.committed_micro, 0) as committed_micro,
    exists (select 1 from wallets w where w.customer_id = c.customer_id) as has_wallet
  from ${from}
  left join withdrawal_usage u on u.customer_id = c.customer_id
    and u.month = date_trunc('month', now() at time zone 'utc')::date`

const SELECT_CUSTOMERS = select(
  'd.bic as bank_bic, d.account_ending',
  'customers c left join bank_details d using (bank_id)',
)
/** Who answers partners reads no bank details at all. */
const PARTNERS_CUSTOMERS = select('null as bank_bic, null as account_ending', 'customers c')

type CustomerRow = {
  customer_id: string
  integration_id: string
  account_type: AccountType
  verification_status: VerificationStatus
  verification_level: string
  verified_at: Date | null
  country_code: string
  is_resident: boolean
  monthly_cap_micro: bigint
  can_mint: boolean
  can_redeem: boolean
  can_transfer: boolean
  bank_id: string | null
  bank_bic: string | null
  account_ending: string | null
  external_id: string | null
  erased_at: Date | null
  created_at: Date
  committed_micro: bigint
  has_wallet: boolean
}

function customerFromRow(row: CustomerRow): Customer {
  const { bank_id: bankId, bank_bic: bic, account_ending: accountEnding } = row
  return {
    customerId: row.customer_id,
    integrationId: row.integration_id,
    accountType: row.account_type,
    status: row.verification_status,
    level: row.verification_level,
    verifiedAt: row.verified_at,
    countryCode: row.country_code,
    isResident: row.is_resident,
    monthlyCapMicro: row.monthly_cap_micro,
    monthlyCommittedMicro: row.committed_micro,
    canMint: row.can_mint,
    canRedeem: row.can_redeem,
    canTransfer: row.can_transfer,
    bankId,
    bank: bankId === null ? null : { bic, accountEnding },
    externalId: row.external_id,
    hasWallet: row.has_wallet,
    erasedAt: row.erased_at,
    createdAt: row.created_at,
  }
}

/** A customer linked to the integration, without what is shown of its bank account; undefined for any other id (contract: the same 404 for both). */
export async function findCustomer(
  db: Queryable,
  integrationId: string,
  customerId: string,
): Promise<Customer | undefined> {
  const [row] = await db.query<CustomerRow>(
    `${PARTNERS_CUSTOMERS} where c.customer_id = $1 and c.integration_id = $2`,
    [customerId, integrationId],
  )
  return row && { ...customerFromRow(row), bank: null }
}

/** A customer of any integration, for operators. */
export async function findCustomerOfAny(db: Queryable, customerId: string): Promise<Customer | undefined> {
  const [row] = await db.query<CustomerRow>(`${SELECT_CUSTOMERS} where c.customer_id = $1`, [customerId])
  return row === undefined ? undefined : customerFromRow(row)
}

/** The customer of an integration that has this external id. */
export async function findByExternalId(
  db: Queryable,
  integrationId: string,
  externalId: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ customer_id: string }>(
    'select customer_id from customers where integration_id = $1 and external_id = $2',
    [integrationId, externalId],
  )
  return row?.customer_id
}

/** Locks a customer until the transaction ends, so that what is read next can be changed safely. */
export async function lockCustomer(tx: Queryable, customerId: string): Promise<void> {
  await tx.query('select 1 from customers where customer_id = $1 for no key update', [customerId])
}

/** At most `limit` customers of an integration, oldest first, after the customer `after` when given. */
export async function listCustomers(
  db: Queryable,
  page: { integrationId: string; after: string | undefined; limit: number },
): Promise<Customer[]> {
  const rows = await db.query<CustomerRow>(
    `${SELECT_CUSTOMERS}
    where c.integration_id = $1 and ($2::text is null or (c.created_at, c.customer_id) >
      (select a.created_at, a.customer_id from customers a where a.customer_id = $2))
    order by c.created_at, c.customer_id limit $3`,
    [page.integrationId, page.after ?? null, page.limit],
  )
  return rows.map(customerFromRow)
}

/**
 * Customers of any integration that a text may mean, for operators: an id, an external id, a wallet, an account number, or
 * words of a name, all of them. At most `limit`, oldest first. Each is looked for by an index of its own, whatever the number of
 * customers: of conditions joined by `or` PostgreSQL reads all of them.
 * @param tx the caller's transaction, which may use bitmap scans from here on: the index of words serves only these, and connections
 * have them switched off
 */
export async function findCustomers(
  tx: Queryable,
  secrets: SecretBox,
  { text, address, limit }: { text: string; address: string | undefined; limit: number },
): Promise<Customer[]> {
  const words = wordKeys(secrets, text)
  const byName = words.map((_, index) => `d.name_keys && $${index + 5}::text[]`).join(' and ') || 'false'
  const ofBank = 'select c.customer_id from bank_details d join customers c using (bank_id, customer_id)'
  await tx.query(`select set_config('enable_bitmapscan', 'on', true)`)
  const rows = await tx.query<CustomerRow>(
    `with found as (
      select customer_id from customers where customer_id = $1
      union select c.customer_id from integrations i join customers c using (integration_id) where c.external_id = $1
      union select w.customer_id from wallets w where w.address = $2
      union ${ofBank} where d.account_key = any ($4::text[])
      union ${ofBank} where ${byName})
    ${SELECT_CUSTOMERS} where c.customer_id in (select customer_id from found)
    order by c.created_at, c.customer_id limit $3`,
    [text, address ?? null, limit, accountKeys(secrets, text), ...words],
  )
  return rows.map(customerFromRow)
}

function detailParams(details: CustomerDetails): Param[] {
  return [
    details.accountType,
    details.status,
    details.level,
    details.countryCode,
    details.isResident,
    details.monthlyCapMicro,
    details.canMint,
    details.canRedeem,
    details.canTransfer,
    details.bankId,
    details.externalId ?? null,
  ]
}

/** An id for a new customer, for whoever needs it before the customer is there. */
export function newCustomerId(): string {
  return newId('cus')
}

/** Links a new customer to an integration. @returns its id */
export async function insertCustomer(
  tx: Queryable,
  integrationId: string,
  details: CustomerDetails,
  customerId = newCustomerId(),
): Promise<string> {
  await tx.query(
    `insert into customers (customer_id, integration_id, account_type, verification_status, verification_level,
      country_code, is_resident, monthly_cap_micro, can_mint, can_redeem, can_transfer, bank_id, external_id,
      verified_at)
    values ($1, $2, $3, $4::text, $5, $6, $7, $8, $9, $10, $11, $12, $13, ${verifiedAtSql('$4::text', 'null')})`,
    [customerId, integrationId, ...detailParams(details)],
  )
  return customerId
}

/** Replaces a customer's details. */
export async function updateCustomer(tx: Queryable, customerId: string, details: CustomerDetails): Promise<void> {
  await tx.query(
    `update customers set account_type = $2, verification_status = $3::text, verification_level = $4, country_code = $5,
      is_resident = $6, monthly_cap_micro = $7, can_mint = $8, can_redeem = $9, can_transfer = $10, bank_id = $11,
      external_id = $12, verified_at = ${verifiedAtSql('$3::text', 'verified_at')}
    where customer_id = $1`,
    [customerId, ...detailParams(details)],
  )
}
