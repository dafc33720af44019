/** GET /audit: what operators did, newest first. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { listAudit } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { readInstant } from '../instants.ts'
import { nextOf, PageQuery, pageOf, parse, parseSerial, text } from '../parse.ts'

const Query = Type.Object(
  {
    ...PageQuery,
    actor: Type.Optional(text(1, 100)),
    target: Type.Optional(text(1, 330)),
    since: Type.Optional(text(1, 40)),
  },
  { additionalProperties: false },
)

export function auditRoutes(app: FastifyInstance, { db }: OperatorDeps): void {
  app.get('/audit', async ({ query }) => {
    const { since, actor, target, ...rest } = parse(Query, query)
    const page = pageOf(rest)
    const before = page.after === undefined ? null : parseSerial('after', page.after)
    const filter = {
      ...(actor === undefined ? {} : { actor }),
      ...(target === undefined ? {} : { target }),
      ...(since === undefined ? {} : { since: readInstant('since', since) }),
    }
    const entries = await listAudit(db, filter, { before, limit: page.limit })
    return {
      ok: true,
      entries: entries.map((entry) => ({ ...entry, auditId: entry.auditId.toString() })),
      next: nextOf(entries, page, (entry) => entry.auditId.toString()),
    }
  })
}
