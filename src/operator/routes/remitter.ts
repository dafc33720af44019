/** /integrations/…/remitters: from which bank accounts a partner pays for its mints. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { findIntegration } from '../../integrations/integrations.sql.ts'
import { addRemitter, findRemitter, listRemitters, removeRemitter } from '../../integrations/remitters.sql.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { parse } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'
import { maskedAccount } from '../subjects.ts'

const Account = Type.Object(
  { account: Type.String({ pattern: '^[0-9]{5,17}$', description: 'an account number of 5 to 17 digits' }) },
  { additionalProperties: false },
)

const OTHER_KEY =
  'Another SECRETS_KEY is replacing that of this process, which cannot see whether somebody else has the account: restart it with both.'

type ById = { Params: { integrationId: string } }

export function remitterRoutes(app: FastifyInstance, { db, secrets }: OperatorDeps): void {
  app.post<ById>('/integrations/:integrationId/remitters', async ({ params: { integrationId }, body }) => {
    const { account } = parse(Account, body)
    const remitters = await audited(
      db,
      async (tx) => {
        found(await findIntegration(tx, integrationId), 'integration', integrationId, 'integration list')
        await refuseIdle(
          async () => (await findRemitter(tx, secrets, account)) !== integrationId,
          `That account is registered for ${integrationId} already: there is nothing to add.`,
        )
        const owner = await addRemitter(tx, secrets, { integrationId, account })
        if (owner === integrationId) return await listRemitters(tx, integrationId)
        throw new OperatorError(
          'CONFLICT',
          owner === undefined ? OTHER_KEY : `That account is registered for ${owner}: remove it there first.`,
        )
      },
      () => ({
        action: 'integration.add-remitter',
        target: integrationId,
        details: { account: maskedAccount(account) },
      }),
    )
    return { ok: true, integrationId, remitters: remitters.map(maskedAccount) }
  })

  app.post<ById>('/integrations/:integrationId/remitters/remove', async ({ params: { integrationId }, body }) => {
    const { account } = parse(Account, body)
    const remitters = await audited(
      db,
      async (tx) => {
        if (await removeRemitter(tx, secrets, { integrationId, account })) return await listRemitters(tx, integrationId)
        throw new OperatorError(
          'NOT_FOUND',
          `${integrationId} has no such account: see "coin integration show ${integrationId}".`,
        )
      },
      () => ({
        action: 'integration.remove-remitter',
        target: integrationId,
        details: { account: maskedAccount(account) },
      }),
    )
    return { ok: true, integrationId, remitters: remitters.map(maskedAccount) }
  })
}
