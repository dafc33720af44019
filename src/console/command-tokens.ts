/** Tokens for commands: for whoever signs in through the identity provider, and has no token of their own. */
import { hash } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { appendAudit } from '../operator/audit.sql.ts'
import type { Principal } from '../operator/authenticate.ts'
import { OperatorError } from '../operator/errors.ts'
import { actAs } from '../operators/acting.ts'
import { makeSecret } from '../secrets/token-secret.ts'
import type { SessionLookup, SignedIn } from './session-lookup.ts'
import { insertSession, type SessionTimes } from './sessions.sql.ts'

/** How they begin. Their hash is of all of it, so that no cookie is one, nor the other way round. */
const COMMAND_TOKEN = 'coin_command_'
const COMMAND_TOKEN_MS = 8 * 3_600_000

/**
 * Makes a token for somebody who is signed in. It ends as a session does: unused, with the person, and no later than the session
 * that it was made in, whose sign-out ends it too.
 * @param made.madeIn the hash of that session's secret
 * @returns undefined when that session has ended meanwhile
 * @throws OperatorError CONFLICT for whoever has a token
 */
export async function makeCommandToken(
  db: Database,
  { principal, session }: SignedIn,
  made: { madeIn: string; origin: string; times: SessionTimes; most: number },
): Promise<{ token: string; expiresAt: Date } | undefined> {
  const { name, operatorId } = principal
  const { madeIn, origin, times, most } = made
  if (operatorId === null || session.tokenSha256 !== null) {
    throw new OperatorError('CONFLICT', 'You have a token of your own: commands take it in OPERATOR_TOKEN.')
  }
  const token = `${COMMAND_TOKEN}${makeSecret().secret}`
  const expiresAt = await actAs({ actor: name, origin }, () =>
    db.transaction(async (tx) => {
      const stored = { secretSha256: hash('sha256', token), operatorId, tokenSha256: null, madeIn }
      const ends = await insertSession(tx, { ...stored, lifetimeMs: COMMAND_TOKEN_MS }, { idleMs: times.idleMs, most })
      if (ends !== undefined) await appendAudit(tx, { action: 'console.command-token', target: operatorId })
      return ends
    }),
  )
  return expiresAt && { token, expiresAt }
}

/** Who shows a token for commands in an Authorization header; undefined for anything else. */
export async function findByCommandToken(
  lookup: SessionLookup,
  authorization: string | undefined,
): Promise<Principal | undefined> {
  const token = /^Bearer (coin_command_[0-9A-Za-z]{43})$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) return undefined
  return (await lookup.find(hash('sha256', token), true))?.principal
}
