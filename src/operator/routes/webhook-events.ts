/** /webhooks/events: an integration's events as they happen, for `webhook listen`. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { followEvents } from '../../webhooks/listen.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { parse, text } from '../parse.ts'

const MAX_LISTENERS = 50
/** The three numbers of a position, at their longest, and what is between them. */
const LONGEST_POSITION = 18 + 1 + 19 + 1 + 15

const EventsQuery = Type.Object(
  { integrationId: text(1, 100), after: Type.Optional(text(1, LONGEST_POSITION)) },
  { additionalProperties: false },
)

export function webhookEventRoutes(app: FastifyInstance, { db }: Pick<OperatorDeps, 'db'>): void {
  const closing = new AbortController()
  let listeners = 0
  app.addHook('preClose', async () => closing.abort())

  app.get('/webhooks/events', async ({ query }, reply) => {
    const { integrationId, after } = parse(EventsQuery, query)
    if (listeners >= MAX_LISTENERS) {
      throw new OperatorError('CONFLICT', `${MAX_LISTENERS} listeners are already connected, the most there may be.`)
    }
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    listeners += 1
    try {
      const signal = AbortSignal.any([closing.signal, gone.signal])
      return { ok: true, ...(await followEvents(db, { integrationId, after, signal })) }
    } finally {
      listeners -= 1
    }
  })
}
