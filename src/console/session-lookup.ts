/** Whose a secret is, of a browser's cookie or of a token for commands: asked of the database, remembered for while it is away. */
import type { Database } from '../db/database.ts'
import type { Principal, Recognize } from '../operator/authenticate.ts'
import { createPresentedLookup, orAway } from '../operator/directory.ts'
import { findSessions, type Session, type SessionTimes, touchSession } from './sessions.sql.ts'

/** Who is signed in, and until when. */
export type SignedIn = { principal: Principal; session: Session }

export type SessionLookup = ReturnType<typeof createSessionLookup>

type LookupDeps = { db: Database; recognize: Recognize; times: SessionTimes }

const TOUCH_EVERY_MS = 30_000
/** Sessions remembered for while the database is away. */
const MOST_SEEN = 1_000

/** Makes the look-up of sessions. */
export function createSessionLookup({ db, recognize, times }: LookupDeps) {
  const seen = new Map<string, Session>()

  const ask = createPresentedLookup(
    (secrets) => findSessions(db, secrets, times),
    (secretSha256) => seen.has(secretSha256),
  )

  const remember = (secretSha256: string, session: Session) => {
    seen.delete(secretSha256)
    const oldest = seen.size >= MOST_SEEN ? seen.keys().next() : undefined
    if (oldest !== undefined && !oldest.done) seen.delete(oldest.value)
    seen.set(secretSha256, session)
  }

  /** The session as the database has it; while it is away, as it last had it. */
  const look = async (secretSha256: string): Promise<{ session: Session; isCertain: boolean } | undefined> => {
    const answer = await orAway(ask(secretSha256))
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

  return {
    /** Who is signed in with a secret; undefined: nobody. @param isUse whether the session lasts the longer for it */
    async find(secretSha256: string, isUse: boolean): Promise<SignedIn | undefined> {
      const found = await look(secretSha256)
      const principal = found && (await recognize(found.session))
      if (found === undefined || principal === undefined) return undefined
      if (found.isCertain && isUse) await orAway(touchSession(db, secretSha256, TOUCH_EVERY_MS))
      const isCertain = principal.isCertain && found.isCertain
      return { principal: { ...principal, isCertain }, session: found.session }
    },

    /** A session has ended: it is not gone by while the database is away either. */
    forget(secretSha256: string): void {
      seen.delete(secretSha256)
    },

    /** All sessions of a person have ended. */
    forgetAllOf(operatorId: string): void {
      for (const [secretSha256, session] of seen) if (session.operatorId === operatorId) seen.delete(secretSha256)
    },
  }
}
