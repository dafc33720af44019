/** SQL of the table `corporates`. */
import type { Param, Queryable } from '../db/database.ts'
import { newId } from '../values/ids.ts'
import type { Corporate, CorporateDetails } from './corporate.ts'
import { type VerificationStatus, verifiedAtSql } from './verification.ts'

const SELECT_CORPORATES = `
  select corporate_id, integration_id, company_name, verification_status, verification_stage, verified_at, country_code,
    industry, can_mint, can_redeem, can_payroll, created_at
  from corporates`

type CorporateRow = {
  corporate_id: string
  integration_id: string
  company_name: string
  verification_status: VerificationStatus
  verification_stage: string
  verified_at: Date | null
  country_code: string
  industry: string
  can_mint: boolean
  can_redeem: boolean
  can_payroll: boolean
  created_at: Date
}

function corporateFromRow(row: CorporateRow): Corporate {
  return {
    corporateId: row.corporate_id,
    integrationId: row.integration_id,
    companyName: row.company_name,
    status: row.verification_status,
    stage: row.verification_stage,
    verifiedAt: row.verified_at,
    countryCode: row.country_code,
    industry: row.industry,
    canMint: row.can_mint,
    canRedeem: row.can_redeem,
    canPayroll: row.can_payroll,
    createdAt: row.created_at,
  }
}

/** A corporate linked to the integration; undefined for any other id (contract: the same 404 for both). */
export async function findCorporate(
  db: Queryable,
  integrationId: string,
  corporateId: string,
): Promise<Corporate | undefined> {
  const corporate = await findCorporateOfAny(db, corporateId)
  return corporate?.integrationId === integrationId ? corporate : undefined
}

/** A corporate of any integration, for operators. */
export async function findCorporateOfAny(db: Queryable, corporateId: string): Promise<Corporate | undefined> {
  const [row] = await db.query<CorporateRow>(`${SELECT_CORPORATES} where corporate_id = $1`, [corporateId])
  return row === undefined ? undefined : corporateFromRow(row)
}

/** Locks a corporate until the transaction ends, so that what is read next can be changed safely. */
export async function lockCorporate(tx: Queryable, corporateId: string): Promise<void> {
  await tx.query('select 1 from corporates where corporate_id = $1 for no key update', [corporateId])
}

/** At most `limit` corporates of an integration, oldest first, after the corporate `after` when given. */
export async function listCorporates(
  db: Queryable,
  page: { integrationId: string; after: string | undefined; limit: number },
): Promise<Corporate[]> {
  const rows = await db.query<CorporateRow>(
    `${SELECT_CORPORATES}
    where integration_id = $1 and ($2::text is null or (created_at, corporate_id) >
      (select a.created_at, a.corporate_id from corporates a where a.corporate_id = $2))
    order by created_at, corporate_id limit $3`,
    [page.integrationId, page.after ?? null, page.limit],
  )
  return rows.map(corporateFromRow)
}

function detailParams(details: CorporateDetails): Param[] {
  return [
    details.companyName,
    details.status,
    details.stage,
    details.countryCode,
    details.industry,
    details.canMint,
    details.canRedeem,
    details.canPayroll,
  ]
}

/** Links a new corporate to an integration. @returns its id */
export async function insertCorporate(
  tx: Queryable,
  integrationId: string,
  details: CorporateDetails,
): Promise<string> {
  const corporateId = newId('cor')
  await tx.query(
    `insert into corporates (corporate_id, integration_id, company_name, verification_status, verification_stage,
      country_code, industry, can_mint, can_redeem, can_payroll, verified_at)
    values ($1, $2, $3, $4::text, $5, $6, $7, $8, $9, $10, ${verifiedAtSql('$4::text', 'null')})`,
    [corporateId, integrationId, ...detailParams(details)],
  )
  return corporateId
}

/** Replaces a corporate's details. */
export async function updateCorporate(tx: Queryable, corporateId: string, details: CorporateDetails): Promise<void> {
  await tx.query(
    `update corporates set company_name = $2, verification_status = $3::text, verification_stage = $4, country_code = $5,
      industry = $6, can_mint = $7, can_redeem = $8, can_payroll = $9,
      verified_at = ${verifiedAtSql('$3::text', 'verified_at')}
    where corporate_id = $1`,
    [corporateId, ...detailParams(details)],
  )
}
