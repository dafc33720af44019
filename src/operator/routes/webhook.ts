/** /webhooks: endpoints of integrations and what was delivered to them. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Queryable } from '../../db/database.ts'
import { findIntegration } from '../../integrations/integrations.sql.ts'
import { appendAudit, audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { readInstant } from '../instants.ts'
import { Flag, nextOf, oneOf, PageQuery, pageOf, parse, parseSerial, text } from '../parse.ts'

const strict = { additionalProperties: false }
const Nothing = Type.Object({}, strict)
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
const ListQuery = Type.Object({ integrationId: Type.Optional(text(1, 100)) }, strict)
const Disabling = Type.Object({ reason: Type.Optional(text(1, 500)) }, strict)
const Rotation = Type.Object({ replace: Type.Optional(Flag) }, strict)
const Testing = Type.Object({ next: Type.Optional(Flag) }, strict)
const DeliveriesQuery = Type.Object({ ...PageQuery, failed: Type.Optional(oneOf(['true', 'false'])) }, strict)
const Replay = Type.Object(
  {
    integrationId: Type.Optional(text(1, 100)),
    failed: Type.Optional(Flag),
    dryRun: Type.Optional(Flag),
    eventId: Type.Optional(text(1, 100)),
    since: Type.Optional(text(1, 40)),
    until: Type.Optional(text(1, 40)),
    endpointId: Type.Optional(text(1, 100)),
  },
  strict,
)

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

  app.get('/webhooks', async ({ query }) => {
    const filter = parse(ListQuery, query)
    await requireIntegration(db, filter.integrationId)
    return { ok: true, endpoints: await webhooks.list(filter) }
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
  deliveryRoutes(app, { db, webhooks })
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

  for (const verb of ['enable', 'activate'] as const) {
    app.post<ById>(`/webhooks/:endpointId/${verb}`, async ({ params: { endpointId }, body }) => {
      parse(Nothing, body)
      const endpoint = await audited(
        db,
        (tx) => webhooks[verb](tx, endpointId),
        () => ({ action: `webhook.${verb}`, target: endpointId }),
      )
      return { ok: true, endpoint }
    })
  }

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

function deliveryRoutes(app: FastifyInstance, { db, webhooks }: Pick<OperatorDeps, 'db' | 'webhooks'>): void {
  app.get<ById>('/webhooks/:endpointId/deliveries', async ({ params: { endpointId }, query }) => {
    const { failed, ...rest } = parse(DeliveriesQuery, query)
    const page = pageOf(rest)
    const after = page.after === undefined ? undefined : parseSerial('after', page.after)
    const filter = { endpointId, failedOnly: failed === 'true', limit: page.limit, after }
    const deliveries = await webhooks.deliveries(filter)
    return { ok: true, deliveries, next: nextOf(deliveries, page, ({ deliveryId }) => deliveryId) }
  })

  app.post('/webhooks/replay', async ({ body }) => {
    const { eventId, since, until, endpointId, integrationId, failed, dryRun = false } = parse(Replay, body)
    if ((eventId === undefined) === (since === undefined)) {
      throw new OperatorError('BAD_REQUEST', 'Name either one event, or the instant since which to replay.')
    }
    await requireIntegration(db, integrationId)
    const target = { endpointId, integrationId, failedOnly: failed === true }
    const selection =
      eventId === undefined
        ? {
            since: readInstant('since', since ?? ''),
            until: until === undefined ? undefined : readInstant('until', until),
            ...target,
          }
        : { eventId, ...target }
    if (dryRun) {
      const { scheduled: wouldSchedule } = await db.transaction((tx) => webhooks.replay(tx, selection, true))
      return { ok: true, scheduled: 0, wouldSchedule }
    }
    const { scheduled } = await audited(
      db,
      (tx) => webhooks.replay(tx, selection),
      (result) => ({
        action: 'webhook.replay',
        target: eventId ?? endpointId ?? integrationId ?? null,
        details: {
          since: since ?? null,
          until: until ?? null,
          failedOnly: target.failedOnly,
          scheduled: result.scheduled,
        },
      }),
    )
    return { ok: true, scheduled }
  })
}

/** The part of a URL that cannot carry a secret. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : ''
}

/** Of a partner that there is not, an empty answer would say that there is nothing to do. */
async function requireIntegration(db: Queryable, integrationId: string | undefined): Promise<void> {
  if (integrationId === undefined) return
  found(await findIntegration(db, integrationId), 'integration', integrationId, 'integration list')
}
