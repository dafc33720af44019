/** Filters of GET /v1/transactions (contract). */
import { badField, type FieldName } from '../../bad-fields.ts'
import type { Refusal } from '../../errors.ts'
import { firstMillisecondFrom, type Instant, parseInstantInQuery } from '../../values/instant.ts'
import { DEFAULT_PAGE_SIZE, parsePageSize } from '../../values/page-size.ts'
import { DIRECTIONS, type Direction, type OrderStatus, STATUSES } from '../order.ts'
import { decodeCursor, type Position } from './cursor.ts'

/** Which orders of an integration, and how many at most: those after `after` and before the position `before`. */
export type OrderFilters = {
  direction: Direction | undefined
  status: OrderStatus | undefined
  /** Exclusive. */
  createdAfter: Date | undefined
  /** Exclusive: the end of the previous page, or the given instant, whichever is earlier. */
  before: Position | undefined
  limit: number
}

export type ParsedFilters = { ok: true; filters: OrderFilters } | { ok: false; refusal: Refusal }

/**
 * Validates the query of a list request. Parameters are texts as in the URL; one that is repeated, empty or wrong is
 * refused with BAD_REQUEST, meta `{field}`. Unknown parameters are ignored.
 * @param query decoded parameters; a repeated one is an array
 */
export function parseOrderFilters(integrationId: string, query: Readonly<Record<string, unknown>>): ParsedFilters {
  const bad = (field: FieldName): ParsedFilters => ({ ok: false, refusal: badField(field) })
  const direction = optional(query.direction, (text) => DIRECTIONS.find((known) => known === text))
  if (direction === INVALID) return bad('direction')
  const status = optional(query.status, (text) => STATUSES.find((known) => known === text))
  if (status === INVALID) return bad('status')
  const after = optional(query.createdAfter, parseInstantInQuery)
  if (after === INVALID) return bad('createdAfter')
  const before = optional(query.createdBefore, parseInstantInQuery)
  if (before === INVALID) return bad('createdBefore')
  const limit = optional(query.limit, parsePageSize)
  if (limit === INVALID) return bad('limit')
  const cursor = optional(query.cursor, (text) => decodeCursor(integrationId, text))
  if (cursor === INVALID) return bad('cursor')
  return {
    ok: true,
    filters: {
      direction,
      status,
      createdAfter: after?.at,
      before: earlier(cursor, before && startOf(before)),
      limit: limit ?? DEFAULT_PAGE_SIZE,
    },
  }
}

function startOf(instant: Instant): Position {
  return { createdAt: firstMillisecondFrom(instant), orderId: 0n }
}

function earlier(cursor: Position | undefined, instant: Position | undefined): Position | undefined {
  if (cursor === undefined || instant === undefined) return cursor ?? instant
  return cursor.createdAt < instant.createdAt ? cursor : instant
}

const INVALID = Symbol('invalid')

function optional<T>(value: unknown, parse: (text: string) => T | undefined): T | undefined | typeof INVALID {
  if (value === undefined) return undefined
  return typeof value === 'string' ? (parse(value) ?? INVALID) : INVALID
}
