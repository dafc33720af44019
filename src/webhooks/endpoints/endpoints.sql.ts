/** SQL of the table `webhook_endpoints`. */
import type { Param, Queryable, Row } from '../../db/database.ts'
import { dropDue } from '../queue/drop.sql.ts'
import type { Endpoint, SealedSecrets } from './endpoint.ts'

const COLUMNS = `endpoint_id, integration_id, url, event_types, status, disabled_reason,
  next_secret_encrypted is not null as rotating, created_at, updated_at`

type EndpointRow = Row & {
  endpoint_id: string
  integration_id: string
  url: string
  event_types: Endpoint['eventTypes']
  status: Endpoint['status']
  disabled_reason: string | null
  rotating: boolean
  created_at: Date
  updated_at: Date
}

/** Drops what is still due to the endpoint `$1`. Of very much, couriers drop the rest. */
const DROP_DUE = `with dropped as (${dropDue('$1')})`

export type NewEndpoint = Pick<Endpoint, 'endpointId' | 'integrationId' | 'url' | 'eventTypes'> & {
  secretEncrypted: string
}

const ADDING_LOCK = 7_261_091

/**
 * Inserts an enabled endpoint, unless the integration already has `maxEndpoints`, counting those that others are inserting.
 * @returns true when it was inserted
 * @throws the driver's foreign key violation when the integration does not exist
 */
export async function insertEndpoint(tx: Queryable, endpoint: NewEndpoint, maxEndpoints: number): Promise<boolean> {
  await tx.query(`select pg_advisory_xact_lock(${ADDING_LOCK}, hashtext($1))`, [endpoint.integrationId])
  const rows = await tx.query(
    `insert into webhook_endpoints (endpoint_id, integration_id, url, event_types, secret_encrypted)
     select $1, $2, $3, $4::text[], $5
     where (select count(*) from webhook_endpoints where integration_id = $2 and status <> 'removed') < $6::int
     returning endpoint_id`,
    [
      endpoint.endpointId,
      endpoint.integrationId,
      endpoint.url,
      endpoint.eventTypes,
      endpoint.secretEncrypted,
      maxEndpoints,
    ],
  )
  return rows.length > 0
}

/** The endpoints of one integration, or of all, without removed ones, oldest first; at most `limit`. */
export async function listEndpoints(db: Queryable, integrationId: string | null, limit: number): Promise<Endpoint[]> {
  const rows = await db.query<EndpointRow>(
    `select ${COLUMNS} from webhook_endpoints where ($1::text is null or integration_id = $1) and status <> 'removed'
     order by created_at, endpoint_id limit $2::int`,
    [integrationId, limit],
  )
  return rows.map(endpointFromRow)
}

/** The endpoint, removed ones included. */
export async function findEndpoint(db: Queryable, endpointId: string): Promise<Endpoint | undefined> {
  return one(db, `select ${COLUMNS} from webhook_endpoints where endpoint_id = $1`, [endpointId])
}

/** The address and the sealed secrets of an endpoint that was not removed. */
export async function findSealedSecrets(db: Queryable, endpointId: string): Promise<SealedSecrets | undefined> {
  const [row] = await db.query<{
    url: string
    secret_encrypted: string
    next_secret_encrypted: string | null
  }>(
    `select url, secret_encrypted, next_secret_encrypted from webhook_endpoints
     where endpoint_id = $1 and status <> 'removed'`,
    [endpointId],
  )
  return row && { url: row.url, secretEncrypted: row.secret_encrypted, nextSecretEncrypted: row.next_secret_encrypted }
}

/**
 * Disables an endpoint and drops what is still due to it, in one statement; of very much, couriers drop the rest.
 * @param reason a sentence that says why; the newest one is kept
 * @returns the endpoint, or undefined when there is none
 */
export async function disableEndpoint(
  tx: Queryable,
  endpointId: string,
  reason: string,
): Promise<Endpoint | undefined> {
  return one(
    tx,
    `${DROP_DUE}
     update webhook_endpoints set status = 'disabled', disabled_reason = $2, updated_at = now()
     where endpoint_id = $1 and status <> 'removed' returning ${COLUMNS}`,
    [endpointId, reason],
  )
}

