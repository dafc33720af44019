/** Browser sessions: begun by whoever has shown who they are, found by their cookie, ended with what they rest on. */
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Queryable } from '../db/database.ts'
import { appendAudit } from '../operator/audit.sql.ts'
import type { Credential, Recognize } from '../operator/authenticate.ts'
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

export type Sessions = ReturnType<typeof createSessions>

const TIMES: SessionTimes = { lifetimeMs: 12 * 3_600_000, idleMs: 60 * 60_000 }
/** Browsers of one person at the same time. */
const MOST_SESSIONS = 20
/** What a page asks for by itself is no use of the session: an unattended screen is signed out in the end. */
const BY_ITSELF = 'x-by-itself'

/** Makes the sessions of browsers: who is signed in where, and until when. */
export function createSessions({ db, origin: configured, recognize, times = TIMES }: SessionDeps) {
  const lookup = createSessionLookup({ db, recognize, times })
  const secretOf = (request: FastifyRequest) => readCookie(request.headers.cookie, originOfRequest(request, configured))

  return {
    /**
     * Begins a session in the browser that a request comes from, records it, and sets its cookie. Every way to sign in ends
     * here, once it is certain who signs in: the login by token, and any other (an identity provider's, say), which passes
     * `tokenSha256: null` because no token of ours was shown. The session then lasts until it expires or the person is
     * disabled. After a redirect from another site, answer with a page that goes on by itself instead of with a redirect: a
     * SameSite=Strict cookie does not go along with a navigation that another site began.
     * @param person who it is, and what they have shown
     * @throws OperatorError FORBIDDEN for a host name that is not the console's
     */
    async begin(
      request: FastifyRequest,
      reply: FastifyReply,
      person: Credential & { name: string; how: 'token' | 'one-time code' | 'identity provider' },
    ): Promise<void> {
      const origin = originOfRequest(request, configured)
      const { secret, secretSha256 } = makeSecret()
      const { operatorId, tokenSha256, name, how } = person
      await actAs({ actor: name, origin: request.ip }, () =>
        db.transaction(async (tx) => {
          const session = { secretSha256, operatorId, tokenSha256, lifetimeMs: times.lifetimeMs }
          await insertSession(tx, session, { idleMs: times.idleMs, most: MOST_SESSIONS })
          await appendAudit(tx, { action: 'console.sign-in', target: operatorId, details: { how } })
        }),
      )
      void reply.header('set-cookie', setCookie(origin, secret))
    },

    /**
     * Who is signed in where a request comes from; undefined without a cookie.
     * @throws OperatorError UNAUTHORIZED when the session has ended; FORBIDDEN for another host or site
     */
    async find(request: FastifyRequest): Promise<SignedIn | undefined> {
      if (!/(^|;\s*)(__Host-)?console=/.test(request.headers.cookie ?? '')) return undefined
      const secret = secretOf(request)
      requireOwnPage(request, originOfRequest(request, configured))
      if (secret === undefined) throw ended()
      const signedIn = await lookup.find(hash('sha256', secret), request.headers[BY_ITSELF] === undefined)
      if (signedIn === undefined) throw ended()
      return signedIn
    },

    /**
     * Makes a token for commands, for whoever is signed in and has none of their own.
     * @throws OperatorError UNAUTHORIZED without a session; CONFLICT for whoever has a token
     */
    async makeCommandToken(request: FastifyRequest): Promise<{ token: string; expiresAt: Date }> {
      const signedIn = await this.find(request)
      const own = secretOf(request)
      if (signedIn === undefined || own === undefined) throw ended()
      const made = { madeIn: hash('sha256', own), origin: request.ip, times, most: MOST_SESSIONS }
      const token = await makeCommandToken(db, signedIn, made)
      if (token === undefined) throw ended()
      return token
    },

    /** Who shows a token for commands in an Authorization header; undefined for anything else. */
    findByCommandToken: (authorization: string | undefined) => findByCommandToken(lookup, authorization),

    /** Ends every session of a person and every token for commands. @returns how many there were */
    async endAll(tx: Queryable, operatorId: string): Promise<number> {
      lookup.forgetAllOf(operatorId)
      return await deleteSessionsOf(tx, operatorId)
    },

    /** Ends the session of the browser that a request comes from, and removes its cookie. */
    async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const origin = originOfRequest(request, configured)
      const signedIn = await this.find(request).catch((error: unknown) => {
        if (error instanceof OperatorError && error.code === 'UNAUTHORIZED') return undefined
        throw error
      })
      const secret = secretOf(request)
      if (signedIn !== undefined && secret !== undefined) {
        const { name, operatorId } = signedIn.principal
        const secretSha256 = hash('sha256', secret)
        await actAs({ actor: name, origin: request.ip }, () =>
          db.transaction(async (tx) => {
            await deleteSession(tx, secretSha256, times)
            await appendAudit(tx, { action: 'console.sign-out', target: operatorId })
          }),
        )
        lookup.forget(secretSha256)
      }
      void reply.header('set-cookie', setCookie(origin, undefined))
    },
  }
}

function ended(): OperatorError {
  return new OperatorError('UNAUTHORIZED', 'Your session has ended: sign in again.')
}
