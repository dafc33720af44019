/** SQL of the table `customers`. */
import { randomBytes } from 'node:crypto'
import type { Param, Queryable } from '../db/database.ts'
import type { AccountType, Customer, CustomerDetails } from './customer.ts'
import { type VerificationStatus, verifiedAtSql } from './verification.ts'

const SELECT_CUSTOMERS = `
  select c.customer_id, c.integration_id, c.account_type, c.verification_status, c.verification_level, c.verified_at,
    c.country_code, c.is_resident, c.monthly_cap_micro, c.can_mint, c.can_redeem, c.can_transfer,
    c.bank_bic, c.bank_account, c.bank_name, c.external_id, c.created_at, coalesce(u.committed_micro, 0) as committed_micro,
    exists (select 1 from wallets w where w.customer_id = c.customer_id) as has_wallet
  from customers c
  left join withdrawal_usage u on u.customer_id = c.customer_id
    and u.month = date_trunc('month', now() at time zone 'utc')::date`

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
  bank_bic: string | null
  bank_account: string | null
  bank_name: string | null
  external_id: string | null
  created_at: Date
  committed_micro: bigint
  has_wallet: boolean
}

function customerFromRow(row: CustomerRow): Customer {
  const { bank_bic: bic, bank_account: account, bank_name: name } = row
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
    bank: bic === null || account === null || name === null ? null : { bic, account, name },
    externalId: row.external_id,
    hasWallet: row.has_wallet,
    createdAt: row.created_at,
  }
}

/** A customer linked to the integration; undefined for any other id (contract: the same 404 for both). */
export async function findCustomer(
  db: Queryable,
  integrationId: string,
  customerId: string,
): Promise<Customer | undefined> {
  const customer = await findCustomerOfAny(db, customerId)
  return customer?.integrationId === integrationId ? customer : undefined
}

/** A customer of any integration, for operators. */
export async function findCustomerOfAny(db: Queryable, customerId: string): Promise<Customer | undefined> {
  const [row] = await db.query<CustomerRow>(`${SELECT_CUSTOMERS} where c.customer_id = $1`, [customerId])
  return row === undefined ? undefined : customerFromRow(row)
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
 * Customers of any integration that a text may mean, for operators: an id, an external id, a wallet, an account number, or a
 * part of a name. At most `limit`, oldest first.
 */
export async function findCustomers(
  db: Queryable,
  { text, address, limit }: { text: string; address: string | undefined; limit: number },
): Promise<Customer[]> {
  const rows = await db.query<CustomerRow>(
    `${SELECT_CUSTOMERS}
    where c.customer_id = $1 or c.external_id = $1 or c.bank_account = $1
      or (length($1) >= 3 and position(lower($1) in lower(c.bank_name)) > 0)
      or c.customer_id in (select w.customer_id from wallets w where w.address = $2)
    order by c.created_at, c.customer_id limit $3`,
    [text, address ?? null, limit],
  )
  return rows.map(customerFromRow)
}

function detailParams(details: CustomerDetails): Param[] {
  const { bank } = details
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
    bank?.bic ?? null,
    bank?.account ?? null,
    bank?.name ?? null,
    details.externalId ?? null,
  ]
}

/**
 * Links a new customer to an integration.
 * @returns its id, `cus_` and 24 hexadecimal characters
 */
export async function insertCustomer(tx: Queryable, integrationId: string, details: CustomerDetails): Promise<string> {
  const customerId = `cus_${randomBytes(12).toString('hex')}`
  await tx.query(
    `insert into customers (customer_id, integration_id, account_type, verification_status, verification_level,
      country_code, is_resident, monthly_cap_micro, can_mint, can_redeem, can_transfer, bank_bic, bank_account, bank_name,
      external_id, verified_at)
    values ($1, $2, $3, $4::text, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, ${verifiedAtSql('$4::text', 'null')})`,
    [customerId, integrationId, ...detailParams(details)],
  )
  return customerId
}

/** Replaces a customer's details. */
export async function updateCustomer(tx: Queryable, customerId: string, details: CustomerDetails): Promise<void> {
  await tx.query(
    `update customers set account_type = $2, verification_status = $3::text, verification_level = $4, country_code = $5,
      is_resident = $6, monthly_cap_micro = $7, can_mint = $8, can_redeem = $9, can_transfer = $10, bank_bic = $11,
      bank_account = $12, bank_name = $13, external_id = $14, verified_at = ${verifiedAtSql('$3::text', 'verified_at')}
    where customer_id = $1`,
    [customerId, ...detailParams(details)],
  )
}
