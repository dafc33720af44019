/** GET /audit: what operators did, newest first. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { listAudit } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { nextOf, PageQuery, pageOf, parse, parseSerial } from '../parse.ts'

const Query = Type.Object(PageQuery, { additionalProperties: false })

export function auditRoutes(app: FastifyInstance, { db }: OperatorDeps): void {
  app.get('/audit', async ({ query }) => {
    const page = pageOf(parse(Query, query))
    const entries = await listAudit(db, page.after === undefined ? null : parseSerial('after', page.after), page.limit)
    return {
      ok: true,
      entries: entries.map((entry) => ({ ...entry, auditId: entry.auditId.toString() })),
      next: nextOf(entries, page, (entry) => entry.auditId.toString()),
    }
  })
}
