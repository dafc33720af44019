/** The console: a web page on the operator port, over the same API as the commands. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { IdentityProviderConfig } from '../config.ts'
import { type Authenticate, credentialOf, type Principal, type Recognize } from '../operator/authenticate.ts'
import type { OperatorDeps } from '../operator/deps.ts'
import { OperatorError } from '../operator/errors.ts'
import { CREATING } from '../operator/idempotency.ts'
import { Nothing, parse, text } from '../operator/parse.ts'
import { decidersOf } from '../operator/require-role.ts'
import { signInWith } from '../operator/sign-in.ts'
import { COMMANDS } from '../operators/commands.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { ASSETS, readAssets } from './assets.ts'
import { CONSOLE_HEADERS, KEPT } from './headers.ts'
import { identityRoutes, SIGN_IN } from './identity/routes.ts'
import { createOneTimeLogin } from './one-time-login.ts'
import { originOfRequest, requireOwnPage } from './origins.ts'
import { pageOf } from './page.ts'
import type { SignedIn } from './session-lookup.ts'
import type { SessionTimes } from './sessions.sql.ts'
import { createSessions } from './sessions.ts'

export type ConsoleDeps = Pick<OperatorDeps, 'db' | 'logger' | 'authenticate' | 'wrongTokens'> & {
  config: Pick<OperatorDeps['config'], 'environment' | 'fourEyes'>
  /** CONSOLE_ORIGIN. */
  origin: string | undefined
  recognize: Recognize
  /** OPERATOR_TOKEN: whom the one-time code of a sandbox signs in as. */
  sharedToken: string | undefined
  times?: SessionTimes
  /** The company's identity provider, where there is one, and what seals a sign-in under way. */
  identity?: { config: IdentityProviderConfig; secrets: SecretBox } | undefined
  /** Whether people's own tokens are refused. */
  refusesTokens?: boolean
}

const ByToken = Type.Object({ token: text(1, 500) }, { additionalProperties: false })
const ByCode = Type.Object({ code: text(1, 100) }, { additionalProperties: false })

/** Makes the console; `register` adds it to the operator API's app. */
export function createConsole(deps: ConsoleDeps) {
  const { config, sharedToken } = deps
  const sessions = createSessions(deps)
  const oneTime = config.environment === 'sandbox' && sharedToken !== undefined ? createOneTimeLogin() : undefined
  return {
    sessions,

    /** See `OperatorDeps.browser`. */
    async browser(request: FastifyRequest): Promise<Principal | undefined> {
      const signedIn = await sessions.find(request)
      if (signedIn !== undefined) requirePerson(request, signedIn)
      return signedIn?.principal
    },

    /** Who makes a request with a token for commands, or else by `authenticate`. */
    authenticate: (async (authorization) =>
      (await sessions.findByCommandToken(authorization)) ?? (await deps.authenticate(authorization))) as Authenticate,

    /** A code that signs in once at `/console/#login=CODE`; only in a sandbox. */
    issueLogin: (): string | undefined => oneTime?.issue(),

    register(app: FastifyInstance): void {
      void app.register(async (scope) => {
        scope.addHook('onRequest', async (request, reply) => {
          void reply.headers(CONSOLE_HEADERS)
          const origin = originOfRequest(request, deps.origin)
          if (request.method !== 'GET' && request.method !== 'HEAD') requireOwnPage(request, origin)
        })
        pageRoutes(scope)
        sessionRoutes(scope, { ...deps, sessions, oneTime })
        if (deps.identity !== undefined) identityRoutes(scope, { ...deps, ...deps.identity, sessions })
      })
    },
  }
}

/** A page says whose it is: a tab that was left open does nothing in the name of who has signed in in another one since. */
function requirePerson({ headers }: FastifyRequest, { principal: { operatorId } }: SignedIn): void {
  const shown = headers['x-person']
  if (shown === undefined || shown === (operatorId ?? 'nobody')) return
  throw new OperatorError('UNAUTHORIZED', 'Somebody else has since signed in on this browser: nothing was done.')
}

