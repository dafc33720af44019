/** The operator API: its own port, a token for each person, every write audited. */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { boundChunks } from '../http-server/chunks.ts'
import { parseJsonObject } from '../http-server/json.ts'
import { isHttp1, isPlainlyFramed, namesOneHost, timesSent } from '../http-server/odd-headers.ts'
import { boundPipelining } from '../http-server/pipelining.ts'
import { cutOffUnfinished } from '../http-server/unfinished.ts'
import type { OperatorDeps, ProbeDeps } from './deps.ts'
import { OPERATOR_ERRORS, OperatorError, type OperatorErrorCode } from './errors.ts'
import { guardRoutes } from './guard.ts'
import { refusalOf } from './refusals.ts'
import { approvalRoutes } from './routes/approval.ts'
import { auditRoutes } from './routes/audit.ts'
import { bankRoutes } from './routes/bank.ts'
import { bankAllocateRoute } from './routes/bank-allocate.ts'
import { bankBridgeRoute } from './routes/bank-bridge.ts'
import { bankImportRoute } from './routes/bank-import.ts'
import { bankTakeBackRoutes } from './routes/bank-take-back.ts'
import { bankWithdrawRoute } from './routes/bank-withdraw.ts'
import { batchRoutes } from './routes/batch.ts'
import { chainRoutes } from './routes/chain.ts'
import { closeRoutes } from './routes/close.ts'
import { corporateRoutes } from './routes/corporate.ts'
import { customerRoutes } from './routes/customer.ts'
import { customerEraseRoutes } from './routes/customer-erase.ts'
import { customerSuspendRoute } from './routes/customer-suspend.ts'
import { integrationRoutes } from './routes/integration.ts'
import { keyRoutes } from './routes/key.ts'
import { ledgerRoutes } from './routes/ledger.ts'
import { operatorRoutes } from './routes/operator.ts'
import { orderRoutes } from './routes/order.ts'
import { orderControlRoutes } from './routes/order-control.ts'
import { overviewRoutes } from './routes/overview.ts'
import { paymentFileRoutes } from './routes/payment-file.ts'
import { payoutRoutes } from './routes/payout.ts'
import { payoutCommandRoutes } from './routes/payout-commands.ts'
import { payoutResettleRoutes } from './routes/payout-resettle.ts'
import { probeRoutes } from './routes/probes.ts'
import { reconcileRoutes } from './routes/reconcile.ts'
import { remitterRoutes } from './routes/remitter.ts'
import { reservesRoutes } from './routes/reserves.ts'
import { screeningRoutes } from './routes/screening.ts'
import { secretsRoutes } from './routes/secrets.ts'
import { walletRoutes } from './routes/wallet.ts'
import { walletConsentRoutes } from './routes/wallet-consent.ts'
import { walletFreezeRoutes } from './routes/wallet-freeze.ts'
import { webhookRoutes } from './routes/webhook.ts'
import { webhookDeliveryRoutes } from './routes/webhook-delivery.ts'
import { webhookEventRoutes } from './routes/webhook-events.ts'
import { signIn } from './sign-in.ts'

const BODY_LIMIT_BYTES = 64 * 1024
const PREFIX = '/operator/v1'
/** From the first byte of a request, or the connection, to the end of its headers, and of its body; and how often that is checked. */
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
const CHECKED_EVERY_MS = 1_000
/** Connections beyond this number are closed at once: every process listens here, and those who may reach it are few. */
export const MAX_CONNECTIONS = 1_000
const MAX_PARAM_LENGTH = 300

/** Names, accounts and secrets are in answers: no browser keeps them on its disk, where the next person could read them. */
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

const ELSEWHERE = 'This process serves probes and metrics only: the operator API is where the role operator runs.'

const NO_JSON =
  'The body must be one JSON object in UTF-8: whole characters, no name twice in an object, no number that is too large, at most 32 levels.'

const ROUTES = [
  operatorRoutes,
  overviewRoutes,
  approvalRoutes,
  integrationRoutes,
  keyRoutes,
  customerRoutes,
  customerEraseRoutes,
  customerSuspendRoute,
  walletRoutes,
  walletConsentRoutes,
  walletFreezeRoutes,
  corporateRoutes,
  webhookRoutes,
  webhookDeliveryRoutes,
  webhookEventRoutes,
  orderRoutes,
  orderControlRoutes,
  batchRoutes,
  payoutRoutes,
  payoutCommandRoutes,
  payoutResettleRoutes,
  bankRoutes,
  bankAllocateRoute,
  bankBridgeRoute,
  bankImportRoute,
  bankTakeBackRoutes,
  bankWithdrawRoute,
  paymentFileRoutes,
  remitterRoutes,
  screeningRoutes,
  chainRoutes,
  reconcileRoutes,
  ledgerRoutes,
  closeRoutes,
  reservesRoutes,
  auditRoutes,
  secretsRoutes,
]

