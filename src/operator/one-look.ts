/**
 * Looks that read everything there is. Each person has one at a time: whoever may only look could otherwise keep the process so busy that nobody
 * stops anything.
 */
import type { FastifyRequest } from 'fastify'
import type { OperatorDeps } from './deps.ts'
import { OperatorError } from './errors.ts'
import { principalOf } from './guard.ts'

/** Who has one under way, in each API of this process. */
const looking = new WeakMap<OperatorDeps, Set<string>>()

/**
 * Does the work, one at a time for each person; it goes on, and counts, even when the person has gone meanwhile. Whoever uses the shared token has no such
 * limit.
 * @throws OperatorError TOO_MANY_REQUESTS while the same person has another under way
 */
export async function oneLook<T>(deps: OperatorDeps, request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  const { operatorId } = principalOf(request)
  if (operatorId === null) return await work()
  const people = looking.get(deps) ?? new Set()
  looking.set(deps, people)
  if (people.has(operatorId)) {
    throw new OperatorError(
      'TOO_MANY_REQUESTS',
      'You are already running one of "coin audit verify", "coin ledger verify" and "coin reconcile": run this again when it has ended.',
    )
  }
  people.add(operatorId)
  try {
    return await work()
  } finally {
    people.delete(operatorId)
  }
}
