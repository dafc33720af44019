/** What a key must be for an operator to change it, and its rotation. */
import type { Queryable } from '../db/database.ts'
import { readNow } from '../db/now.sql.ts'
import type { ApiKey, generateApiKey } from '../integrations/api-key.ts'
import { expireKey, findKey, insertKey, lockKey } from '../integrations/api-keys.sql.ts'
import { findIntegration } from '../integrations/integrations.sql.ts'
import { whoActs } from '../operators/acting.ts'
import { found, OperatorError } from './errors.ts'
import { readInstant } from './instants.ts'

const NEVER = 'never'

/** @throws OperatorError when there is no such key */
export const known = (key: ApiKey | undefined, keyId: string) => found(key, 'key', keyId, 'key list --integration ID')

/** @throws OperatorError when the integration is not there, or suspended: no key of it would work */
export async function requireActive(tx: Queryable, integrationId: string): Promise<void> {
  const integration = found(await findIntegration(tx, integrationId), 'integration', integrationId, 'integration list')
  if (integration.status === 'active') return
  throw new OperatorError(
    'CONFLICT',
    `The integration ${integrationId} is suspended: no key of it would work. Run "coin integration resume ${integrationId}" first.`,
  )
}

/** A future instant by the database's clock; null for `never`. */
export async function parseExpiry(db: Queryable, expires: string): Promise<Date | null> {
  if (expires === NEVER) return null
  const expiresAt = readInstant('expires', expires)
  if (expiresAt > (await readNow(whoActs().tx ?? db))) return expiresAt
  throw new OperatorError('BAD_REQUEST', '"expires" must be in the future, or "never".')
}

/** @throws OperatorError when the key is not there, revoked or expired */
export async function requireInForce(tx: Queryable, keyId: string): Promise<ApiKey> {
  const key = known(await findKey(tx, keyId), keyId)
  if (key.revokedAt === null && (key.expiresAt === null || key.expiresAt > (await readNow(tx)))) return key
  throw new OperatorError(
    'CONFLICT',
    `The key ${keyId} is revoked or expired. Create a new one with "coin key create --integration ${key.integrationId} --scopes …".`,
  )
}

/**
 * A new key with the settings of the old one, including its expiry unless another is asked for. The old key expires
 * after the overlap, or earlier if it would have anyway; without one it is revoked.
 */
export async function rotateKey(
  tx: Queryable,
  keyId: string,
  next: ReturnType<typeof generateApiKey>,
  overlapMs: number,
  asked: Date | null | undefined,
) {
  await lockKey(tx, keyId)
  const old = await requireInForce(tx, keyId)
  const now = await readNow(tx)
  await requireActive(tx, old.integrationId)
  const expiresAt = asked === undefined ? old.expiresAt : asked
  // With its usage, or two keys could mint and transfer twice the caps of a day.
  await insertKey(tx, {
    ...old,
    capKeyId: old.capKeyId ?? keyId,
    keyId: next.keyId,
    secretSha256: next.secretSha256,
    expiresAt,
  })
  const oldExpiresAt = new Date(now.getTime() + overlapMs)
  await expireKey(tx, keyId, oldExpiresAt)
  const expiresEarlier = old.expiresAt !== null && old.expiresAt < oldExpiresAt ? old.expiresAt : undefined
  return { integrationId: old.integrationId, expiresAt, oldExpiresAt: expiresEarlier ?? oldExpiresAt }
}
