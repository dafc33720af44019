/** Signing in to the console through the identity provider: there, and back. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { IdentityProviderConfig } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { OPERATOR_ERRORS, OperatorError } from '../../operator/errors.ts'
import { refusalOf } from '../../operator/refusals.ts'
import { actAs } from '../../operators/acting.ts'
import type { SecretBox } from '../../secrets/secrets.ts'
import { escapeHtml } from '../../values/html.ts'
import { originOfRequest } from '../origins.ts'
import type { Sessions } from '../sessions.ts'
import { admit } from './admit.ts'
import { readPending, setPending } from './pending-cookie.ts'
import { personOf } from './person.ts'
import { createProvider } from './provider.ts'

export const SIGN_IN = '/console/sign-in'
const BACK = '/console/signed-in'

export type IdentityDeps = {
  db: Database
  logger: Logger
  /** CONSOLE_ORIGIN. */
  origin: string | undefined
  config: IdentityProviderConfig
  secrets: SecretBox
  sessions: Sessions
}

export function identityRoutes(app: FastifyInstance, deps: IdentityDeps): void {
  const { db, logger, origin: configured, config, secrets, sessions } = deps
  const provider = createProvider(config, (error) =>
    logger.warn({ err: error }, 'the identity provider was of no help'),
  )

  app.get(SIGN_IN, async (request, reply) => {
    const origin = originOfRequest(request, configured)
    const begun = await provider.begin(`${origin}${BACK}`).catch(refusalIn)
    if (begun instanceof OperatorError) return sayNo(reply, begun)
    void reply.header('set-cookie', setPending(secrets, origin, begun.pending))
    return reply.redirect(begun.url.href, 303)
  })

  app.get(BACK, async (request, reply) => {
    const origin = originOfRequest(request, configured)
    // What it kept works once in this browser; the provider sees to it that a code works once anywhere.
    const pending = readPending(secrets, origin, request.headers.cookie)
    void reply.header('set-cookie', setPending(secrets, origin, undefined))
    const refusal = await finish(request, reply, pending && { pending, origin }).catch(refusalIn)
    return refusal === undefined ? goOn(reply) : sayNo(reply, refusal)
  })

  async function finish(
    request: FastifyRequest,
    reply: FastifyReply,
    begun: { pending: Parameters<typeof provider.finish>[1]; origin: string } | undefined,
  ): Promise<undefined> {
    if (begun === undefined)
      throw new OperatorError(
        'UNAUTHORIZED',
        'No sign-in was begun in this browser in the last minutes: sign in again.',
      )
    const claims = await provider.finish(new URL(request.url, begun.origin), begun.pending)
    const person = personOf(claims, config)
    // Names are given in here: until then nobody acts by one.
    const admission = await actAs({ actor: 'service', origin: request.ip }, () =>
      db.transaction((tx) => admit(tx, person)),
    )
    if ('refusal' in admission) {
      const { issuer, subject } = person.identity
      logger.warn({ issuer, subject, address: request.ip }, 'somebody whom the identity provider knows was not let in')
      throw new OperatorError('FORBIDDEN', admission.refusal)
    }
    await sessions.begin(request, reply, { ...admission, tokenSha256: null, how: 'identity provider' })
  }
}

/** A browser shows what comes back, so it is a page. */
async function refusalIn(error: unknown): Promise<OperatorError> {
  return error instanceof OperatorError ? error : refusalOf(error)
}

function sayNo(reply: FastifyReply, { code, message }: OperatorError): FastifyReply {
  return sendPage(
    reply.status(OPERATOR_ERRORS[code]),
    'Not signed in',
    `<p>${escapeHtml(message)}</p><p><a href="/console/">Back to the console</a></p>`,
  )
}

/** A redirect would still count as the provider's navigation, and the session's cookie would stay behind. */
function goOn(reply: FastifyReply): FastifyReply {
  return sendPage(
    reply,
    'Signed in',
    '<p><a href="/console/">To the console</a></p>',
    '<meta http-equiv="refresh" content="0;url=/console/">',
  )
}

function sendPage(reply: FastifyReply, title: string, body: string, head = ''): FastifyReply {
  const text = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body><main><h1>${title}</h1>${body}</main></body></html>`
  return reply.type('text/html; charset=utf-8').send(text)
}
