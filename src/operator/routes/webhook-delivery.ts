/** /webhooks: what was delivered to endpoints, and what is to be delivered again. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { DeliveryRecord } from '../../webhooks/history/delivery-record.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { principalOf } from '../guard.ts'
import { readInstant } from '../instants.ts'
import { Flag, nextOf, oneOf, PageQuery, pageOf, parse, serialAfter, text } from '../parse.ts'
import { requireIntegration, seesAddresses } from './webhook.ts'

const strict = { additionalProperties: false }
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

/** What a receiver has answered may repeat the address, as "Cannot POST /hooks/…" does, or what it was sent. */
function withoutAnswers(delivery: DeliveryRecord): DeliveryRecord {
  const attemptLog = delivery.attemptLog.map((attempt) => ({
    ...attempt,
    responseExcerpt: attempt.responseExcerpt && 'hidden',
  }))
  return { ...delivery, attemptLog }
}

export function webhookDeliveryRoutes(app: FastifyInstance, { db, webhooks }: OperatorDeps): void {
  app.get<ById>('/webhooks/:endpointId/deliveries', async (request) => {
    const { endpointId } = request.params
    const { failed, ...rest } = parse(DeliveriesQuery, request.query)
    const page = pageOf(rest)
    const after = serialAfter(page)
    const filter = { endpointId, failedOnly: failed === 'true', limit: page.limit, after }
    const deliveries = await webhooks.deliveries(filter)
    const shown = seesAddresses(principalOf(request)) ? deliveries : deliveries.map(withoutAnswers)
    return { ok: true, deliveries: shown, next: nextOf(deliveries, page, ({ deliveryId }) => deliveryId) }
  })

  app.post('/webhooks/replay', async ({ body }) => {
    const { eventId, since, until, endpointId, integrationId, failed, dryRun = false } = parse(Replay, body)
    if ((eventId === undefined) === (since === undefined)) {
      throw new OperatorError(
        'BAD_REQUEST',
        'Name either one event ("eventId", --event), or the instant from which to replay ("since", --since).',
      )
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
