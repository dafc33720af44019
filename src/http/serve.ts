/** From an admitted request to its answer. */
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { ApiError } from '../errors.ts'
import { parseJsonObject } from '../http-server/json.ts'
import { timesSent } from '../http-server/odd-headers.ts'
import type { KnownKey } from '../integrations/key-cache.ts'
import { isSaidToBeJson, type ReadBody } from './body.ts'
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

/** @throws ApiError PAYLOAD_TOO_LARGE, INVALID_JSON */
function bodyOf(request: FastifyRequest, isRequired: boolean): Record<string, unknown> {
  const bytes = request.body as ReadBody | undefined
  if (bytes === 'too large') throw new ApiError('PAYLOAD_TOO_LARGE')
  if (bytes === undefined || bytes.length === 0) {
    if (isRequired) throw new ApiError('INVALID_JSON')
    return {}
  }
  const body = isPlainJson(request) ? parseJsonObject(bytes) : undefined
  if (body === undefined) throw new ApiError('INVALID_JSON')
  return body
}

/** Whether the body is said to be JSON, by one media type, and not packed (RFC 9110 8.4): nothing is unpacked here. */
function isPlainJson({ headers, raw }: FastifyRequest): boolean {
  const coding = headers['content-encoding']
  return (
    isSaidToBeJson(headers) &&
    timesSent(raw, 'content-type') === 1 &&
    (coding === undefined || coding.toLowerCase() === 'identity')
  )
}

function send(reply: FastifyReply, text: string): FastifyReply {
  return reply.header('content-type', JSON_TYPE).send(text)
}
