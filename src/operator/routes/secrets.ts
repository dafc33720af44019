/** POST /secrets/reseal: what SECRETS_KEY_PREVIOUS sealed is sealed anew under SECRETS_KEY, one step a request. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { SEALED_BANK_DETAILS } from '../../bank-details/resealing.sql.ts'
import { SEALED_KEY } from '../../db/secrets-key.sql.ts'
import { SEALED_ANSWERS } from '../../operators/answers.sql.ts'
import { SEALED_APPROVALS } from '../../operators/resealing.sql.ts'
import { SEALED_FILES } from '../../payment-files/files.sql.ts'
import { resealStep } from '../../secrets/resealing.ts'
import { SEALED_ENDPOINTS } from '../../webhooks/endpoints/resealing.sql.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { parse, text } from '../parse.ts'
import { secretsLostRoute } from './secrets-lost.ts'

// The key's own row comes last: until then a process needs both keys to start.
const TABLES = [SEALED_APPROVALS, SEALED_ANSWERS, SEALED_BANK_DETAILS, SEALED_ENDPOINTS, SEALED_FILES, SEALED_KEY]
const AT_ONCE = 200

const Step = Type.Object(
  { after: Type.Optional(Type.Object({ table: text(1, 60), key: text(1, 400) }, { additionalProperties: false })) },
  { additionalProperties: false },
)

export function secretsRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { db, secrets } = deps
  secretsLostRoute(app, deps)
  app.post('/secrets/reseal', async ({ body }) => {
    const { after = null } = parse(Step, body)
    const { resealed, unreadable, next } = await audited(
      db,
      (tx) => resealStep(tx, secrets, TABLES, { from: after, limit: AT_ONCE }),
      (done) => ({
        action: 'secrets.reseal',
        target: null,
        details: { resealed: String(done.resealed), unreadable: done.unreadable },
      }),
    )
    return { ok: true, resealed, unreadable, next }
  })
}
