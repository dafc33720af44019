/** Who replaces their own token from a browser shows it: a session, which others may sit at or have stolen, must not become a token that outlives it. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { parseToken } from '../operators/operator.ts'
import { findOperator } from '../operators/operators.sql.ts'
import { secretMatches } from '../secrets/token-secret.ts'
import type { OperatorDeps } from './deps.ts'
import { OperatorError } from './errors.ts'
import { principalOf } from './guard.ts'
import { Nothing, parse, text } from './parse.ts'

const Body = Type.Object({ token: Type.Optional(text(1, 500)) }, { additionalProperties: false })

/**
 * Reads the body of a request for a new token.
 * @throws OperatorError FORBIDDEN when somebody signed in to the console asks for a new token of their own without showing the present one; BAD_REQUEST
 * for a token where none is needed: requests that wait for approval are shown to others
 */
export async function requireOwnToken(
  { db, wrongTokens }: Pick<OperatorDeps, 'db' | 'wrongTokens'>,
  request: FastifyRequest,
  operatorId: string,
): Promise<void> {
  // Commands have shown theirs in the header.
  const isBySession = request.headers.authorization === undefined
  if (!isBySession || principalOf(request).operatorId !== operatorId) {
    parse(Nothing, request.body)
    return
  }
  const { token } = parse(Body, request.body)
  const operator = await findOperator(db, operatorId)
  // Whoever comes from the identity provider has none; the route says so.
  if (operator?.secretSha256 === null) return
  const shown = parseToken(token?.trim() ?? '')
  if (shown?.operatorId === operatorId && secretMatches(shown.secret, operator?.secretSha256)) return
  if (token !== undefined) await wrongTokens.slow(request.ip)
  throw new OperatorError(
    'FORBIDDEN',
    `To replace your token, being signed in is not enough: give the present one in "token". If you no longer have it, an admin replaces it for you; "coin operator sign-out ${operatorId}" ends this session.`,
  )
}
