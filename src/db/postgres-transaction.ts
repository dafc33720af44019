/** How a transaction runs on one PostgreSQL connection. */
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { Queryable } from './database.ts'
import { breaksConnection, isConflict, isStalePlan, toDatabaseError, WorkError } from './failures.ts'
import type { Runner } from './runner.ts'

const ATTEMPTS = 3
/** At least and at most, in milliseconds, times how often it has lost. */
const [LEAST_PAUSE_MS, MOST_PAUSE_MS] = [5, 25]
/** Each was another connection of the pool, and none of them is used again; a new one has nothing stale. */
const MOST_STALE = 20

/**
 * Runs a transaction again that was rolled back whole because it lost to another one, or because a migration has changed what its connection
 * had prepared. At once it would take the same rows before the winner of a deadlock has woken, and lose again.
 */
export async function retryConflicts<T>(work: () => Promise<T>, secret: string): Promise<T> {
  let lost = 0
  let stale = 0
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (isConflict(error) && ++lost < ATTEMPTS) {
        await pause(lost * (LEAST_PAUSE_MS + Math.random() * (MOST_PAUSE_MS - LEAST_PAUSE_MS)))
        continue
      }
      if (isStalePlan(error) && ++stale < MOST_STALE) continue
      throw error instanceof WorkError ? error.cause : toDatabaseError(error, secret)
    }
  }
}

/**
 * Tries a transaction once, on a connection that nobody else uses meanwhile. Never leaves the connection inside a
 * transaction.
 */
export async function attempt<T>(
  client: pg.PoolClient,
  { run, control }: Runner,
  work: (tx: Queryable) => Promise<T>,
  secret: string,
): Promise<T> {
  let open = true
  let fatal: unknown
  const query: Queryable['query'] = async (text, params) => {
    if (!open) throw new Error('The transaction has ended already')
    try {
      return await run(client, text, params)
    } catch (error) {
      if (isConflict(error) || breaksConnection(error)) fatal ??= error
      throw toDatabaseError(error, secret)
    }
  }
  await control(client, 'begin')
  let result: T
  try {
    result = await work({ query })
  } catch (error) {
    await control(client, 'rollback').catch((lost) => {
      fatal ??= lost
    })
    throw fatal ?? new WorkError('the work in a transaction failed', { cause: error })
  } finally {
    open = false
  }
  if ((await control(client, 'commit')) !== 'COMMIT') throw rolledBack()
  return result
}

/** PostgreSQL answers ROLLBACK to a commit when the work ignored a failed statement; PGlite raises the same error. */
function rolledBack(): Error {
  const message = 'Transaction was rolled back instead of committed'
  return Object.assign(new Error(message), { severity: 'ERROR', code: '25P02' })
}
