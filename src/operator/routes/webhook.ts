/** /webhooks: endpoints of integrations. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Queryable } from '../../db/database.ts'
import { findIntegration } from '../../integrations/integrations.sql.ts'
import { lineOf } from '../../operators/commands.ts'
import { appendAudit, audited } from '../audit.sql.ts'
import type { Principal } from '../authenticate.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { principalOf } from '../guard.ts'
import { Flag, Nothing, parse, text } from '../parse.ts'
import { mayRun } from '../require-role.ts'

const strict = { additionalProperties: false }
const eventTypes = Type.Array(Type.String({ maxLength: 50 }), {
  minItems: 1,
  maxItems: 20,
  description: 'a list of event types',
})
const Addition = Type.Object(
  {
    integrationId: text(1, 100),
    url: text(1, 2500),
    eventTypes: Type.Optional(eventTypes),
  },
  strict,
)
const Change = Type.Object(
  { url: Type.Optional(text(1, 2500)), eventTypes: Type.Optional(eventTypes), allEvents: Type.Optional(Flag) },
  strict,
)
/** Whoever may change addresses sees them whole. */
export function seesAddresses(principal: Pick<Principal, 'roles'>): boolean {
  return mayRun(lineOf('POST', '/webhooks/:endpointId/set'), principal)
}

const ListQuery = Type.Object({ integrationId: Type.Optional(text(1, 100)) }, strict)
const Disabling = Type.Object({ reason: Type.Optional(text(1, 500)) }, strict)
const Rotation = Type.Object({ replace: Type.Optional(Flag) }, strict)
const Testing = Type.Object({ next: Type.Optional(Flag) }, strict)

type ById = { Params: { endpointId: string } }

export function webhookRoutes(app: FastifyInstance, { db, webhooks }: OperatorDeps): void {
  app.post('/webhooks', async ({ body }) => {
    const input = parse(Addition, body)
    const shown = await audited(
      db,
      (tx) => webhooks.add(tx, input),
      ({ endpointId }) => ({
        action: 'webhook.add',
        target: endpointId,
        details: {
          integrationId: input.integrationId,
          origin: originOf(input.url),
          eventTypes: input.eventTypes ?? null,
        },
      }),
    )
    return { ok: true, ...shown }
  })

  app.get('/webhooks', async (request) => {
    const filter = parse(ListQuery, request.query)
    await requireIntegration(db, filter.integrationId)
    const listed = await webhooks.list(filter)
    return {
      ok: true,
      endpoints: seesAddresses(principalOf(request))
        ? listed
        : listed.map((each) => ({ ...each, url: shortened(each.url) })),
    }
  })

  app.post<ById>('/webhooks/:endpointId/test', async ({ params: { endpointId }, body }) => {
    const { next = false } = parse(Testing, body)
    const signedWith = next ? 'next' : 'current'
    const result = await webhooks.test(endpointId, signedWith)
    const { acknowledged } = result
    await appendAudit(db, { action: 'webhook.test', target: endpointId, details: { signedWith, acknowledged } })
    return { ok: true, ...result }
  })

  changeRoutes(app, { db, webhooks })
  secretRoutes(app, { db, webhooks })
}

function changeRoutes(app: FastifyInstance, { db, webhooks }: Pick<OperatorDeps, 'db' | 'webhooks'>): void {
  app.post<ById>('/webhooks/:endpointId/set', async ({ params: { endpointId }, body }) => {
    const { url, eventTypes: listed, allEvents = false } = parse(Change, body)
    if (allEvents && listed !== undefined) {
      throw new OperatorError('BAD_REQUEST', 'Name either event types or all events, not both.')
    }
    if (url === undefined && listed === undefined && !allEvents) {
      throw new OperatorError('BAD_REQUEST', 'Say what to change: the address, the event types, or all events.')
    }
    const types = allEvents ? null : listed
    const endpoint = await audited(
      db,
      (tx) => webhooks.change(tx, endpointId, { url, eventTypes: types }),
      () => ({
        action: 'webhook.set',
        target: endpointId,
        details: {
          ...(url === undefined ? {} : { origin: originOf(url) }),
          ...(types === undefined ? {} : { eventTypes: types }),
        },
      }),
    )
    return { ok: true, endpoint }
  })

  app.post<ById>('/webhooks/:endpointId/remove', async ({ params: { endpointId }, body }) => {
    parse(Nothing, body)
    const endpoint = await audited(
      db,
      (tx) => webhooks.remove(tx, endpointId),
      ({ integrationId, url }) => ({
        action: 'webhook.remove',
        target: endpointId,
        details: { integrationId, origin: originOf(url) },
      }),
    )
    return { ok: true, endpoint }
  })

  app.post<ById>('/webhooks/:endpointId/disable', async ({ params: { endpointId }, body }) => {
    const { reason = 'Disabled by an operator.' } = parse(Disabling, body)
    const endpoint = await audited(
      db,
      (tx) => webhooks.disable(tx, endpointId, reason),
      () => ({ action: 'webhook.disable', target: endpointId, details: { reason } }),
    )
    return { ok: true, endpoint }
  })

  app.post<ById>('/webhooks/:endpointId/enable', async ({ params: { endpointId }, body }) => {
    parse(Nothing, body)
    const endpoint = await audited(
      db,
      (tx) => webhooks.enable(tx, endpointId),
      () => ({ action: 'webhook.enable', target: endpointId }),
    )
    return { ok: true, endpoint }
  })
}

/** The secret of an endpoint is replaced in two steps, so that the partner can install the next one before it signs. */
function secretRoutes(app: FastifyInstance, { db, webhooks }: Pick<OperatorDeps, 'db' | 'webhooks'>): void {
  app.post<ById>('/webhooks/:endpointId/activate', async ({ params: { endpointId }, body }) => {
    parse(Nothing, body)
    const endpoint = await audited(
      db,
      (tx) => webhooks.activate(tx, endpointId),
      () => ({ action: 'webhook.activate', target: endpointId }),
    )
    return { ok: true, endpoint }
  })

  app.post<ById>('/webhooks/:endpointId/rotate', async ({ params: { endpointId }, body }) => {
    const { replace = false } = parse(Rotation, body)
    const shown = await audited(
      db,
      (tx) => webhooks.rotate(tx, endpointId, replace),
      () => ({ action: 'webhook.rotate', target: endpointId, ...(replace && { details: { replace } }) }),
    )
    return { ok: true, ...shown }
  })
}

/** The part of a URL that cannot carry a secret. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : ''
}

/** An address as those see it who may not change it: partners put secrets into paths and queries. */
function shortened(url: string): string {
  return url === `${originOf(url)}/` ? url : `${originOf(url)}/…`
}

/** Of a partner that there is not, an empty answer would say that there is nothing to do. */
export async function requireIntegration(db: Queryable, integrationId: string | undefined): Promise<void> {
  if (integrationId === undefined) return
  found(await findIntegration(db, integrationId), 'integration', integrationId, 'integration list')
}