/** Builds the operator API without listening. Paths are `/operator/v1/<nouns>`; probes and metrics need no token. */
export function createOperatorApp(deps: OperatorDeps): FastifyInstance {
  const app = appWithProbes(deps, async (request) => {
    await signIn(deps, request)
    return new OperatorError('NOT_FOUND', 'The operator API has no such path.')
  })
  app.register(
    async (scope) => {
      guardRoutes(scope, PREFIX, deps)
      scope.decorateRequest('principal', undefined)
      scope.addHook('onRequest', async (request) => {
        request.principal = await signIn(deps, request)
        refuseUnreadable(request)
      })
      // A body may take its time, and who sends it may have been disabled meanwhile.
      scope.addHook('preHandler', async (request) => {
        if (request.method === 'POST') request.principal = await signIn(deps, request)
      })
      for (const register of ROUTES) register(scope, deps)
    },
    { prefix: PREFIX },
  )
  return app
}

/**
 * Refuses a NUL, which PostgreSQL's texts cannot hold; and what a route does not read, but whoever approves the request is shown, so that it could name
 * something else there: whatever follows a number sign, and the query of a request that changes something.
 */
function refuseUnreadable({ method, url }: FastifyRequest): void {
  const found = ['%00', '#'].find((each) => url.includes(each))
  if (found !== undefined)
    throw new OperatorError('BAD_REQUEST', `The path and its parameters must not contain ${found}.`)
  if (method === 'POST' && url.includes('?'))
    throw new OperatorError(
      'BAD_REQUEST',
      'A request that changes something takes its parameters in the body, none after a "?".',
    )
}

/** Of a header that is sent twice, Node would take the first and a proxy perhaps the second; of two hosts, one would not be that of the console. */
function refuseOdd(raw: FastifyRequest['raw']): void {
  const twice = ['authorization', 'content-type'].find((name) => timesSent(raw, name) > 1)
  if (twice !== undefined) throw new OperatorError('BAD_REQUEST', `Send the header "${twice}" once.`)
  if (!namesOneHost(raw)) throw new OperatorError('BAD_REQUEST', 'Send the header "host" once, as a name or address.')
  if (isHttp1(raw) && isPlainlyFramed(raw)) return
  throw new OperatorError('BAD_REQUEST', 'Send the request as HTTP/1.1, its body either with a length or in chunks.')
}

/** Builds what every process serves on the operator port: probes and metrics, and nothing else. */
export function createProbes(deps: ProbeDeps): FastifyInstance {
  return appWithProbes(deps, async () => new OperatorError('NOT_FOUND', ELSEWHERE))
}

function appWithProbes(deps: ProbeDeps, notFound: (request: FastifyRequest) => Promise<OperatorError>) {
  const app = Fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Without it, whoever only connects would keep a connection for a minute: it is checked twice a minute then.
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CHECKED_EVERY_MS },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    return503OnClosing: true,
    frameworkErrors: (error, _request, reply) => void answer(reply, refusalOf(error)),
  })
  app.server.maxConnections = MAX_CONNECTIONS
  // Whoever only holds connections must not keep out the probes, by which a process is found dead.
  app.server.on('drop', () => app.server.closeIdleConnections())
  cutOffUnfinished(app)
  boundPipelining(app.server)
  boundChunks(app.server)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, bytes: Buffer) =>
    readJson(bytes),
  )
  app.addHook('onRequest', async ({ raw }, reply) => {
    reply.headers(HEADERS)
    refuseOdd(raw)
  })
  app.setErrorHandler((error, request, reply) => answer(reply, logged(deps, request, error)))
  app.setNotFoundHandler(async (request, reply) => answer(reply, await notFound(request)))
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request
    const durationMs = Math.round(reply.elapsedTime)
    deps.logger.debug({ method, route: routeOptions.url, status: reply.statusCode, durationMs }, 'operator request')
  })
  probeRoutes(app, deps)
  return app
}

/**
 * Reads a body. One that parsers may read differently is refused: whoever approves a request, and any proxy, must have read just what is run.
 * @throws OperatorError BAD_REQUEST
 */
function readJson(bytes: Buffer): Record<string, unknown> {
  const body = parseJsonObject(bytes)
  if (body !== undefined) return body
  throw new OperatorError('BAD_REQUEST', NO_JSON)
}

function logged({ logger }: ProbeDeps, request: FastifyRequest, error: unknown): OperatorError {
  const refusal = refusalOf(error)
  if (OPERATOR_ERRORS[refusal.code] >= 500) {
    logger.error({ err: error, method: request.method, route: request.routeOptions.url }, 'operator request failed')
  }
  return refusal
}

function answer(reply: FastifyReply, { code, message }: { code: OperatorErrorCode; message: string }): FastifyReply {
  if (code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer')
  return reply.status(OPERATOR_ERRORS[code]).send({ ok: false, error: { code, message } })
}
