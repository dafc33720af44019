/** SQL of the table `api_keys`. */
import type { Param, Queryable } from '../db/database.ts'
import type { ApiKey, Environment, Scope } from './api-key.ts'
import type { Page } from './integrations.sql.ts'

/** What is stored of a new key: never its secret. */
export type NewKey = Omit<
  ApiKey,
  'scopes' | 'revokedAt' | 'createdAt' | 'integrationStatus' | 'dpaSignedOn' | 'capKeyId'
> & {
  scopes: Iterable<Scope>
  /** Its own by default. */
  capKeyId?: string | null
}

type KeyRow = {
  key_id: string
  integration_id: string
  environment: Environment
  secret_sha256: string
  scopes: Scope[]
  ip_allowlist: string[]
  rate_read: number | null
  rate_write: number | null
  rate_balances: number | null
  transfer_tx_cap_micro: bigint | null
  transfer_day_cap_micro: bigint | null
  mint_day_cap_micro: bigint | null
  cap_key_id: string | null
  expires_at: Date | null
  revoked_at: Date | null
  created_at: Date
  integration_status: ApiKey['integrationStatus']
  dpa_signed_on: string | null
}

const SELECT_KEY = `
  select k.key_id, k.integration_id, k.environment, k.secret_sha256, k.scopes, k.ip_allowlist, k.rate_read, k.rate_write,
    k.rate_balances, k.transfer_tx_cap_micro, k.transfer_day_cap_micro, k.mint_day_cap_micro, k.cap_key_id, k.expires_at, k.revoked_at,
    k.created_at, i.status as integration_status, i.dpa_signed_on::text as dpa_signed_on
  from api_keys k join integrations i using (integration_id)`

/** The key with this id, revoked and expired ones included. */
export async function findKey(db: Queryable, keyId: string): Promise<ApiKey | undefined> {
  const [key] = await findKeys(db, [keyId])
  return key
}

/** Several keys in one round trip, in the order of the given ids; undefined for an unknown one. */
export async function findKeys(db: Queryable, keyIds: readonly string[]): Promise<(ApiKey | undefined)[]> {
  const rows = await db.query<KeyRow>(`${SELECT_KEY} where k.key_id = any ($1::text[])`, [keyIds])
  const keys = new Map(rows.map((row) => [row.key_id, keyFromRow(row)]))
  return keyIds.map((keyId) => keys.get(keyId))
}

/** A page of an integration's keys, oldest first. */
export async function listKeys(db: Queryable, integrationId: string, page: Page): Promise<ApiKey[]> {
  const rows = await db.query<KeyRow>(
    `${SELECT_KEY}
    where k.integration_id = $1 and ($2::text is null or (k.created_at, k.key_id) >
      (select a.created_at, a.key_id from api_keys a where a.key_id = $2))
    order by k.created_at, k.key_id limit $3::int`,
    [integrationId, page.after ?? null, page.limit],
  )
  return rows.map(keyFromRow)
}

/** The newest keys of an integration that are neither revoked nor expired, and how many there are. */
export async function listUnended(
  db: Queryable,
  integrationId: string,
  limit: number,
): Promise<{ keyIds: string[]; count: number }> {
  const rows = await db.query<{ key_id: string; count: number }>(
    `select key_id, count(*) over ()::int as count from api_keys
     where integration_id = $1 and revoked_at is null and (expires_at is null or expires_at > now())
     order by created_at desc, key_id limit $2::int`,
    [integrationId, limit],
  )
  return { keyIds: rows.map((row) => row.key_id), count: rows[0]?.count ?? 0 }
}

type Changeable = Pick<ApiKey, 'ipAllowlist' | 'rates' | 'expiresAt'> &
  Pick<ApiKey, 'transferTxCapMicro' | 'transferDayCapMicro' | 'mintDayCapMicro'>

function changeableParams(key: Changeable): Param[] {
  const { read, write, balances } = key.rates
  const caps = [key.transferTxCapMicro, key.transferDayCapMicro, key.mintDayCapMicro]
  return [key.ipAllowlist, read, write, balances, ...caps, key.expiresAt]
}

/** Stores a key. @throws the driver's error when the integration is unknown or the key id is taken */
export async function insertKey(db: Queryable, key: NewKey): Promise<void> {
  await db.query(
    `insert into api_keys (key_id, integration_id, environment, secret_sha256, scopes, ip_allowlist, rate_read, rate_write,
       rate_balances, transfer_tx_cap_micro, transfer_day_cap_micro, mint_day_cap_micro, expires_at, cap_key_id)
     values ($1, $2, $3, $4, $5::text[], $6::text[], $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      key.keyId,
      key.integrationId,
      key.environment,
      key.secretSha256,
      [...key.scopes],
      ...changeableParams(key),
      key.capKeyId ?? null,
    ],
  )
}

/** Replaces what an operator decides about a key: addresses, rates, caps and expiry. */
export async function updateKey(tx: Queryable, key: Changeable & Pick<ApiKey, 'keyId'>): Promise<void> {
  await tx.query(
    `update api_keys set ip_allowlist = $2::text[], rate_read = $3, rate_write = $4, rate_balances = $5,
       transfer_tx_cap_micro = $6, transfer_day_cap_micro = $7, mint_day_cap_micro = $8, expires_at = $9
     where key_id = $1`,
    [key.keyId, ...changeableParams(key)],
  )
}

/** Locks a key until the transaction ends, so that what is read next can be changed safely. */
export async function lockKey(tx: Queryable, keyId: string): Promise<void> {
  await tx.query('select 1 from api_keys where key_id = $1 for no key update', [keyId])
}

/** Revokes a key; one already revoked keeps its first instant. @returns false when there is no such key */
export async function revokeKey(db: Queryable, keyId: string): Promise<boolean> {
  const rows = await db.query(
    'update api_keys set revoked_at = coalesce(revoked_at, now()) where key_id = $1 returning key_id',
    [keyId],
  )
  return rows.length > 0
}

/**
 * Lets a key expire at `at`, or at its own earlier expiry. What ends now is revoked: each API process goes by its own clock, and by one that is
 * behind a leaked key would work on.
 * @returns false when there is no such key
 */
export async function expireKey(db: Queryable, keyId: string, at: Date): Promise<boolean> {
  const rows = await db.query(
    `update api_keys set expires_at = least(expires_at, $2::timestamptz),
       revoked_at = case when $2 <= now() then coalesce(revoked_at, now()) else revoked_at end
     where key_id = $1 returning key_id`,
    [keyId, at],
  )
  return rows.length > 0
}

function keyFromRow(row: KeyRow): ApiKey {
  return {
    keyId: row.key_id,
    integrationId: row.integration_id,
    environment: row.environment,
    secretSha256: row.secret_sha256,
    scopes: new Set(row.scopes),
    ipAllowlist: row.ip_allowlist,
    rates: { read: row.rate_read, write: row.rate_write, balances: row.rate_balances },
    transferTxCapMicro: row.transfer_tx_cap_micro,
    transferDayCapMicro: row.transfer_day_cap_micro,
    mintDayCapMicro: row.mint_day_cap_micro,
    capKeyId: row.cap_key_id,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    createdAt: row.created_at,
    integrationStatus: row.integration_status,
    dpaSignedOn: row.dpa_signed_on,
  }
}
