/** Who the operators are, as far as is known: a stop must not wait for a database that is away. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, DatabaseUnavailableError } from '../db/database.ts'
import { createSharedCalls } from '../db/shared-calls.ts'
import { LEAST_ADMINS } from '../operators/operator.ts'
import { countSignedInAdmins, findOperators, type KnownOperator, listOperators } from '../operators/operators.sql.ts'

export type Directory = {
  /** The operator with this id, disabled ones included. */
  find(operatorId: string): Promise<Known<KnownOperator | undefined>>
  /** Whether two admins have signed in. Once true, it stays true. */
  hasAdmins(): Promise<Known<boolean>>
}

/** `isCertain`: the database says so now. Otherwise it is away or slow, and has said so when it last answered. */
export type Known<T> = { value: T; isCertain: boolean }

/** How long the database is waited for before what was last seen counts. */
const PATIENCE_MS = 2_000

/**
 * Makes the look-up of what somebody presents to be let in, which they may have made up. However many come, those that were never seen cost one query at a
 * time: each by itself would take a connection, and the database would seem to be away to whoever is known.
 * @param find reads from the database, in the order of what is given
 * @param isSeen whether it was found before: it waits behind none of the others
 */
export function createPresentedLookup<T>(
  find: (presented: readonly string[]) => Promise<readonly (T | undefined)[]>,
  isSeen: (presented: string) => boolean,
): (presented: string) => Promise<T | undefined> {
  const findSeen = createSharedCalls<string, T | undefined>({ call: find, maxCalls: 4, maxTogether: 100 })
  const findNew = createSharedCalls<string, T | undefined>({ call: find, maxCalls: 1, maxTogether: 1_000 })
  return (presented) => (isSeen(presented) ? findSeen : findNew)(presented)
}

/** Makes the directory, and reads everybody once. */
export async function createDirectory(db: Pick<Database, 'query'>): Promise<Directory> {
  const known = await orAway(listOperators(db))
  const seen = new Map((known === 'away' ? [] : known).map((each) => [each.operatorId, each]))
  const ask = createPresentedLookup(
    (operatorIds) => findOperators(db, operatorIds),
    (operatorId) => seen.has(operatorId),
  )
  let retired = false
  const directory: Directory = {
    async find(operatorId) {
      const answer = await orAway(ask(operatorId))
      if (answer === 'away') return { value: seen.get(operatorId), isCertain: false }
      if (answer !== undefined) seen.set(operatorId, answer)
      return { value: answer, isCertain: true }
    },
    async hasAdmins() {
      if (retired) return { value: true, isCertain: true }
      const count = await orAway(countSignedInAdmins(db))
      if (count !== 'away') retired = count >= LEAST_ADMINS
      return { value: retired, isCertain: count !== 'away' }
    },
  }
  await directory.hasAdmins()
  return directory
}

/** What the database answers, or 'away' when it does not do so in time. */
export async function orAway<T>(asked: Promise<T>): Promise<T | 'away'> {
  const late = new AbortController()
  const answer = asked.catch((error: unknown) => {
    if (error instanceof DatabaseUnavailableError) return 'away' as const
    throw error
  })
  try {
    const timeout = sleep(PATIENCE_MS, 'away' as const, { signal: late.signal }).catch(() => 'away' as const)
    return await Promise.race([answer, timeout])
  } finally {
    late.abort()
  }
}