/** Where an endpoint is, locked so that nobody changes it until the transaction ends; undefined when it was removed. */
export async function lockUrl(tx: Queryable, endpointId: string): Promise<string | undefined> {
  const [row] = await tx.query<{ url: string }>(
    `select url from webhook_endpoints where endpoint_id = $1 and status <> 'removed' for no key update`,
    [endpointId],
  )
  return row?.url
}

/** Removes an endpoint with its secrets, and drops what is still due to it. Undefined when there is none. */
export async function removeEndpoint(tx: Queryable, endpointId: string): Promise<Endpoint | undefined> {
  return one(
    tx,
    `${DROP_DUE}
     update webhook_endpoints set status = 'removed', disabled_reason = null, secret_encrypted = null,
       next_secret_encrypted = null, updated_at = now()
     where endpoint_id = $1 and status <> 'removed' returning ${COLUMNS}`,
    [endpointId],
  )
}

/**
 * Changes where an endpoint is and what it gets; undefined keeps what there is. What is due goes to the new address, under
 * the same secret.
 * @param change.eventTypes null: all events
 */
export async function changeEndpoint(
  tx: Queryable,
  endpointId: string,
  change: { url: string | undefined; eventTypes: Endpoint['eventTypes'] | undefined },
): Promise<Endpoint | undefined> {
  return one(
    tx,
    `update webhook_endpoints set url = coalesce($2, url),
       event_types = case when $3::boolean then $4::text[] else event_types end, updated_at = now()
     where endpoint_id = $1 and status <> 'removed' returning ${COLUMNS}`,
    [endpointId, change.url ?? null, change.eventTypes !== undefined, change.eventTypes ?? null],
  )
}

/** Enables an endpoint. What was dropped meanwhile stays dropped until it is replayed. */
export async function enableEndpoint(tx: Queryable, endpointId: string): Promise<Endpoint | undefined> {
  return one(
    tx,
    `update webhook_endpoints set status = 'enabled', disabled_reason = null, updated_at = now()
     where endpoint_id = $1 and status <> 'removed' returning ${COLUMNS}`,
    [endpointId],
  )
}

/**
 * Stores the next secret beside the one that signs. One that waits already is replaced only where `replaces` says so.
 * @returns undefined when there is no such endpoint, or one waits that is not to be replaced
 */
export async function storeNextSecret(
  tx: Queryable,
  endpointId: string,
  sealed: string,
  replaces: boolean,
): Promise<Endpoint | undefined> {
  return one(
    tx,
    `update webhook_endpoints set next_secret_encrypted = $2, updated_at = now()
     where endpoint_id = $1 and status <> 'removed' and ($3 or next_secret_encrypted is null) returning ${COLUMNS}`,
    [endpointId, sealed, replaces],
  )
}

/** Lets the waiting secret sign from now on. Undefined when there is no such endpoint or no rotation under way. */
export async function activateNextSecret(tx: Queryable, endpointId: string): Promise<Endpoint | undefined> {
  return one(
    tx,
    `update webhook_endpoints set secret_encrypted = next_secret_encrypted, next_secret_encrypted = null, updated_at = now()
     where endpoint_id = $1 and next_secret_encrypted is not null returning ${COLUMNS}`,
    [endpointId],
  )
}

/** The endpoint that a statement returns, if it returns one. */
async function one(db: Queryable, text: string, params: readonly Param[]): Promise<Endpoint | undefined> {
  const [row] = await db.query<EndpointRow>(text, params)
  return row && endpointFromRow(row)
}

function endpointFromRow(row: EndpointRow): Endpoint {
  return {
    endpointId: row.endpoint_id,
    integrationId: row.integration_id,
    url: row.url,
    eventTypes: row.event_types,
    status: row.status,
    disabledReason: row.disabled_reason,
    rotating: row.rotating,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
