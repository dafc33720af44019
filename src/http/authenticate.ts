/** Identifies the caller of a request (contract "Authentication"). */
import { dayOfPaper } from '../integrations/agreement.ts'
import { type Environment, parseApiKey } from '../integrations/api-key.ts'
import type { KnownKey } from '../integrations/key-cache.ts'
import { secretMatches } from '../secrets/token-secret.ts'

const BEARER = /^bearer +(\S+)$/i

export type Presented = {
  environment: Environment
  keyId: string
  secret: string
  /** The key whose secret this was shown to be. */
  provenFor?: KnownKey
}

/**
 * The key that an Authorization header presents (RFC 6750); undefined when there is nothing in it that could be a key.
 */
export function readPresentedKey(authorization: string | undefined): Presented | undefined {
  const token = BEARER.exec(authorization ?? '')?.[1]
  return token === undefined ? undefined : parseApiKey(token)
}

/**
 * The stored key, when the presented one matches it and may be used here and now. Whatever is wrong (unknown, wrong
 * secret, revoked, expired, other environment, integration suspended), the result is the same: undefined.
 * @param stored what the look-up of the key id found
 */
export function judgeKey(
  presented: Presented,
  stored: KnownKey | undefined,
  environment: Environment,
  nowMs: number,
): KnownKey | undefined {
  if (!isProven(presented, stored) || stored === undefined) return undefined
  return presented.environment === environment && isInForce(stored, environment, nowMs) ? stored : undefined
}

/**
 * Whether what is presented has the secret of a key: in constant time, also for a key that is not known. It remembers for which key it was proven, until that
 * is looked up again (twice a second while it is in use).
 */
export function isProven(presented: Presented, key: KnownKey | undefined): boolean {
  if (key !== undefined && presented.provenFor === key) return true
  if (!secretMatches(presented.secret, key?.secretSha256) || key === undefined) return false
  presented.provenFor = key
  return true
}

/** Whether a key may be used here and now, by whoever has its secret. */
export function isInForce(stored: KnownKey, environment: Environment, nowMs: number): boolean {
  const isCurrent = stored.revokedAt === null && (stored.expiresAt === null || stored.expiresAt.getTime() > nowMs)
  return stored.environment === environment && isCurrent && stored.integrationStatus === 'active'
}

/** Whether a data processing agreement is on file today, in Malaysia, where it is signed and put on file. */
export function hasAgreement(key: Pick<KnownKey, 'dpaSignedOn'>, nowMs: number): boolean {
  return key.dpaSignedOn !== null && key.dpaSignedOn <= dayOfPaper(nowMs)
}
