/** From an admitted request to its answer. */
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { type ApiError, refused } from '../errors.ts'
import { MAX_SHORT_PIECES, SHORT_BYTES } from '../http-server/chunks.ts'
import { parseJsonObject, whyNoJsonObject } from '../http-server/json.ts'
import { timesSent } from '../http-server/odd-headers.ts'
import type { KnownKey } from '../integrations/key-cache.ts'
import { isSaidToBeJson, MAX_BODY_BYTES, type ReadBody } from './body.ts'
import { JSON_TYPE } from './envelope.ts'
import { fingerprintOf } from './idempotency.ts'
import type { PublicRoute, ReadRoute, Route, RouteDeps, WriteRoute } from './route.ts'

type Params = Record<string, string>

/** The Fastify handler of a route. It sends the text of the answer unchanged. */
export function handlerOf(route: Route, deps: RouteDeps): RouteHandlerMethod {
  if (route.kind === 'public') return publicHandler(route, deps)
  return route.kind === 'read' ? readHandler(route, deps) : writeHandler(route, deps)
}

function publicHandler(route: PublicRoute, deps: RouteDeps): RouteHandlerMethod {
  const handle = route.handle(deps)
  return (_request, reply) => send(reply, handle())
}

function readHandler(route: ReadRoute, deps: RouteDeps): RouteHandlerMethod {
  const handle = route.handle(deps)
  return (request, reply) => {
    const { params, query } = request as { params: Params; query: Record<string, unknown> }
    const answer = handle({ key: keyOf(request), params, query })
    if (typeof answer === 'string') return send(reply, answer)
    // An async handler would return the reply, and Fastify would then wait for it to be sent.
    answer.then((text) => send(reply, text)).catch((error: unknown) => reply.send(error))
    return undefined
  }
}

function writeHandler(route: WriteRoute, deps: RouteDeps): RouteHandlerMethod {
  const handle = route.handle(deps)
  const hasParams = route.path.includes('{')
  return async (request, reply) => {
    const params = request.params as Params
    const body = bodyOf(request, route.requestBody.required)
    const path = hasParams ? route.path.replace(/\{(\w+)\}/g, (_whole, name: string) => params[name] ?? '') : route.path
    const answer = await handle({
      key: keyOf(request),
      address: request.ip,
      params,
      idempotencyKey: request.idempotencyKey,
      fingerprint: fingerprintOf(route.method, `/v1${path}`, body),
      body,
    })
    reply.code(answer.status)
    if (answer.replay) reply.header('x-coin-idempotent-replay', 'true')
    return send(reply, answer.body)
  }
}

function keyOf(request: FastifyRequest): KnownKey {
  if (request.apiKey === null) throw new Error('a route with a key was reached without one')
  return request.apiKey
}

const TOO_LARGE = `It may have ${MAX_BODY_BYTES.toLocaleString('en')} bytes, and in chunks no more than ${MAX_SHORT_PIECES.toLocaleString('en')} that are shorter than ${SHORT_BYTES} bytes.`

/** @throws ApiError PAYLOAD_TOO_LARGE, INVALID_JSON */
function bodyOf(request: FastifyRequest, isRequired: boolean): Record<string, unknown> {
  const bytes = request.body as ReadBody | undefined
  if (bytes === 'too large') throw refused({ code: 'PAYLOAD_TOO_LARGE', detail: TOO_LARGE })
  if (bytes === undefined || bytes.length === 0) {
    if (isRequired) throw noJson('It is empty.')
    return {}
  }
  const problem = problemOfType(request)
  if (problem !== undefined) throw noJson(problem)
  const body = parseJsonObject(bytes)
  if (body === undefined) throw noJson(whyNoJsonObject(bytes))
  return body
}

function noJson(detail: string): ApiError {
  return refused({ code: 'INVALID_JSON', detail })
}

/** Why a body is not said to be JSON, by one media type, and not packed (RFC 9110 8.4): nothing is unpacked here. */
function problemOfType({ headers, raw }: FastifyRequest): string | undefined {
  if (!isSaidToBeJson(headers) || timesSent(raw, 'content-type') !== 1)
    return 'Its Content-Type must be application/json, and be sent once.'
  const coding = headers['content-encoding']
  const isPacked = coding !== undefined && coding.toLowerCase() !== 'identity'
  return isPacked ? 'It is compressed (Content-Encoding), and nothing is unpacked here.' : undefined
}

function send(reply: FastifyReply, text: string): FastifyReply {
  return reply.header('content-type', JSON_TYPE).send(text)
}