function pageRoutes(app: FastifyInstance): void {
  const page = async (_: FastifyRequest, reply: FastifyReply) =>
    reply.type('text/html; charset=utf-8').send(pageOf(readAssets()))
  app.get('/', async (_, reply) => reply.redirect('/console/'))
  app.get('/console', async (_, reply) => reply.redirect('/console/'))
  app.get('/console/*', page)
  // Browsers ask for it beside what is no page, such as the metrics: without it that would count as a wrong token.
  app.get('/favicon.ico', async (_, reply) => reply.redirect(`${readAssets().base}icon.svg`))
  app.get<{ Params: { '*': string } }>(`${ASSETS}*`, async ({ params }, reply) => {
    const { base, files } = readAssets()
    const [version = '', ...names] = params['*'].split('/')
    const asset = files.get(names.join('/'))
    if (asset === undefined) throw new OperatorError('NOT_FOUND', 'The console has no such file.')
    // A page that another version's process sent gets these files all the same, and keeps them nowhere.
    if (`${ASSETS}${version}/` === base) void reply.headers(KEPT)
    return reply.type(asset.type).send(asset.body)
  })
}

type RouteDeps = ConsoleDeps & {
  sessions: ReturnType<typeof createSessions>
  oneTime: ReturnType<typeof createOneTimeLogin> | undefined
}

function sessionRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const { config, sessions } = deps

  app.get('/console/session', async (request) => {
    const signedIn = await sessions.find(request)
    if (signedIn === undefined) throw new OperatorError('UNAUTHORIZED', 'Nobody is signed in here: sign in.')
    return { ok: true, ...view(signedIn, config) }
  })

  app.post('/console/session', async (request, reply) => {
    const person = await personOf(deps, request)
    await sessions.begin(request, reply, person)
    return { ok: true }
  })

  /** How somebody can sign in here, for the page that asks them to. */
  app.get('/console/ways', async () => ({
    ok: true,
    provider: deps.identity === undefined ? null : SIGN_IN,
    tokens: deps.refusesTokens !== true,
  }))

  app.post('/console/session/command-token', async (request) => {
    parse(Nothing, request.body)
    const signedIn = await sessions.find(request)
    if (signedIn !== undefined) requirePerson(request, signedIn)
    return { ok: true, ...(await sessions.makeCommandToken(request)) }
  })

  app.post('/console/session/end', async (request, reply) => {
    parse(Nothing, request.body)
    await sessions.end(request, reply)
    return { ok: true }
  })
}

/** Who signs in: with a token, or in a sandbox with the code that its start has printed. */
async function personOf(deps: RouteDeps, request: FastifyRequest) {
  const { body, ip } = request
  if (typeof body === 'object' && body !== null && 'code' in body) {
    const { code } = parse(ByCode, body)
    if (deps.oneTime?.redeem(code) === true && deps.sharedToken !== undefined) {
      const { name } = await signInWith(deps, `Bearer ${deps.sharedToken}`, ip)
      return { ...credentialOf(deps.sharedToken), name, how: 'one-time code' as const }
    }
    await deps.wrongTokens.slow(ip)
    throw new OperatorError(
      'UNAUTHORIZED',
      'This link was used before, or is too old: sign in with a token. A sandbox keeps its own in the file operator-token of its data folder.',
    )
  }
  const { token } = parse(ByToken, body)
  const { name } = await signInWith(deps, `Bearer ${token.trim()}`, ip)
  return { ...credentialOf(token.trim()), name, how: 'token' as const }
}

/** What the pages need to show only what the person may do. The API decides all the same. */
function view({ principal, session }: SignedIn, { environment, fourEyes }: ConsoleDeps['config']) {
  const { operatorId, name, roles } = principal
  const commands = COMMANDS.filter((line) => line.roles.some((role) => roles.includes(role)))
  return {
    operatorId,
    name,
    role: roles.length === 1 ? roles[0] : 'admin',
    environment,
    fourEyes,
    expiresAt: session.expiresAt,
    commandToken: operatorId !== null && session.tokenSha256 === null,
    commands: commands.map((line) => ({
      command: line.command,
      waits: fourEyes ? (line.approval?.when ?? null) : null,
      creates: CREATING.has(line.command),
      // With OPERATOR_TOKEN, which belongs to nobody, nothing is decided.
      decides: operatorId !== null && decidersOf(line).some((role) => roles.includes(role)),
    })),
  }
}
