/** SQL of the table `operator_sessions`. */
import type { Queryable } from '../db/database.ts'
import type { Credential } from '../operator/authenticate.ts'

/** What a session rests on, and when it ends unless it is used. */
export type Session = Credential & { expiresAt: Date }

export type SessionTimes = { lifetimeMs: number; idleMs: number }

type SessionRow = {
  operator_id: string | null
  token_sha256: string | null
  expires_at: Date
}

const END = `least(expires_at, last_used_at + $2 * interval '1 millisecond')`

/**
 * Stores a session, removes all that have ended, and of the same person all of its kind but the newest `most`: a token for commands ends
 * with the session that it was made in, so it must push out none.
 * @param session.madeIn the session that it ends with, which is locked, so that nobody signs out of it unnoticed meanwhile
 * @returns when it ends, unused or not; undefined, having stored nothing, when that one is there no more
 */
export async function insertSession(
  tx: Queryable,
  session: Credential & { secretSha256: string; lifetimeMs: number; madeIn?: string },
  { idleMs, most }: { idleMs: number; most: number },
): Promise<Date | undefined> {
  const { secretSha256, operatorId, tokenSha256, lifetimeMs, madeIn = null } = session
  let endsWith: Date | null = null
  if (madeIn !== null) {
    const [found] = await tx.query<{ expires_at: Date }>(
      'select expires_at from operator_sessions where secret_sha256 = $1 and expires_at > now() for key share',
      [madeIn],
    )
    if (found === undefined) return undefined
    endsWith = found.expires_at
  }
  const pushedOut = await tx.query<{ secret: string }>(
    `select secret_sha256 as secret from operator_sessions
     where (operator_id = $1::text or (operator_id is null and $1::text is null)) and (made_in is null) = $2::boolean
     order by created_at desc, secret_sha256 offset $3::int for update`,
    [operatorId, madeIn === null, most - 1],
  )
  // A statement of its own, which sees the tokens that were made in these sessions while they were waited for.
  await tx.query(
    `delete from operator_sessions where least(expires_at, last_used_at + $1 * interval '1 millisecond') <= now()
       or secret_sha256 = any($2::text[]) or made_in = any($2::text[])`,
    [idleMs, pushedOut.map(({ secret }) => secret)],
  )
  const [stored] = await tx.query<{ expires_at: Date }>(
    `insert into operator_sessions (secret_sha256, operator_id, token_sha256, expires_at, made_in)
     values ($1, $2, $3, least(now() + $4 * interval '1 millisecond', $6::timestamptz), $5) returning expires_at`,
    [secretSha256, operatorId, tokenSha256, lifetimeMs, madeIn, endsWith],
  )
  return stored?.expires_at
}

/** The sessions with these secrets, in their order; undefined for one that there is not, or that has ended. */
export async function findSessions(
  db: Queryable,
  secrets: readonly string[],
  { idleMs }: Pick<SessionTimes, 'idleMs'>,
): Promise<(Session | undefined)[]> {
  const rows = await db.query<SessionRow & { secret_sha256: string }>(
    `select secret_sha256, operator_id, token_sha256, ${END} as expires_at
     from operator_sessions where secret_sha256 = any ($1::text[]) and ${END} > now()`,
    [secrets, idleMs],
  )
  const found = new Map(
    rows.map(({ secret_sha256: secret, operator_id: operatorId, token_sha256: tokenSha256, expires_at: expiresAt }) => [
      secret,
      { operatorId, tokenSha256, expiresAt },
    ]),
  )
  return secrets.map((secret) => found.get(secret))
}

/** Records that a session is used, at most once in `everyMs`. */
export async function touchSession(db: Queryable, secretSha256: string, everyMs: number): Promise<void> {
  await db.query(
    `update operator_sessions set last_used_at = now()
     where secret_sha256 = $1 and last_used_at < now() - $2 * interval '1 millisecond'`,
    [secretSha256, everyMs],
  )
}

/**
 * Ends a session, and with it the tokens for commands that were made in it. Also those that the same person made in sessions that have ended unused
 * since: nobody could sign out of these any more.
 */
export async function deleteSession(
  tx: Queryable,
  secretSha256: string,
  { idleMs }: Pick<SessionTimes, 'idleMs'>,
): Promise<void> {
  // First, so that the next statement sees a token that is just being made in it.
  await tx.query('select from operator_sessions where secret_sha256 = $1 for update', [secretSha256])
  await tx.query(
    `delete from operator_sessions d where d.secret_sha256 = $1 or d.made_in = $1 or (d.made_in is not null
       and d.operator_id = (select o.operator_id from operator_sessions o where o.secret_sha256 = $1)
       and not exists (select from operator_sessions s where s.secret_sha256 = d.made_in
         and least(s.expires_at, s.last_used_at + $2 * interval '1 millisecond') > now()))`,
    [secretSha256, idleMs],
  )
}

/** Ends all sessions of a person, and their tokens for commands. @returns how many there were */
export async function deleteSessionsOf(tx: Queryable, operatorId: string): Promise<number> {
  // First, so that the next statement sees a token that is just being made in one of them.
  await tx.query('select from operator_sessions where operator_id = $1 order by secret_sha256 for update', [operatorId])
  const ended = await tx.query('delete from operator_sessions where operator_id = $1 returning 1', [operatorId])
  return ended.length
}
