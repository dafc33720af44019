/** /integrations: partners, their suspension and their data processing agreement. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { dayOfPaper } from '../../integrations/agreement.ts'
import {
  createIntegration,
  findIntegration,
  type Integration,
  listIntegrations,
  resumeIntegration,
  setIntegrationDpa,
  suspendIntegration,
} from '../../integrations/integrations.sql.ts'
import { listRemitters } from '../../integrations/remitters.sql.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { principalOf } from '../guard.ts'
import { parseDay } from '../instants.ts'
import { Nothing, nextOf, PageQuery, pageOf, parse, text } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'
import { accountsFor } from '../sees-people.ts'
import { maskedAccount } from '../subjects.ts'
import { releaseOrdersRoutes } from './release-orders.ts'

const Query = Type.Object(PageQuery, { additionalProperties: false })
const Creation = Type.Object({ name: text(1, 200) }, { additionalProperties: false })
const DpaChange = Type.Object(
  { dpaSignedOn: Type.Union([Type.String(), Type.Null()], { description: 'a day such as 2026-01-31, or null' }) },
  { additionalProperties: false },
)

const PRINTABLE = /^[^\p{C}]*[^\p{C}\s][^\p{C}]*$/u

type ById = { Params: { integrationId: string } }

const known = (integration: Integration | undefined, id: string) =>
  found(integration, 'integration', id, 'integration list')

/** No key works by it before its day, so that a year that was mistyped would show only when the partner is refused. */
function parseSignedOn(value: string): string {
  const day = parseDay('dpaSignedOn', value)
  const today = dayOfPaper(Date.now())
  if (day <= today) return day
  const sentence = `"dpaSignedOn" is in the future: today is ${today} in Malaysia. Put the agreement on file once it is signed.`
  throw new OperatorError('BAD_REQUEST', sentence)
}

export function integrationRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  releaseOrdersRoutes(app, deps)
  const { db } = deps
  app.post('/integrations', async ({ body }) => {
    const { name } = parse(Creation, body)
    if (!PRINTABLE.test(name)) throw new OperatorError('BAD_REQUEST', '"name" must be 1 to 200 printable characters.')
    const { integrationId } = await audited(
      db,
      (tx) => createIntegration(tx, { name }),
      (created) => ({ action: 'integration.create', target: created.integrationId, details: { name } }),
    )
    return { ok: true, integrationId }
  })

  app.get('/integrations', async ({ query }) => {
    const page = pageOf(parse(Query, query))
    const integrations = await listIntegrations(db, page)
    return { ok: true, integrations, next: nextOf(integrations, page, (item) => item.integrationId) }
  })

  app.get<ById>('/integrations/:integrationId', async (request) => {
    const { integrationId } = request.params
    const integration = known(await findIntegration(db, integrationId), integrationId)
    const remitters = (await listRemitters(db, integrationId)).map(maskedAccount)
    return { ok: true, integration: { ...integration, remitters: accountsFor(principalOf(request), remitters) } }
  })

  for (const [verb, change] of [
    ['suspend', suspendIntegration],
    ['resume', resumeIntegration],
  ] as const) {
    app.post<ById>(`/integrations/:integrationId/${verb}`, async ({ params: { integrationId }, body }) => {
      parse(Nothing, body)
      const integration = await audited(
        db,
        async (tx) => {
          const { status } = known(await findIntegration(tx, integrationId), integrationId)
          await refuseIdle(
            () => status === 'suspended',
            `${integrationId} is not suspended: there is nothing to resume.`,
          )
          return known(await change(tx, integrationId), integrationId)
        },
        () => ({ action: `integration.${verb}`, target: integrationId }),
      )
      return { ok: true, integration }
    })
  }

  app.post<ById>('/integrations/:integrationId/set', async ({ params: { integrationId }, body }) => {
    const { dpaSignedOn } = parse(DpaChange, body)
    const signedOn = dpaSignedOn === null ? null : parseSignedOn(dpaSignedOn)
    const integration = await audited(
      db,
      async (tx) => known(await setIntegrationDpa(tx, integrationId, signedOn), integrationId),
      () => ({ action: 'integration.set', target: integrationId, details: { dpaSignedOn: signedOn } }),
    )
    return { ok: true, integration }
  })
}
