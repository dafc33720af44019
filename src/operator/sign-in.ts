/** From a request to who makes it: the token is checked, a wrong one slowed, and the first use of a right one recorded. */
import type { FastifyRequest } from 'fastify'
import { DatabaseUnavailableError } from '../db/database.ts'
import { actAs } from '../operators/acting.ts'
import { markSignedIn } from '../operators/operators.sql.ts'
import { appendAudit } from './audit.sql.ts'
import type { Principal } from './authenticate.ts'
import type { OperatorDeps } from './deps.ts'
import { OperatorError } from './errors.ts'

/**
 * Who makes a request: by the token in its Authorization header, else by the session of the browser that it comes from.
 * @throws OperatorError UNAUTHORIZED, TOO_MANY_REQUESTS, or FORBIDDEN for a browser that another site sends here
 */
export async function signIn(deps: OperatorDeps, request: FastifyRequest): Promise<Principal> {
  const { authorization } = request.headers
  const byCookie = authorization === undefined ? await deps.browser?.(request) : undefined
  return byCookie ?? (await signInWith(deps, authorization, request.ip))
}

/** Who shows this Authorization header. @throws OperatorError UNAUTHORIZED, or TOO_MANY_REQUESTS */
export async function signInWith(
  deps: Pick<OperatorDeps, 'authenticate' | 'wrongTokens' | 'db' | 'logger'>,
  authorization: string | undefined,
  address: string,
): Promise<Principal> {
  const principal = await deps.authenticate(authorization)
  if (principal === undefined) {
    await deps.wrongTokens.slow(address)
    throw new OperatorError(
      'UNAUTHORIZED',
      'The operator token is missing or wrong. Set OPERATOR_TOKEN to your own token, or in a sandbox to the one it was started with.',
    )
  }
  if (!principal.signedInBefore) await recordFirst(deps, principal, address)
  return principal
}

async function recordFirst(
  { db, logger }: Pick<OperatorDeps, 'db' | 'logger'>,
  principal: Principal,
  origin: string,
): Promise<void> {
  const { operatorId, name: actor } = principal
  if (operatorId === null) return
  try {
    await actAs({ actor, origin }, () =>
      db.transaction(async (tx) => {
        if (await markSignedIn(tx, operatorId))
          await appendAudit(tx, { action: 'operator.sign-in', target: operatorId })
      }),
    )
  } catch (error) {
    // The next request records it; this one may be a stop.
    if (!(error instanceof DatabaseUnavailableError)) throw error
    logger.warn({ err: error, operatorId }, 'the first use of a token could not be recorded')
  }
}
