/** Consents as operators pass them on, and how long a new one is valid. */
import { isHex } from 'viem'
import type { Consent } from '../../chain/links.ts'
import { OperatorError } from '../errors.ts'

/** Long enough to ask the holder and get a signature, short enough not to lie around. */
export const CONSENT_LIFETIME_SECONDS = 7 * 24 * 60 * 60

/**
 * The consent given with a command; undefined when there is none.
 * @throws OperatorError BAD_REQUEST
 */
export function parseConsent({ consent, deadline }: { consent?: string; deadline?: string }): Consent | undefined {
  if (consent === undefined && deadline === undefined) return undefined
  if (consent === undefined || deadline === undefined)
    throw new OperatorError(
      'BAD_REQUEST',
      'A consent is the signature and its deadline: give --consent and --deadline.',
    )
  if (!isHex(consent) || consent.length < 4 || consent.length % 2 !== 0)
    throw new OperatorError('BAD_REQUEST', '"consent" must be the signature as 0x and hexadecimal digits.')
  if (!/^[1-9]\d{0,11}$/.test(deadline))
    throw new OperatorError('BAD_REQUEST', '"deadline" must be that of the signed data, in seconds since 1970.')
  return { signature: consent.toLowerCase() as `0x${string}`, deadline: BigInt(deadline) }
}
