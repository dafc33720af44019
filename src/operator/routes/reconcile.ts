/** GET /reconcile: supply against orders. Here `ok` says whether the books agree. */
import type { FastifyInstance } from 'fastify'
import type { OperatorDeps } from '../deps.ts'
import { oneLook } from '../one-look.ts'
import { reconcile } from '../reconcile/reconcile.ts'
import { counterRoutes } from './counter.ts'

export function reconcileRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { db, chains, secrets } = deps
  counterRoutes(app, deps)
  app.get('/reconcile', (request) => oneLook(deps, request, () => reconcile(db, chains, secrets)))
}
