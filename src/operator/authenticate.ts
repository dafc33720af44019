/** Who makes a request: the bearer token (RFC 6750) of a person, or OPERATOR_TOKEN. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { parseToken, SHARED_TOKEN_NAME } from '../operators/operator.ts'
import { OPERATOR_ROLES, type OperatorRole } from '../operators/roles.ts'
import { secretMatches } from '../token-secret.ts'
import type { Directory } from './directory.ts'
import { OperatorError } from './errors.ts'

/** Who asks. */
export type Principal = {
  /** Null: OPERATOR_TOKEN, which is no person. */
  operatorId: string | null
  name: string
  /** One for a person; all of them for OPERATOR_TOKEN. */
  roles: readonly OperatorRole[]
  /** False when this is the first use of the person's token. */
  signedInBefore: boolean
  /** False when the database does not answer: who it is, is known from when it last did. */
  isCertain: boolean
}

export type Authenticate = (authorization: string | undefined) => Promise<Principal | undefined>

const BEARER_PATTERN = /^Bearer ([^\s]{1,500})$/i
const SHARED = { operatorId: null, name: SHARED_TOKEN_NAME, roles: OPERATOR_ROLES, signedInBefore: true }

/**
 * Makes the check of Authorization headers. Hashes are compared in constant time, so that the time of an answer shows
 * neither the content nor the length of a token.
 * @param deps.sharedToken OPERATOR_TOKEN; undefined where there is none
 * @returns a function that resolves to who it is, or undefined for any token that is not known
 * @throws OperatorError UNAUTHORIZED, from that function, for OPERATOR_TOKEN in live after two admins have signed in
 */
export function createAuthentication(deps: {
  sharedToken: string | undefined
  environment: 'sandbox' | 'live'
  directory: Directory
}): Authenticate {
  const { sharedToken, environment, directory } = deps
  if (sharedToken !== undefined && sharedToken.length < 16) {
    throw new Error('The operator token must have at least 16 characters.')
  }
  const expected = sharedToken === undefined ? undefined : sha256(sharedToken)
  return async (authorization) => {
    const given = BEARER_PATTERN.exec(authorization ?? '')?.[1]
    if (given === undefined) return undefined
    if (expected !== undefined && timingSafeEqual(sha256(given), expected)) {
      if (environment !== 'live') return { ...SHARED, isCertain: true }
      const { value: hasAdmins, isCertain } = await directory.hasAdmins()
      if (hasAdmins) throw retired()
      return { ...SHARED, isCertain }
    }
    const personal = parseToken(given)
    return personal === undefined ? undefined : await personOf(directory, personal)
  }
}

async function personOf(
  directory: Directory,
  { operatorId, secret }: { operatorId: string; secret: string },
): Promise<Principal | undefined> {
  const { value: operator, isCertain } = await directory.find(operatorId)
  if (!secretMatches(secret, operator?.secretSha256) || operator === undefined) return undefined
  if (operator.disabledAt !== null) return undefined
  const signedInBefore = operator.signedInAt !== null
  return { operatorId, name: operator.name, roles: [operator.role], signedInBefore, isCertain }
}

function retired(): OperatorError {
  return new OperatorError(
    'UNAUTHORIZED',
    'OPERATOR_TOKEN ended when two admins had signed in: use a token of your own, which an admin makes with "operator add".',
  )
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
