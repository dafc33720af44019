/** The parts of the OpenAPI document that its operations refer to. */
import type { TSchema } from 'typebox'
import { IDEMPOTENCY_KEY_PATTERN } from '../idempotency.ts'
import { Corporate, Customer } from '../schemas/accounts.ts'
import { Balances } from '../schemas/balances.ts'
import { ErrorAnswer, META_SCHEMAS } from '../schemas/error.ts'
import { EventPage, OrderEvent } from '../schemas/event.ts'
import { MintRequest, Order, OrderPage, RedeemRequest, TransferRequest } from '../schemas/order.ts'
import { Configuration, Health, ServerTime, Tokens } from '../schemas/system.ts'

export type Json = Record<string, unknown>

const SCHEMAS: Record<string, TSchema> = {
  Order,
  OrderPage,
  MintRequest,
  RedeemRequest,
  TransferRequest,
  Balances,
  Customer,
  Corporate,
  Health,
  ServerTime,
  Configuration,
  Tokens,
  Error: ErrorAnswer,
  OrderEvent,
  EventPage,
  ...Object.fromEntries(Object.entries(META_SCHEMAS).map(([code, schema]) => [metaSchemaName(code), schema])),
}

export const HEADERS: Record<string, Json> = {
  'X-COIN-API-Version': {
    description: 'Always `v1`.',
    required: true,
    schema: { type: 'string', const: 'v1' },
    example: 'v1',
  },
  'X-Request-Id': {
    description: 'Names this request: quote it to support. An `error.meta.correlationId` is the same.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: '7d0c3f5e-8c1b-4c39-9a52-0b6c2f1d9e44',
  },
  'WWW-Authenticate': {
    description: 'Always `Bearer`, whatever was wrong with the key.',
    schema: { type: 'string', const: 'Bearer' },
    example: 'Bearer',
  },
  'X-COIN-Idempotent-Replay': {
    description: '`true` when the answer is the stored original one.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'X-RateLimit-Limit': integerHeader('Requests allowed per minute in this bucket.', 120),
  'X-RateLimit-Remaining': integerHeader('Requests left in the current window.', 119),
  'X-RateLimit-Reset': integerHeader('Unix time in seconds when the window resets.', 1772337960),
  'Retry-After': integerHeader('Seconds to wait.', 17),
  Sunset: {
    description: 'Only while this version is deprecated: when it is retired (RFC 8594).',
    schema: { type: 'string' },
    example: 'Sat, 31 Dec 2033 00:00:00 GMT',
  },
}
export const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'One per logical operation (a UUID); the same on every retry. 1 to 255 visible ASCII characters, and blanks inside.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: IDEMPOTENCY_KEY_PATTERN },
  example: '5f0c8f0e-2f0a-4d0c-9a37-1f6f0f6f7b1a',
}

/** The named schemas, as in `components.schemas`. */
export function namedSchemas(): Json {
  return Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, inner(schema)]))
}

/** References to the headers of an answer: the given ones, and those of every answer. */
export function headerReferences(names: readonly string[]): Json {
  const all = ['X-COIN-API-Version', 'X-Request-Id', ...names, 'Sunset']
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The content of a request or an answer. */
export function jsonContent(schema: TSchema, examples: Readonly<Record<string, unknown>>): Json {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }])
  return { 'application/json': { schema: reference(schema), examples: Object.fromEntries(named) } }
}

/** The name of the schema of a code's `meta`, e.g. `BadRequestMeta`. */
export function metaSchemaName(code: string): string {
  return `${code.toLowerCase().replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase())}Meta`
}

/** A copy in which every schema that has a name is a reference to it. */
export function reference(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reference)
  if (typeof value !== 'object' || value === null) return value
  const named = Object.entries(SCHEMAS).find(([, known]) => known === value)
  return named === undefined ? inner(value) : { $ref: `#/components/schemas/${named[0]}` }
}

/** The copy of a schema itself, named or not. */
function inner(schema: object): Json {
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, reference(value)]))
}

function integerHeader(description: string, example: number): Json {
  return { description, schema: { type: 'integer', minimum: 0 }, example }
}
