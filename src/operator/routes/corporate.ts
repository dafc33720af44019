/** /corporates: companies that integrations onboarded. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { type Corporate, type CorporateDetails, corporateProblems, viewCorporate } from '../../customers/corporate.ts'
import {
  findCorporateOfAny,
  insertCorporate,
  listCorporates,
  lockCorporate,
  updateCorporate,
} from '../../customers/corporates.sql.ts'
import { findIntegration } from '../../integrations/integrations.sql.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { nextOf, PageQuery, pageOf, parse, text } from '../parse.ts'
import { CorporateLink, CorporateSet, changedCorporate, newCorporate, refuseProblems } from '../party-input.ts'

const Query = Type.Object({ ...PageQuery, integrationId: text(1, 100) }, { additionalProperties: false })

type ById = { Params: { corporateId: string } }

export function corporateRoutes(app: FastifyInstance, { db }: OperatorDeps): void {
  app.post('/corporates', async ({ body }) => {
    const input = parse(CorporateLink, body)
    const { integrationId } = input
    const details = newCorporate(input)
    refuseProblems(corporateProblems(details))
    const corporateId = await audited(
      db,
      async (tx) => {
        found(await findIntegration(tx, integrationId), 'integration', integrationId, 'integration list')
        return insertCorporate(tx, integrationId, details)
      },
      (target) => ({ action: 'corporate.link', target, details: { integrationId, ...details } }),
    )
    return { ok: true, corporateId }
  })

  app.get('/corporates', async ({ query }) => {
    const { integrationId, ...rest } = parse(Query, query)
    const page = pageOf(rest)
    found(await findIntegration(db, integrationId), 'integration', integrationId, 'integration list')
    const corporates = await listCorporates(db, { integrationId, ...page })
    const next = nextOf(corporates, page, (item) => item.corporateId)
    return { ok: true, corporates: corporates.map(showCorporate), next }
  })

  app.get<ById>('/corporates/:corporateId', async ({ params: { corporateId } }) => ({
    ok: true,
    corporate: showCorporate(known(await findCorporateOfAny(db, corporateId), corporateId)),
  }))

  app.post<ById>('/corporates/:corporateId/set', async ({ params: { corporateId }, body }) => {
    const changes = parse(CorporateSet, body)
    if (Object.keys(changes).length === 0) throw new OperatorError('BAD_REQUEST', 'Name at least one thing to change.')
    const corporate = await audited(
      db,
      async (tx) => {
        await lockCorporate(tx, corporateId)
        const details = changedCorporate(known(await findCorporateOfAny(tx, corporateId), corporateId), changes)
        refuseProblems(corporateProblems(details))
        await updateCorporate(tx, corporateId, details)
        return known(await findCorporateOfAny(tx, corporateId), corporateId)
      },
      (changed) => ({
        action: 'corporate.set',
        target: corporateId,
        details: { changed: Object.keys(changes).sort(), ...describeCorporate(changed) },
      }),
    )
    return { ok: true, corporate: showCorporate(corporate) }
  })
}

const known = (corporate: Corporate | undefined, id: string) =>
  found(corporate, 'corporate', id, 'corporate list --integration ID')

function showCorporate(corporate: Corporate) {
  const { integrationId, canMint, canRedeem, canPayroll } = corporate
  return { ...viewCorporate(corporate), integrationId, switches: { canMint, canRedeem, canPayroll } }
}

function describeCorporate(details: CorporateDetails): CorporateDetails {
  const { companyName, status, stage, countryCode, industry, canMint, canRedeem, canPayroll } = details
  return { companyName, status, stage, countryCode, industry, canMint, canRedeem, canPayroll }
}
