/** Browser sessions: begun by whoever has shown who they are, found by their cookie, ended with what they rest on. */
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Queryable } from '../db/database.ts'
import { appendAudit } from '../operator/audit.sql.ts'
import type { Credential, Principal, Recognize } from '../operator/authenticate.ts'
import { orAway } from '../operator/directory.ts'
import { OperatorError } from '../operator/errors.ts'
import { actAs } from '../operators/acting.ts'
import { makeSecret } from '../token-secret.ts'
import { readCookie, setCookie } from './cookie.ts'
import { originOfRequest, requireOwnPage } from './origins.ts'
import {
  deleteSession,
  deleteSessionsOf,
  findSession,
  insertSession,
  type Session,
  type SessionTimes,
  touchSession,
} from './sessions.sql.ts'

export type SessionDeps = {
  db: Database
  /** CONSOLE_ORIGIN. */
  origin: string | undefined
  recognize: Recognize
  /** How long sessions last at most, and without a use. */
  times?: SessionTimes
}

/** Who is signed in, and until when. */
export type SignedIn = { principal: Principal; session: Session }

export type Sessions = ReturnType<typeof createSessions>

const TIMES: SessionTimes = { lifetimeMs: 12 * 3_600_000, idleMs: 60 * 60_000 }
const TOUCH_EVERY_MS = 30_000
/** Browsers of one person at the same time. */
const MOST_SESSIONS = 20
/** Sessions remembered for while the database is away. */
const MOST_SEEN = 1_000
/** How tokens for commands begin. Their hash is of all of it, so that no cookie is one, nor the other way round. */
const COMMAND_TOKEN = 'coin_command_'
const COMMAND_TOKEN_MS = 8 * 3_600_000
/** What a page asks for by itself is no use of the session: an unattended screen is signed out in the end. */
const BY_ITSELF = 'x-by-itself'

/** Makes the sessions of browsers: who is signed in where, and until when. */
export function createSessions({ db, origin: configured, recognize, times = TIMES }: SessionDeps) {
  const seen = new Map<string, Session>()

  const remember = (secretSha256: string, session: Session) => {
    seen.delete(secretSha256)
    const oldest = seen.size >= MOST_SEEN ? seen.keys().next() : undefined
    if (oldest !== undefined && !oldest.done) seen.delete(oldest.value)
    seen.set(secretSha256, session)
  }

  /** The session as the database has it; while it is away, as it last had it. */
  const look = async (secretSha256: string): Promise<{ session: Session; isCertain: boolean } | undefined> => {
    const answer = await orAway(findSession(db, secretSha256, times))
    if (answer === 'away') {
      const session = seen.get(secretSha256)
      return session !== undefined && session.expiresAt.getTime() > Date.now()
        ? { session, isCertain: false }
        : undefined
    }
    if (answer === undefined) seen.delete(secretSha256)
    else remember(secretSha256, answer)
    return answer && { session: answer, isCertain: true }
  }

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
      const secretSha256 = hash('sha256', secret)
      const found = await look(secretSha256)
      const principal = found && (await recognize(found.session))
      if (found === undefined || principal === undefined) throw ended()
      if (found.isCertain && request.headers[BY_ITSELF] === undefined) {
        await orAway(touchSession(db, secretSha256, TOUCH_EVERY_MS))
      }
      const isCertain = principal.isCertain && found.isCertain
      return { principal: { ...principal, isCertain }, session: found.session }
    },

    /**
     * Makes a token for commands, for whoever is signed in through the identity provider and has none of their own. It ends as a
     * session does: unused, with the person, and no later than the session that it was made in, whose sign-out ends it too.
     * @throws OperatorError UNAUTHORIZED without a session; CONFLICT for whoever has a token
     */
    async makeCommandToken(request: FastifyRequest): Promise<{ token: string; expiresAt: Date }> {
      const signedIn = await this.find(request)
      const own = secretOf(request)
      if (signedIn === undefined || own === undefined) throw ended()
      const { name, operatorId } = signedIn.principal
      if (operatorId === null || signedIn.session.tokenSha256 !== null) {
        throw new OperatorError('CONFLICT', 'You have a token of your own: commands take it in OPERATOR_TOKEN.')
      }
      const token = `${COMMAND_TOKEN}${makeSecret().secret}`
      const leftMs = signedIn.session.createdAt.getTime() + times.lifetimeMs - Date.now()
      const lifetimeMs = Math.max(1, Math.min(COMMAND_TOKEN_MS, leftMs))
      await actAs({ actor: name, origin: request.ip }, () =>
        db.transaction(async (tx) => {
          const madeIn = hash('sha256', own)
          const session = { secretSha256: hash('sha256', token), operatorId, tokenSha256: null, lifetimeMs, madeIn }
          if (!(await insertSession(tx, session, { idleMs: times.idleMs, most: MOST_SESSIONS }))) throw ended()
          await appendAudit(tx, { action: 'console.command-token', target: operatorId })
        }),
      )
      return { token, expiresAt: new Date(Date.now() + lifetimeMs) }
    },

    /** Who shows a token for commands in an Authorization header; undefined for anything else. */
    async findByCommandToken(authorization: string | undefined): Promise<Principal | undefined> {
      const token = /^Bearer (coin_command_[0-9A-Za-z]{43})$/i.exec(authorization ?? '')?.[1]
      if (token === undefined) return undefined
      const secretSha256 = hash('sha256', token)
      const found = await look(secretSha256)
      const principal = found && (await recognize(found.session))
      if (found === undefined || principal === undefined) return undefined
      if (found.isCertain) await orAway(touchSession(db, secretSha256, TOUCH_EVERY_MS))
      return { ...principal, isCertain: principal.isCertain && found.isCertain }
    },

    /** Ends every session of a person and every token for commands. @returns how many there were */
    async endAll(tx: Queryable, operatorId: string): Promise<number> {
      for (const [secretSha256, session] of seen) if (session.operatorId === operatorId) seen.delete(secretSha256)
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
        seen.delete(secretSha256)
      }
      void reply.header('set-cookie', setCookie(origin, undefined))
    },
  }
}

function ended(): OperatorError {
  return new OperatorError('UNAUTHORIZED', 'Your session has ended: sign in again.')
}
