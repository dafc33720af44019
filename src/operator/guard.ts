/** The one place where it is decided whether who asks may run a command: every route is wrapped in it. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify'
import { actAs } from '../operators/acting.ts'
import { type CommandLine, lineOf } from '../operators/commands.ts'
import { parseAddress } from '../orders/address.ts'
import { type Asked, targetOf } from './approvals/asked.ts'
import { type Passing, throughGate } from './approvals/gate.ts'
import type { Principal } from './authenticate.ts'
import type { OperatorDeps } from './deps.ts'
import { OperatorError } from './errors.ts'
import { answeredBefore, IDEMPOTENCY_HEADER, remembered, rememberingOf } from './idempotency.ts'
import { takeReason } from './reasons.ts'
import { requireRole } from './require-role.ts'
import { lookOf } from './subjects.ts'

const APPROVAL_HEADER = 'x-approval'

/** Commands that end the access of a stolen token, or of whoever has it. They do not wait behind what was asked for with that token: that may be fifty commands. */
const ENDS_ACCESS: ReadonlySet<string> = new Set(['operator disable', 'operator rotate', 'operator sign-out'])

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined until the token was checked. */
    principal: Principal | undefined
  }
}

/**
 * Wraps every route that is registered in `scope` from now on.
 * @param prefix what the scope's paths begin with; the rest is looked up in the table of commands
 * @throws Error, when such a route is registered that has no line there
 */
export function guardRoutes(scope: FastifyInstance, prefix: string, deps: OperatorDeps): void {
  scope.addHook('onRoute', (route: RouteOptions) => {
    const [method] = [route.method].flat()
    const line = lineOf(method ?? '', route.url.slice(prefix.length))
    // Before the body, too: a bank file is long, and of whoever may not bring one not a byte is kept.
    const admit = async (request: FastifyRequest) => requireRole(line, principalOf(request))
    route.onRequest = [admit, ...[route.onRequest ?? []].flat()]
    route.handler = guarded(deps, line, route.handler)
  })
}

function guarded(deps: OperatorDeps, line: CommandLine, handler: RouteHandlerMethod): RouteHandlerMethod {
  const isChange = !isLook(line) && line.stops !== true && !ENDS_ACCESS.has(line.command)
  return async function begin(request, reply) {
    const run = async () => pass.call(this, request, reply)
    return isChange
      ? deps.looks.change(principalOf(request).operatorId, () => requireStillIn(deps, line, request), run)
      : run()
  }

  async function pass(this: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const principal = principalOf(request)
    requireRole(line, principal)
    requireCertainty(line, principal)
    const asked = askedBy(request, principal)
    const reason = takeReason(line.command, request)
    const who = { actor: principal.name, origin: request.ip, reason, look: lookOf(line.command, asked) }
    const [approvalId, idempotencyKey] = [headerOf(request, APPROVAL_HEADER), headerOf(request, IDEMPOTENCY_HEADER)]
    const passing = { line, asked, principal, who, approvalId, idempotencyKey }
    const remembering = rememberingOf(idempotencyKey, line.command, asked)
    const before = remembering && (await actAs(who, () => answeredBefore(deps, remembering)))
    if (before !== undefined) return before
    const look = async () => {
      requireStillThere(reply)
      return handler.call(this, request, reply)
    }
    const mayBegin = async () => {
      requireStillThere(reply)
      await requireStillIn(deps, line, request)
    }
    const run = async () =>
      isLook(line) ? deps.looks.look(principal.operatorId, mayBegin, look) : handler.call(this, request, reply)
    const passed = await throughGate(deps, passing, remembering ? () => remembered(deps, remembering, run) : run)
    if ('waiting' in passed) return reply.status(202).send(passed.waiting)
    if (asked.method === 'POST') tell(deps, passing)
    return passed.result
  }
}

/** A look begins for nobody who went away before its turn, or while it was found out who they are. @throws OperatorError TOO_MANY_REQUESTS */
function requireStillThere({ raw }: FastifyReply): void {
  if (raw.destroyed) throw new OperatorError('TOO_MANY_REQUESTS', 'Who asked for this has gone.')
}

/**
 * What has waited for its turn does not begin if the person was disabled meanwhile, the token replaced, or the session ended: a thief could have fifty
 * commands waiting.
 * @throws OperatorError UNAUTHORIZED, or FORBIDDEN for who has another role by then
 */
async function requireStillIn(
  { authenticate, browser }: Pick<OperatorDeps, 'authenticate' | 'browser'>,
  line: CommandLine,
  request: FastifyRequest,
): Promise<void> {
  const { operatorId } = principalOf(request)
  if (operatorId === null) return
  const { authorization } = request.headers
  const now = authorization === undefined ? await browser?.(request) : await authenticate(authorization)
  if (now?.operatorId !== operatorId)
    throw new OperatorError(
      'UNAUTHORIZED',
      'You were disabled, or your token was replaced, while this waited for its turn: nothing was done. If you are still here, ask again with the new token.',
    )
  requireRole(line, now)
  requireCertainty(line, now)
}

/** Whether it changes nothing but the audit log. */
const isLook = ({ command, route }: CommandLine) => route.startsWith('GET ') || command === 'customer find'

/** Kept elsewhere than the database: after a restore it says what operators did since the backup, above all whom they stopped. */
function tell({ logger }: OperatorDeps, { line: { command }, asked, principal, approvalId }: Passing): void {
  logger.info({ command, target: targetOf(asked), actor: principal.name, approvalId }, 'an operator ran a command')
}

function askedBy({ method, url, params, body }: FastifyRequest, { operatorId }: Principal): Asked {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  // One address in every spelling is one request, and is shown as lists show it, by which whoever decides compares it.
  const address = parseAddress(fields.address, 'optional')
  const named = address === undefined ? fields : { ...fields, address }
  return { method, path: url, params: params as Record<string, string | undefined>, body: named, operatorId }
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const given = headers[name]
  return given === undefined ? undefined : [given].flat().join()
}

/** Who makes a request. @throws Error for a route that runs before the token was checked */
export function principalOf({ principal }: FastifyRequest): Principal {
  if (principal === undefined) throw new Error('a request reached its route without a principal')
  return principal
}

/** Somebody may have been disabled since the database last answered: until it does, they can only stop things. */
function requireCertainty({ stops }: CommandLine, { isCertain }: Principal): void {
  if (isCertain || stops === true) return
  throw new OperatorError(
    'SERVICE_UNAVAILABLE',
    'The database does not answer, so that who you are cannot be checked: only commands that stop something run now. Try again.',
  )
}
