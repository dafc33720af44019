/** /audit: what operators did, newest first, and the proof that nobody changed the record of it. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { verifyLog } from '../../seals/verify.ts'
import { listAudit } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { principalOf } from '../guard.ts'
import { parseHead, VerifyQuery, viewVerification } from '../head.ts'
import { readInstant } from '../instants.ts'
import { oneLook } from '../one-look.ts'
import { nextOf, PageQuery, pageOf, parse, serialAfter, text } from '../parse.ts'
import { SEALED_AUDIT } from '../sealed-audit.sql.ts'
import { entryFor } from '../sees-people.ts'

const Query = Type.Object(
  {
    ...PageQuery,
    actor: Type.Optional(text(1, 100)),
    target: Type.Optional(text(1, 330)),
    since: Type.Optional(text(1, 40)),
  },
  { additionalProperties: false },
)

export function auditRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { db } = deps
  app.get('/audit', async (request) => {
    const { since, actor, target, ...rest } = parse(Query, request.query)
    const page = pageOf(rest)
    const before = serialAfter(page) ?? null
    const filter = {
      ...(actor === undefined ? {} : { actor }),
      ...(target === undefined ? {} : { target }),
      ...(since === undefined ? {} : { since: readInstant('since', since) }),
    }
    const listed = await listAudit(db, filter, { before, limit: page.limit })
    const entries = listed.map((entry) => entryFor(principalOf(request), entry))
    return {
      ok: true,
      entries: entries.map((entry) => ({ ...entry, auditId: entry.auditId.toString() })),
      next: nextOf(entries, page, (entry) => entry.auditId.toString()),
    }
  })

  app.get('/audit/verify', async (request) => {
    const known = parseHead(parse(VerifyQuery, request.query).head)
    return viewVerification(await oneLook(deps, request, () => verifyLog(SEALED_AUDIT, db, { known })))
  })
}
