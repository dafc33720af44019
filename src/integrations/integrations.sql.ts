/** SQL of the table `integrations`. */
import type { Queryable } from '../db/database.ts'
import { newId } from '../values/ids.ts'

export type Integration = {
  integrationId: string
  name: string
  status: 'active' | 'suspended'
  /** `YYYY-MM-DD`; null: no data processing agreement on file. */
  dpaSignedOn: string | null
  createdAt: Date
}

/** A page of at most `limit` entries, after the one with the id `after` when given. */
export type Page = { after: string | undefined; limit: number }

type IntegrationRow = {
  integration_id: string
  name: string
  status: Integration['status']
  dpa_signed_on: string | null
  created_at: Date
}

const INTEGRATION_COLUMNS = 'integration_id, name, status, dpa_signed_on::text as dpa_signed_on, created_at'

/** Creates an active integration without a data processing agreement. */
export async function createIntegration(db: Queryable, { name }: { name: string }): Promise<Integration> {
  const [row] = await db.query<IntegrationRow>(
    `insert into integrations (integration_id, name) values ($1, $2) returning ${INTEGRATION_COLUMNS}`,
    [newId('int'), name],
  )
  if (row === undefined) throw new Error('the new integration was not returned')
  return integrationFromRow(row)
}

/** A page of the integrations, oldest first. */
export async function listIntegrations(db: Queryable, page: Page): Promise<Integration[]> {
  const rows = await db.query<IntegrationRow>(
    `select ${INTEGRATION_COLUMNS} from integrations
    where $1::text is null or (created_at, integration_id) >
      (select a.created_at, a.integration_id from integrations a where a.integration_id = $1)
    order by created_at, integration_id limit $2::int`,
    [page.after ?? null, page.limit],
  )
  return rows.map(integrationFromRow)
}

/** The integration with this id; undefined when there is none. */
export async function findIntegration(db: Queryable, integrationId: string): Promise<Integration | undefined> {
  const [row] = await db.query<IntegrationRow>(
    `select ${INTEGRATION_COLUMNS} from integrations where integration_id = $1`,
    [integrationId],
  )
  return row && integrationFromRow(row)
}

/** A name as people read it: letters in whatever form, case and blanks aside. */
const asRead = (name: string) => String.raw`lower(btrim(regexp_replace(normalize(${name}, NFKC), '\s+', ' ', 'g')))`

/** Other integrations that go by the same name, oldest first, at most `limit`. */
export async function findNamesakes(db: Queryable, integrationId: string, limit: number): Promise<Integration[]> {
  const rows = await db.query<IntegrationRow>(
    `select ${INTEGRATION_COLUMNS} from integrations where integration_id <> $1
       and ${asRead('name')} = (select ${asRead('i.name')} from integrations i where i.integration_id = $1)
     order by created_at, integration_id limit $2::int`,
    [integrationId, limit],
  )
  return rows.map(integrationFromRow)
}

/** Suspends an integration: its keys answer 401 from then on. @returns undefined when there is none with this id */
export function suspendIntegration(db: Queryable, integrationId: string): Promise<Integration | undefined> {
  return setIntegrationStatus(db, integrationId, 'suspended')
}

/** Lets a suspended integration's keys work again. @returns undefined when there is none with this id */
export function resumeIntegration(db: Queryable, integrationId: string): Promise<Integration | undefined> {
  return setIntegrationStatus(db, integrationId, 'active')
}

async function setIntegrationStatus(
  db: Queryable,
  integrationId: string,
  status: Integration['status'],
): Promise<Integration | undefined> {
  const [row] = await db.query<IntegrationRow>(
    `update integrations set status = $2 where integration_id = $1 returning ${INTEGRATION_COLUMNS}`,
    [integrationId, status],
  )
  return row && integrationFromRow(row)
}

/**
 * Puts the data processing agreement on file, or removes it with null.
 * @param signedOn `YYYY-MM-DD`
 * @returns undefined when there is no integration with this id
 */
export async function setIntegrationDpa(
  db: Queryable,
  integrationId: string,
  signedOn: string | null,
): Promise<Integration | undefined> {
  const [row] = await db.query<IntegrationRow>(
    `update integrations set dpa_signed_on = $2::text::date where integration_id = $1 returning ${INTEGRATION_COLUMNS}`,
    [integrationId, signedOn],
  )
  return row && integrationFromRow(row)
}

function integrationFromRow(row: IntegrationRow): Integration {
  return {
    integrationId: row.integration_id,
    name: row.name,
    status: row.status,
    dpaSignedOn: row.dpa_signed_on,
    createdAt: row.created_at,
  }
}
