/** The secret part of a token: 43 characters that nobody can guess, kept as a hash and compared in constant time. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const SECRET_LENGTH = 43
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/**
 * The largest multiple of 62 that fits a byte: bytes from here on are thrown away, or some characters would be
 * likelier.
 */
const UNBIASED_BYTES = 248
/** The hash to compare with when the id is unknown, so that an unknown id takes the same path as a wrong secret. */
const NO_SECRET_SHA256 = '0'.repeat(64)

/** Makes a secret of 43 base62 characters. @returns it, to be shown once, and its SHA-256 in hex, to be stored */
export function makeSecret(): { secret: string; secretSha256: string } {
  const secret = generateSecret()
  return { secret, secretSha256: hash('sha256', secret) }
}

/**
 * Compares a secret with the stored hash in constant time.
 * @param secretSha256 64 hex characters; undefined for an unknown id, which is compared all the same and never matches
 */
export function secretMatches(secret: string, secretSha256: string | undefined): boolean {
  const expected = Buffer.from(secretSha256 ?? NO_SECRET_SHA256, 'hex')
  return timingSafeEqual(hash('sha256', secret, 'buffer'), expected) && secretSha256 !== undefined
}

function generateSecret(): string {
  let secret = ''
  while (secret.length < SECRET_LENGTH) {
    for (const byte of randomBytes(SECRET_LENGTH)) {
      if (byte < UNBIASED_BYTES && secret.length < SECRET_LENGTH) secret += BASE62.charAt(byte % BASE62.length)
    }
  }
  return secret
}
