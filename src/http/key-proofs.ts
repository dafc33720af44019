/** Spares a busy key the hashing of its secret at every request. */
import { timingSafeEqual } from 'node:crypto'
import type { KnownKey } from '../integrations/key-cache.ts'
import { secretMatches } from '../token-secret.ts'

/** A secret stays in memory no longer than this after a request has brought it. */
const KEPT_MS = 1_000

/** Whether a secret is the key's; in constant time, also for a key that is not known. */
export type SecretCheck = (secret: string, key: KnownKey | undefined) => boolean

/**
 * Makes a check that remembers which secret a key has been shown to have, until the key is looked up again (twice a second while it is
 * in use), and for a second at most. Another secret than that is hashed.
 */
export function createSecretCheck(): SecretCheck {
  const proven = new Map<KnownKey, Buffer>()
  return (secret, key) => {
    const known = key && proven.get(key)
    if (known !== undefined) {
      const presented = Buffer.from(secret)
      if (presented.length === known.length && timingSafeEqual(presented, known)) return true
    }
    if (!secretMatches(secret, key?.secretSha256) || key === undefined) return false
    if (proven.size === 0) setTimeout(() => proven.clear(), KEPT_MS).unref()
    proven.set(key, Buffer.from(secret))
    return true
  }
}
