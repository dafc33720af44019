/** From a request to who makes it: the token is checked, a wrong one slowed, and the first use of a right one recorded. */
import type { FastifyRequest } from 'fastify'
import { DatabaseUnavailableError } from '../db/database.ts'
import { actAs } from '../operators/acting.ts'
import { markSignedIn } from '../operators/operators.sql.ts'
import { appendAudit } from './audit.sql.ts'
import type { Principal } from './authenticate.ts'
import type { OperatorDeps } from './deps.ts'
import { OperatorError } from './errors.ts'

/** @throws OperatorError UNAUTHORIZED, or TOO_MANY_REQUESTS */
export async function signIn(deps: OperatorDeps, request: FastifyRequest): Promise<Principal> {
  const { authenticate, wrongTokens } = deps
  const principal = await authenticate(request.headers.authorization)
  if (principal === undefined) {
    await wrongTokens.slow(request.ip)
    throw new OperatorError(
      'UNAUTHORIZED',
      'The operator token is missing or wrong. Set OPERATOR_TOKEN to your own token, or in a sandbox to the one it was started with.',
    )
  }
  if (!principal.signedInBefore) await recordFirst(deps, principal, request.ip)
  return principal
}

async function recordFirst({ db, logger }: OperatorDeps, principal: Principal, origin: string): Promise<void> {
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
