/** Browser sessions: begun by whoever has shown who they are, found by their cookie, ended with what they rest on. */
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Queryable } from '../db/database.ts'
import { appendAudit } from '../operator/audit.sql.ts'
import type { Credential, Principal, Recognize } from '../operator/authenticate.ts'
import { OperatorError } from '../operator/errors.ts'
import { actAs } from '../operators/acting.ts'
import { makeSecret } from '../secrets/token-secret.ts'
import { findByCommandToken, makeCommandToken } from './command-tokens.ts'
import { readCookie, setCookie } from './cookie.ts'
import { originOfRequest, requireOwnPage } from './origins.ts'
import { createSessionLookup, type SignedIn } from './session-lookup.ts'
import { deleteSession, deleteSessionsOf, insertSession, type SessionTimes } from './sessions.sql.ts'

export type SessionDeps = {
  db: Database
  /** CONSOLE_ORIGIN. */
  origin: string | undefined
  recognize: Recognize
  /** How long sessions last at most, and without a use. */
  times?: SessionTimes
}

/** Who signs in, and what they have shown. */
export type SigningIn = Credential & { name: string; how: 'token' | 'one-time code' | 'identity provider' }

export type Sessions = {
  /**
   * Begins a session in the browser that a request comes from, records it, and sets its cookie. Every way to sign in ends
   * here, once it is certain who signs in: the login by token, and any other (an identity provider's, say), which passes
   * `tokenSha256: null` because no token of ours was shown. The session then lasts until it expires or the person is
   * disabled. After a redirect from another site, answer with a page that goes on by itself instead of with a redirect: a
   * SameSite=Strict cookie does not go along with a navigation that another site began.
   * @throws OperatorError FORBIDDEN for a host name that is not the console's
   */
  begin(request: FastifyRequest, reply: FastifyReply, person: SigningIn): Promise<void>
  /**
   * Who is signed in where a request comes from; undefined without a cookie.
   * @throws OperatorError UNAUTHORIZED when the session has ended; FORBIDDEN for another host or site
   */
  find(request: FastifyRequest): Promise<SignedIn | undefined>
  /**
   * Makes a token for commands, for whoever is signed in and has none of their own.
   * @throws OperatorError UNAUTHORIZED without a session; CONFLICT for whoever has a token
   */
  makeCommandToken(request: FastifyRequest): Promise<{ token: string; expiresAt: Date }>
  /** Who shows a token for commands in an Authorization header; undefined for anything else. */
  findByCommandToken(authorization: string | undefined): Promise<Principal | undefined>
  /** Ends every session of a person and every token for commands. @returns how many there were */
  endAll(tx: Queryable, operatorId: string): Promise<number>
  /** Ends the session of the browser that a request comes from, and removes its cookie. */
  end(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

const TIMES: SessionTimes = { lifetimeMs: 12 * 3_600_000, idleMs: 60 * 60_000 }
/** Browsers of one person at the same time. */
const MOST_SESSIONS = 20
/** What a page asks for by itself is no use of the session: an unattended screen is signed out in the end. */
const BY_ITSELF = 'x-by-itself'

/** Makes the sessions of browsers: who is signed in where, and until when. */
export function createSessions({ db, origin: configured, recognize, times = TIMES }: SessionDeps): Sessions {
  const lookup = createSessionLookup({ db, recognize, times })
  const secretOf = (request: FastifyRequest) => readCookie(request.headers.cookie, originOfRequest(request, configured))

  async function find(request: FastifyRequest): Promise<SignedIn | undefined> {
    if (!/(^|;\s*)(__Host-)?console=/.test(request.headers.cookie ?? '')) return undefined
    const secret = secretOf(request)
    requireOwnPage(request, originOfRequest(request, configured))
    if (secret === undefined) throw ended()
    const signedIn = await lookup.find(hash('sha256', secret), request.headers[BY_ITSELF] === undefined)
    if (signedIn === undefined) throw ended()
    return signedIn
  }

  return {
    find,
    findByCommandToken: (authorization) => findByCommandToken(lookup, authorization),

    async begin(request, reply, person) {
      const origin = originOfRequest(request, configured)
      const secret = await storeSession(db, times, person, request.ip)
      void reply.header('set-cookie', setCookie(origin, secret))
    },

    async makeCommandToken(request) {
      const signedIn = await find(request)
      const own = secretOf(request)
      if (signedIn === undefined || own === undefined) throw ended()
      const made = { madeIn: hash('sha256', own), origin: request.ip, times, most: MOST_SESSIONS }
      const token = await makeCommandToken(db, signedIn, made)
      if (token === undefined) throw ended()
      return token
    },

    async endAll(tx, operatorId) {
      lookup.forgetAllOf(operatorId)
      return await deleteSessionsOf(tx, operatorId)
    },

    async end(request, reply) {
      const origin = originOfRequest(request, configured)
      const signedIn = await find(request).catch(undefinedWhenEnded)
      const secret = secretOf(request)
      if (signedIn !== undefined && secret !== undefined) {
        const secretSha256 = hash('sha256', secret)
        await removeSession(db, times, signedIn, { secretSha256, address: request.ip })
        lookup.forget(secretSha256)
      }
      void reply.header('set-cookie', setCookie(origin, undefined))
    },
  }
}

/** @returns the secret that its cookie holds */
async function storeSession(db: Database, times: SessionTimes, person: SigningIn, address: string): Promise<string> {
  const { secret, secretSha256 } = makeSecret()
  const { operatorId, tokenSha256, name, how } = person
  await actAs({ actor: name, origin: address }, () =>
    db.transaction(async (tx) => {
      const session = { secretSha256, operatorId, tokenSha256, lifetimeMs: times.lifetimeMs }
      await insertSession(tx, session, { idleMs: times.idleMs, most: MOST_SESSIONS })
      await appendAudit(tx, { action: 'console.sign-in', target: operatorId, details: { how } })
    }),
  )
  return secret
}

async function removeSession(
  db: Database,
  times: SessionTimes,
  { principal: { name, operatorId } }: SignedIn,
  { secretSha256, address }: { secretSha256: string; address: string },
): Promise<void> {
  await actAs({ actor: name, origin: address }, () =>
    db.transaction(async (tx) => {
      await deleteSession(tx, secretSha256, times)
      await appendAudit(tx, { action: 'console.sign-out', target: operatorId })
    }),
  )
}

function undefinedWhenEnded(error: unknown): undefined {
  if (error instanceof OperatorError && error.code === 'UNAUTHORIZED') return undefined
  throw error
}

function ended(): OperatorError {
  return new OperatorError('UNAUTHORIZED', 'Your session has ended: sign in again.')
}
