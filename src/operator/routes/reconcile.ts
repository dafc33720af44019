/** GET /reconcile: supply against orders. Here `ok` says whether the books agree. */
import type { FastifyInstance } from 'fastify'
import type { OperatorDeps } from '../deps.ts'
import { reconcile } from '../reconcile/reconcile.ts'

export function reconcileRoutes(app: FastifyInstance, { db, chains, secrets }: OperatorDeps): void {
  app.get('/reconcile', () => reconcile(db, chains, secrets))
}
