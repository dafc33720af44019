/** Who may run which command: the table, and the routes that really are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { guardRoutes } from '../../src/operator/guard.ts'

test('a route that the table does not list cannot be registered', async () => {
  const app = Fastify()
  app.register(
    async (scope) => {
      guardRoutes(scope, '/operator/v1')
      scope.post('/payouts/:payoutId/steal', async () => ({}))
    },
    { prefix: '/operator/v1' },
  )
  await assert.rejects(async () => await app.ready(), /POST \/payouts\/:payoutId\/steal has no line/)
  await app.close()
})
