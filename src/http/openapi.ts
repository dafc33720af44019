/** The OpenAPI 3.1 document, made from the table of operations. */
import type { TSchema } from 'typebox'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { SCOPES } from '../integrations/api-key.ts'
import { errorCodesOf, type Parameter, type Route } from './route.ts'
import { ROUTES } from './routes/index.ts'
import { Corporate, Customer } from './schemas/accounts.ts'
import { Balances } from './schemas/balances.ts'
import { ErrorAnswer, exampleError, META_SCHEMAS } from './schemas/error.ts'
import { EXAMPLE_EVENT, OrderEvent } from './schemas/event.ts'
import { MintRequest, Order, OrderPage, RedeemRequest, TransferRequest } from './schemas/order.ts'
import { Configuration, Health, ServerTime, Tokens } from './schemas/system.ts'

export const OPENAPI_PATH = '/openapi/stablecoin-partner-v1.json'

type Json = Record<string, unknown>

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
  ...Object.fromEntries(Object.entries(META_SCHEMAS).map(([code, schema]) => [metaSchemaName(code), schema])),
}

const HEADERS: Record<string, Json> = {
  'X-COIN-API-Version': {
    description: 'Always `v1`.',
    required: true,
    schema: { type: 'string', const: 'v1' },
    example: 'v1',
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
const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

const TAGS: Record<string, string> = {
  System: 'Liveness, time, chains and tokens.',
  Mints: 'Issue coin against confirmed ringgit.',
  Redeems: 'Burn coin and pay out ringgit.',
  Transfers: 'Move coin to a recipient.',
  Transactions: 'Orders of any direction.',
  Balances: 'What a wallet holds on chain.',
  Accounts: 'Verification status of linked parties.',
  Events: 'Signed webhooks.',
}

/** The document as a plain value; equal on every call. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {}
  for (const route of ROUTES) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Stablecoin Partner API',
      version: '1.0.0',
      summary: 'Mint, redeem and transfer a ringgit-backed coin.',
      description:
        'Server-to-server JSON API. Every answer has `ok`; every failure has a stable `error.code`. Amounts are decimal strings. Ignore unknown fields; tolerate unknown `phase` and `error.code` values. Retry only 429, 502, 503 and 504, with the same Idempotency-Key and body.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/v1', description: 'The environment that serves this document.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths,
    webhooks: { orderEvent: { post: webhook() } },
    components: {
      schemas: Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, inner(schema)])),
      headers: HEADERS,
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'coin_<environment>_<key id>_<secret>',
          description: `API key. A key works in one environment. Scopes: ${SCOPES.join(', ')}.`,
        },
      },
    },
  }
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'One per logical operation (a UUID); the same on every retry.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: '5f0c8f0e-2f0a-4d0c-9a37-1f6f0f6f7b1a',
}

function operation(route: Route): Json {
  const scopes = route.kind === 'public' ? [] : route.scopes
  const needs = scopes.length === 0 ? '' : `\n\nScopes: ${scopes.map((scope) => `\`${scope}\``).join(' and ')}.`
  const parameters: unknown[] = route.parameters.map(parameter)
  if (route.kind === 'write') parameters.unshift({ $ref: '#/components/parameters/IdempotencyKey' })
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: route.description + needs,
    ...(route.kind === 'public' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.kind === 'write' ? { requestBody: requestBody(route.requestBody) } : {}),
    responses: { [route.success.status]: success(route), ...failures(route) },
  }
}

function parameter({ name, in: place, required, description, schema, example }: Parameter): Json {
  return { name, in: place, required, description, schema: reference(schema), example }
}

function requestBody({ required, schema, examples }: Extract<Route, { kind: 'write' }>['requestBody']): Json {
  return { required, content: jsonContent(schema, examples) }
}

function success(route: Route): Json {
  const { description, schema, examples } = route.success
  const replay = route.kind === 'write' ? ['X-COIN-Idempotent-Replay'] : []
  return {
    description,
    headers: headers([...(route.kind === 'public' ? [] : RATE_HEADERS), ...replay]),
    content: jsonContent(schema, examples),
  }
}

function failures(route: Route): Record<string, Json> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of errorCodesOf(route)) {
    const { status } = ERRORS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const answers = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => [status, failure(route, status, codes)])
  return Object.fromEntries(answers)
}

function failure(route: Route, status: number, codes: ErrorCode[]): Json {
  const lines = codes.map((code) => {
    const meta = code in META_SCHEMAS ? ` \`meta\`: ${metaSchemaName(code)}.` : ''
    return `- \`${code}\`: ${ERRORS[code].message}${meta}`
  })
  const withKey = route.kind !== 'public' && status !== 401
  return {
    description: lines.join('\n'),
    headers: headers([...(withKey ? RATE_HEADERS : []), ...(status === 429 ? ['Retry-After'] : [])]),
    content: jsonContent(ErrorAnswer, Object.fromEntries(codes.map((code) => [code, exampleError(code)]))),
  }
}

function webhook(): Json {
  return {
    operationId: 'orderEvent',
    tags: ['Events'],
    summary: 'An order changed its state',
    description:
      'Sent to your registered endpoint, at least once and in no particular order. Verify the signature over the raw body, deduplicate on `id`, then read the order: a webhook is a hint. Failed deliveries are retried for up to 24 hours.',
    security: [],
    parameters: [
      {
        name: 'X-COIN-Signature',
        in: 'header',
        required: true,
        description:
          '`v1` is HMAC-SHA256, hex, of `{t}.{raw body}` keyed with the webhook secret. Tolerance 300 seconds.',
        schema: { type: 'string', pattern: '^t=\\d+,v1=[0-9a-f]{64}$' },
        example: `t=1772337931,v1=${'5d'.repeat(32)}`,
      },
    ],
    requestBody: { required: true, content: jsonContent(OrderEvent, { completed: EXAMPLE_EVENT }) },
    responses: {
      '2XX': { description: 'Acknowledged; answer within 5 seconds.' },
      '410': { description: 'The endpoint is gone; it is disabled.' },
    },
  }
}

function headers(names: readonly string[]): Json {
  const all = ['X-COIN-API-Version', ...names, 'Sunset']
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function jsonContent(schema: TSchema, examples: Readonly<Record<string, unknown>>): Json {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }])
  return { 'application/json': { schema: reference(schema), examples: Object.fromEntries(named) } }
}

function integerHeader(description: string, example: number): Json {
  return { description, schema: { type: 'integer', minimum: 0 }, example }
}

function metaSchemaName(code: string): string {
  return `${code.toLowerCase().replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase())}Meta`
}

/** A copy in which every schema that has a name is a reference to it. */
function reference(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reference)
  if (typeof value !== 'object' || value === null) return value
  const named = Object.entries(SCHEMAS).find(([, known]) => known === value)
  return named === undefined ? inner(value) : { $ref: `#/components/schemas/${named[0]}` }
}

/** The copy of a schema itself, named or not. */
function inner(schema: object): Json {
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, reference(value)]))
}
