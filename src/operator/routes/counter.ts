/** POST /counters/recount: a counter that differs from its orders is set to what they come to. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { oneOf, parse, text } from '../parse.ts'
import { COUNTER_KINDS, recount, sayRecounted } from '../reconcile/counters.ts'

const Body = Type.Object(
  { kind: oneOf(COUNTER_KINDS), subject: text(0, 300), reason: text(1, 300) },
  { additionalProperties: false },
)

export function counterRoutes(app: FastifyInstance, { db }: OperatorDeps): void {
  app.post('/counters/recount', async ({ body }) => {
    const { reason, ...named } = parse(Body, body)
    const found = await audited(
      db,
      (tx) => recount(tx, named),
      (done) => ({
        action: 'counter.recount',
        target: named.subject,
        details: { kind: named.kind, reason, found: sayRecounted(done) },
      }),
    )
    return { ok: true, ...named, found: sayRecounted(found) }
  })
}
