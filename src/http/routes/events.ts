/** Reads events, as webhooks carry them, for a receiver that was down. */
import Type from 'typebox'
import { badField } from '../../bad-fields.ts'
import { refused } from '../../errors.ts'
import { EVENT_TYPES, type EventType } from '../../events/event.ts'
import { FEED_START, type FeedPosition, feedPositionAt, type MarkedPosition, readFeed } from '../../events/feed.sql.ts'
import { decodeCursor, encodeCursor } from '../../values/cursor.ts'
import { firstMillisecondFrom, parseInstantInQuery } from '../../values/instant.ts'
import { DEFAULT_PAGE_SIZE, parsePageSize } from '../../values/page-size.ts'
import type { ReadRoute } from '../route.ts'
import { EventPage, EXAMPLE_EVENT_PAGE } from '../schemas/event.ts'
import { EXAMPLE_TIME, INSTANT_FORMAT, LIMIT } from '../schemas/values.ts'

const parameters = [
  {
    name: 'types',
    schema: Type.String(),
    description: `Only these types, with commas: ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
    example: 'mint.completed,mint.failed',
  },
  {
    name: 'since',
    schema: Type.String(),
    description: `Only events of this instant and later: ${INSTANT_FORMAT}.`,
    example: EXAMPLE_TIME,
  },
  LIMIT,
  {
    name: 'cursor',
    schema: Type.String(),
    description: '`nextCursor` of the page before; opaque. Keep it: it goes on where you stopped, however long ago.',
    example: EXAMPLE_EVENT_PAGE.nextCursor,
  },
].map((parameter) => ({ ...parameter, in: 'query' as const, required: false }))

const listEvents: ReadRoute = {
  kind: 'read',
  operationId: 'listEvents',
  method: 'GET',
  path: '/events',
  tag: 'Events',
  summary: 'Read the events of your orders, oldest first',
  description:
    'What webhooks carry, whether an endpoint is registered or not, for 400 days unless the issuer has told you otherwise. `nextCursor` is always there: ask again with it, at once while `hasMore`, later when not. Along a chain of cursors each event comes exactly once, and none that was committed late is missed.',
  parameters,
  bucket: 'read',
  scopes: ['transaction:read'],
  success: { status: 200, description: 'One page.', schema: EventPage, examples: { page: EXAMPLE_EVENT_PAGE } },
  errors: ['BAD_REQUEST'],
  handle:
    ({ db }) =>
    async ({ key: { integrationId }, query }) => {
      const { after, since, ...rest } = parseFeedQuery(integrationId, query)
      const from = after ?? (since === null ? FEED_START : await feedPositionAt(db, integrationId, since))
      const { events, next, isEnd } = await readFeed(db, integrationId, { ...rest, since, after: from })
      // The bodies are the webhooks' own bytes.
      const bodies = events.map(({ payload }) => payload).join(',')
      return `{"ok":true,"events":[${bodies}],"nextCursor":"${feedCursor(integrationId, next)}","hasMore":${!isEnd}}`
    },
}

export const eventRoutes = [listEvents]

type FeedQuery = {
  /** Undefined: from the beginning, or from `since`. */
  after: FeedPosition | undefined
  /** null: all of them. */
  types: readonly EventType[] | null
  /** Inclusive. */
  since: Date | null
  limit: number
}

/**
 * Reads the query. Parameters are texts as in the URL; unknown ones are ignored.
 * @throws ApiError BAD_REQUEST, meta `{field}`, for one that is repeated, empty or wrong
 */
function parseFeedQuery(integrationId: string, query: Readonly<Record<string, unknown>>): FeedQuery {
  const parsed = {
    types: read(query.types, typesIn),
    since: read(query.since, parseInstantInQuery),
    limit: read(query.limit, parsePageSize),
    cursor: read(query.cursor, (text) => positionIn(integrationId, text)),
  }
  const field = (['types', 'since', 'limit', 'cursor'] as const).find((name) => parsed[name].isWrong)
  if (field !== undefined) throw refused(badField(field))
  const { types, since, limit, cursor } = parsed
  return {
    after: cursor.value,
    types: types.value ?? null,
    since: since.value === undefined ? null : firstMillisecondFrom(since.value),
    limit: limit.value ?? DEFAULT_PAGE_SIZE,
  }
}

/** The cursor that continues at a position. */
function feedCursor(integrationId: string, { transactionId, sequence, mark }: MarkedPosition): string {
  return encodeCursor('events', integrationId, [transactionId, sequence, mark])
}

function positionIn(integrationId: string, text: string): MarkedPosition | undefined {
  const place = decodeCursor('events', integrationId, text)
  if (place === undefined) return undefined
  const [transactionId, sequence, mark] = place
  return { transactionId, sequence, mark }
}

function typesIn(text: string): EventType[] | undefined {
  const types = text.split(',').map((name) => EVENT_TYPES.find((known) => known === name))
  return types.every((type) => type !== undefined) ? types : undefined
}

function read<T>(value: unknown, parse: (text: string) => T | undefined): { value: T | undefined; isWrong: boolean } {
  const parsed = typeof value === 'string' ? parse(value) : undefined
  return { value: parsed, isWrong: value !== undefined && parsed === undefined }
}
