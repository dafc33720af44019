/** The partner API as a Fastify app: built here, listening elsewhere. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { ApiError, refused } from '../errors.ts'
import { boundChunks } from '../http-server/chunks.ts'
import { isHttp1, isPlainlyFramed, namesOneHost, withoutPorts } from '../http-server/odd-headers.ts'
import { boundPipelining } from '../http-server/pipelining.ts'
import { cutOffUnfinished } from '../http-server/unfinished.ts'
import { findKeys } from '../integrations/api-keys.sql.ts'
import { createKeyCache } from '../integrations/key-cache.ts'
import { createOrderFinder } from '../orders/read/finder.ts'
import { createOrderLister } from '../orders/read/lister.ts'
import { type AdmissionDeps, createAdmission, createReadmission } from './admission.ts'
import { admitAnyType, readBody } from './body.ts'
import { addDrain } from './drain.ts'
import { constantHeaders, JSON_TYPE, REQUEST_ID } from './envelope.ts'
import { createErrorHandler } from './failure.ts'
import { inTurn } from './in-turn.ts'
import { createKeyReader } from './key-reader.ts'
import { OPENAPI_PATH, openApiDocument, servedAt } from './openapi/document.ts'
import { statedOrigin } from './origin.ts'
import type { RateCounter } from './rate-counter.ts'
import { registerReference } from './reference/pages.ts'
import { createRequestLog, type HttpMetrics } from './request-log.ts'
import { registerReserves } from './reserves.ts'
import { type Route, type RouteDeps, type SandboxRoutes, urlOf } from './route.ts'
import { ROUTES } from './routes/index.ts'
import { failOnPurpose } from './sandbox-faults.ts'
import { handlerOf } from './serve.ts'
import { isReadableTarget, MAX_CONNECTIONS, type ServerTimeouts, serverOptions, TIMEOUTS } from './server-options.ts'
import { answerOddRequests, createSocketErrorHandler, trackExchange } from './socket-errors.ts'

export type AppDeps = Omit<RouteDeps, 'nowMs' | 'findOrder' | 'listOrders'> & {
  config: Pick<Config, 'environment' | 'publicOrigin' | 'rates' | 'trustedProxies' | 'sunsetDate'>
  rateCounter: RateCounter
  noteUse: AdmissionDeps['noteUse']
  logger: Logger
  metrics?: HttpMetrics
  /** Only in the sandbox. */
  sandbox?: SandboxRoutes | undefined
  /** The clock of rate windows, key expiry and server time. Default: this machine's. */
  clock?: () => Date
  /** Default: `TIMEOUTS`. */
  timeouts?: Partial<ServerTimeouts>
}

/**
 * Builds the app. `listen` starts it; `drain` ends it; `close` ends it at once, except for the requests in progress.
 * @throws Error when it is to serve in live what only a sandbox serves
 */
export function createApp(deps: AppDeps): FastifyInstance {
  const { config, clock, sandbox } = deps
  if (sandbox !== undefined && config.environment !== 'sandbox')
    throw new Error('only a sandbox has outcomes on demand')
  const nowMs = clock === undefined ? Date.now : () => clock().getTime()
  const headers = constantHeaders(config.sunsetDate)
  const app = Fastify({
    ...serverOptions({ ...TIMEOUTS, ...deps.timeouts }, config.trustedProxies),
    clientErrorHandler: createSocketErrorHandler(headers, deps.logger),
  })
  guardSockets(app, headers, deps.logger)

  addDrain(app)
  app.decorateRequest('apiKey', null)
  app.decorateRequest('idempotencyKey', '')
  app.decorateRequest('pattern', '')
  app.setErrorHandler(createErrorHandler(deps.logger))
  // Bodies stay bytes here: their content is judged after all checks that come before it.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
    readBody(payload, request.headers['content-length']),
  )
  // Redaction walks every field of every line; the fields of a request's line are chosen one by one and need none.
  const log = createRequestLog(deps.logger, deps.metrics)
  app.addHook('onRequest', (request, reply, done) => {
    trackExchange(request.raw, reply.raw, reply)
    log(request, reply)
    reply.headers(headers).header(REQUEST_ID, request.id)
    const forwardedFor = request.raw.headers['x-forwarded-for']
    if (typeof forwardedFor === 'string') request.raw.headers['x-forwarded-for'] = withoutPorts(forwardedFor)
    admitAnyType(request.raw.headers)
    inTurn(request.raw, reply.raw, () => done(refusalOfRoute(request)))
  })

  const admission: AdmissionDeps = {
    environment: config.environment,
    rates: config.rates,
    lookup: createKeyCache({ find: (keyIds) => findKeys(deps.db, keyIds) }),
    readKey: createKeyReader(),
    rateCounter: deps.rateCounter,
    noteUse: deps.noteUse,
    nowMs,
  }
  const readers = { findOrder: createOrderFinder(deps.db), listOrders: createOrderLister(deps.db) }
  const routeDeps: RouteDeps = { ...deps, ...readers, nowMs }
  const routes = [...ROUTES, ...(sandbox?.routes ?? [])]
  if (sandbox !== undefined) failOnPurpose(app, sandbox, routes)
  for (const route of routes) register(app, route, admission, routeDeps)
  serveDocuments(app, routes, deps)
  registerReserves(app, routeDeps)
  return app
}

