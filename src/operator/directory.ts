/** Who the operators are, as far as is known: a stop must not wait for a database that is away. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, DatabaseUnavailableError } from '../db/database.ts'
import { LEAST_ADMINS } from '../operators/operator.ts'
import { countSignedInAdmins, findOperator, type KnownOperator, listOperators } from '../operators/operators.sql.ts'

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

/** Makes the directory, and reads everybody once. */
export async function createDirectory(db: Pick<Database, 'query'>): Promise<Directory> {
  const known = await orAway(listOperators(db))
  const seen = new Map((known === 'away' ? [] : known).map((each) => [each.operatorId, each]))
  let retired = false
  const directory: Directory = {
    async find(operatorId) {
      const answer = await orAway(findOperator(db, operatorId))
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
