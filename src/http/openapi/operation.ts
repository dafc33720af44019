/** One operation of the OpenAPI document, made from its route. */
import { ERRORS, type ErrorCode } from '../../errors.ts'
import { errorCodesOf, type Parameter, type Route } from '../route.ts'
import { ErrorAnswer, exampleError, META_SCHEMAS } from '../schemas/error.ts'
import { headerReferences, type Json, jsonContent, metaSchemaName, RATE_HEADERS, reference } from './components.ts'

/** Headers of one status alone. */
const OWN_HEADERS: Readonly<Record<number, readonly string[]>> = { 401: ['WWW-Authenticate'], 429: ['Retry-After'] }

/** Describes a route: its parameters, its body, and every answer it can give. */
export function operationOf(route: Route): Json {
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
    headers: headerReferences([...(route.kind === 'public' ? [] : RATE_HEADERS), ...replay]),
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
    headers: headerReferences([...(withKey ? RATE_HEADERS : []), ...(OWN_HEADERS[status] ?? [])]),
    content: jsonContent(ErrorAnswer, Object.fromEntries(codes.map((code) => [code, exampleOf(route, code)]))),
  }
}

/** An example of a refusal that this route can give: one that names a field names one of its own. */
function exampleOf(route: Route, code: ErrorCode): unknown {
  if (code === 'POLICY_REJECTED' && route.exampleReason !== undefined)
    return exampleError(code, { reason: route.exampleReason })
  if (code !== 'BAD_REQUEST') return exampleError(code)
  const field = fieldOf(route)
  return exampleError(code, field === undefined ? null : { field })
}

/** A field or parameter that BAD_REQUEST can name; the fields of orders that come before it have codes of their own. */
function fieldOf(route: Route): string | undefined {
  if (route.kind !== 'write') return route.parameters.find((one) => one.in === 'query')?.name
  const { properties = {} } = route.requestBody.schema as { properties?: Record<string, unknown> }
  return ['customerId', 'scenario'].find((name) => name in properties)
}