/** What Node's server leaves open: how many connections, and what they may send that is no request. */
function guardSockets(
  app: FastifyInstance,
  headers: Readonly<Record<string, string>>,
  logger: AppDeps['logger'],
): void {
  app.server.maxConnections = MAX_CONNECTIONS
  // Node keeps an address that it was asked for. Of a connection that ends while its key is looked up, it would know none.
  app.server.on('connection', ({ remoteAddress }: Socket) => void remoteAddress)
  answerOddRequests(app.server, headers, logger)
  cutOffUnfinished(app)
  boundPipelining(app.server)
  boundChunks(app.server)
}

function serveDocuments(app: FastifyInstance, routes: readonly Route[], { config, sandbox }: AppDeps): void {
  const openApi = openApiDocument(routes)
  const openApiAt = servedAt(openApi)
  app.get(OPENAPI_PATH, (request, reply: FastifyReply) =>
    reply.header('content-type', JSON_TYPE).send(openApiAt(statedOrigin(config, request))),
  )
  registerReference(app, {
    document: openApi,
    originFor: (request) => statedOrigin(config, request),
    demo: config.environment === 'sandbox' ? (sandbox?.demo ?? nobody) : undefined,
  })
}

/** An unknown path or method, and what Node lets through: a target that is no URL, another version, HTTP/1.1 without one Host, a body under another coding than chunks. */
function refusalOfRoute(request: FastifyRequest): ApiError | undefined {
  if (!isReadableTarget(request.originalUrl)) return malformed(UNREADABLE_TARGET)
  // After a last slash the router would accept an empty parameter. The documentation leads on from there.
  const mayEnd = request.url === '/' || request.url.startsWith('/docs/')
  if (request.is404 || (endsInSlash(request.url) && !mayEnd)) return new ApiError('NOT_FOUND')
  if (!isHttp1(request.raw)) return malformed('Its version must be HTTP/1.1 or HTTP/1.0.')
  if (!namesOneHost(request.raw)) return malformed('It must have one Host header.')
  if (!isPlainlyFramed(request.raw))
    return malformed('Its only Transfer-Encoding may be chunked, and that only in HTTP/1.1.')
  return undefined
}

const UNREADABLE_TARGET = 'Its target must be a path, or a whole http address, and without a fragment (#…).'

function malformed(detail: string): ApiError {
  return refused({ code: 'BAD_REQUEST', detail })
}

function nobody(): undefined {}

function endsInSlash(url: string): boolean {
  const query = url.indexOf('?')
  return url.charAt((query === -1 ? url.length : query) - 1) === '/'
}

function register(app: FastifyInstance, route: Route, admission: AdmissionDeps, deps: RouteDeps): void {
  app.route({
    method: route.method,
    url: urlOf(route),
    ...(route.kind === 'public' ? {} : { onRequest: createAdmission(admission, route) }),
    ...(route.kind === 'write' ? { preHandler: createReadmission(admission) } : {}),
    handler: handlerOf(route, deps),
  })
}
