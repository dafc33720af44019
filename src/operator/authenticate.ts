/** The bearer token of the operator API (RFC 6750). */
import { createHash, timingSafeEqual } from 'node:crypto'
import { OperatorError } from './errors.ts'

const BEARER_PATTERN = /^Bearer ([^\s]{1,500})$/i

/**
 * Makes the check of Authorization headers against one token. Hashes are compared in constant time, so that the time of
 * an answer shows neither the content nor the length of the token.
 * @returns a function that throws OperatorError UNAUTHORIZED unless the header carries the token
 */
export function createAuthentication(token: string): (authorization: string | undefined) => void {
  if (token.length < 16) throw new Error('The operator token must have at least 16 characters.')
  const expected = sha256(token)
  return (authorization) => {
    const given = BEARER_PATTERN.exec(authorization ?? '')?.[1]
    if (given !== undefined && timingSafeEqual(sha256(given), expected)) return
    throw new OperatorError(
      'UNAUTHORIZED',
      'The operator token is missing or wrong. Set OPERATOR_TOKEN to the token the service was started with.',
    )
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
