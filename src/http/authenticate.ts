/** Names the caller of a request (contract "Authentication"). */
import { type Environment, parseApiKey, secretMatches } from '../integrations/api-key.ts'
import type { KeyLookup, KnownKey } from '../integrations/key-cache.ts'

const BEARER = /^bearer +(\S+)$/i

/**
 * The key that an Authorization header carries (RFC 6750), when it may be used here and now. Whatever is wrong with it
 * (missing, malformed, unknown, wrong secret, revoked, expired, other environment, integration suspended), the result is
 * the same undefined.
 * @throws DatabaseUnavailableError when the key cannot be looked up
 */
export async function authenticate(
  deps: { environment: Environment; lookup: KeyLookup; nowMs: () => number },
  authorization: string | undefined,
): Promise<KnownKey | undefined> {
  const token = BEARER.exec(authorization ?? '')?.[1]
  const parsed = token === undefined ? undefined : parseApiKey(token)
  if (parsed === undefined) return undefined
  const found = deps.lookup(parsed.keyId)
  const key = found instanceof Promise ? await found : found
  if (!secretMatches(parsed.secret, key?.secretSha256) || key === undefined) return undefined
  const belongsHere = parsed.environment === deps.environment && key.environment === deps.environment
  const inForce = key.revokedAt === null && (key.expiresAt === null || key.expiresAt.getTime() > deps.nowMs())
  return belongsHere && inForce && key.integrationStatus === 'active' ? key : undefined
}

/** Whether a data processing agreement is on file today (UTC). */
export function hasAgreement(key: Pick<KnownKey, 'dpaSignedOn'>, nowMs: number): boolean {
  return key.dpaSignedOn !== null && key.dpaSignedOn <= new Date(nowMs).toISOString().slice(0, 10)
}
