/** Who makes a request: the bearer token (RFC 6750) of a person, or OPERATOR_TOKEN. */
import { createHash, hash, timingSafeEqual } from 'node:crypto'
import { parseToken, SHARED_TOKEN_NAME } from '../operators/operator.ts'
import type { KnownOperator } from '../operators/operators.sql.ts'
import { OPERATOR_ROLES, type OperatorRole } from '../operators/roles.ts'
import { secretMatches } from '../secrets/token-secret.ts'
import type { Directory } from './directory.ts'
import { OperatorError } from './errors.ts'

/** Who asks. */
export type Principal = {
  /** Null: OPERATOR_TOKEN, which is no person. */
  operatorId: string | null
  name: string
  /** The identity provider through which they come; null for whoever has a token. */
  issuer: string | null
  /** Theirs; null for OPERATOR_TOKEN. */
  role: OperatorRole | null
  /** As which they may act: their role, or all for OPERATOR_TOKEN. As viewer only with a token that somebody else has seen (live). */
  roles: readonly OperatorRole[]
  /** Who has seen the token, where that is why they may only look. */
  tokenSeenBy: string | null
  /** False when this is the first use of the person's token. */
  signedInBefore: boolean
  /** False when the database does not answer: who it is, is known from when it last did. */
  isCertain: boolean
}

export type Authenticate = (authorization: string | undefined) => Promise<Principal | undefined>

const BEARER_PATTERN = /^Bearer ([^\s]{1,500})$/i
const SHARED = {
  operatorId: null,
  issuer: null,
  name: SHARED_TOKEN_NAME,
  role: null,
  roles: OPERATOR_ROLES,
  tokenSeenBy: null,
  signedInBefore: true,
}

export type AuthenticationDeps = {
  /** OPERATOR_TOKEN; undefined where there is none. */
  sharedToken: string | undefined
  environment: 'sandbox' | 'live'
  directory: Directory
  /** Whether people come from the identity provider and their tokens are refused, but for those that break-glass made. */
  refusesTokens?: boolean
}

/**
 * Makes the check of Authorization headers. Hashes are compared in constant time, so that the time of an answer shows
 * neither the content nor the length of a token.
 * @returns a function that resolves to who it is, or undefined for any token that is not known
 * @throws OperatorError UNAUTHORIZED, from that function, for OPERATOR_TOKEN in live after two admins have signed in
 */
export function createAuthentication(deps: AuthenticationDeps): Authenticate {
  const { sharedToken, environment, directory, refusesTokens = false } = deps
  if (sharedToken !== undefined && sharedToken.length < 16) {
    throw new Error('The operator token must have at least 16 characters.')
  }
  const expected = sharedToken === undefined ? undefined : sha256(sharedToken)
  return async (authorization) => {
    const given = BEARER_PATTERN.exec(authorization ?? '')?.[1]
    if (given === undefined) return undefined
    if (expected !== undefined && timingSafeEqual(sha256(given), expected)) {
      return await sharedPrincipal(environment, directory)
    }
    const parsed = parseToken(given)
    return parsed === undefined ? undefined : await personOf({ directory, environment, refusesTokens }, parsed)
  }
}

async function personOf(
  { directory, environment, refusesTokens }: Pick<AuthenticationDeps, 'directory' | 'environment' | 'refusesTokens'>,
  { operatorId, secret }: { operatorId: string; secret: string },
): Promise<Principal | undefined> {
  const { value: operator, isCertain } = await directory.find(operatorId)
  if (!secretMatches(secret, operator?.secretSha256 ?? undefined) || operator === undefined) return undefined
  if (refusesTokens && !operator.isEmergency) throw elsewhere()
  return operator.disabledAt === null ? personal(operator, { isCertain, environment }) : undefined
}

/**
 * Whatever is done with a token that somebody else has seen could be the deed of either. In live such a token only lets its holder look, and replace it: so
 * whoever has seen it can do nothing with it but replace it, which its owner notices.
 */
function personal(
  operator: KnownOperator,
  { isCertain, environment }: { isCertain: boolean; environment: AuthenticationDeps['environment'] },
): Principal {
  const { operatorId, name, role, signedInAt, identity } = operator
  const tokenSeenBy = environment === 'live' ? operator.tokenSeenBy : null
  return {
    operatorId,
    name,
    issuer: identity?.issuer ?? null,
    role,
    roles: [tokenSeenBy === null ? role : 'viewer'],
    tokenSeenBy,
    signedInBefore: signedInAt !== null,
    isCertain,
  }
}

/** What somebody signed in with: whose it is, and the hash of the token, where it was one. */
export type Credential = { operatorId: string | null; tokenSha256: string | null }

/** The credential that this token is, whether or not it is a right one. */
export function credentialOf(token: string): Credential {
  const personal = parseToken(token)
  if (personal === undefined) return { operatorId: null, tokenSha256: sha256(token).toString('hex') }
  return { operatorId: personal.operatorId, tokenSha256: hash('sha256', personal.secret) }
}

export type Recognize = (credential: Credential) => Promise<Principal | undefined>

/**
 * Makes the check whether what somebody signed in with earlier still lets them in: not once they are disabled, nor once
 * the token that they showed was replaced.
 * @throws OperatorError UNAUTHORIZED, from that function, as for the token itself
 */
export function createRecognition(deps: AuthenticationDeps): Recognize {
  const { sharedToken, environment, directory, refusesTokens = false } = deps
  const shared = sharedToken === undefined ? undefined : sha256(sharedToken).toString('hex')
  return async ({ operatorId, tokenSha256 }) => {
    if (operatorId === null) return tokenSha256 === shared ? await sharedPrincipal(environment, directory) : undefined
    const { value: operator, isCertain } = await directory.find(operatorId)
    if (operator === undefined || operator.disabledAt !== null) return undefined
    if (tokenSha256 !== null && tokenSha256 !== operator.secretSha256) return undefined
    if (refusesTokens && operator.identity === null && !operator.isEmergency) return undefined
    return personal(operator, { isCertain, environment })
  }
}

async function sharedPrincipal(environment: AuthenticationDeps['environment'], directory: Directory) {
  if (environment !== 'live') return { ...SHARED, isCertain: true }
  const { value: hasAdmins, isCertain } = await directory.hasAdmins()
  if (hasAdmins) throw retired()
  return { ...SHARED, isCertain }
}

function retired(): OperatorError {
  return new OperatorError(
    'UNAUTHORIZED',
    'OPERATOR_TOKEN ended once two admins had signed in: use a token of your own, which an admin makes with "coin operator add --name … --role …".',
  )
}

function elsewhere(): OperatorError {
  return new OperatorError(
    'UNAUTHORIZED',
    'Tokens of people no longer work here: sign in to the console through the identity provider and make a token for commands there.',
  )
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
