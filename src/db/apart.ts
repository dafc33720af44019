/** Parts of a transaction that fail by themselves. */
import { DatabaseUnavailableError, type Queryable } from './database.ts'

/**
 * Runs a part of a transaction. Where it fails it alone is undone, and the transaction goes on.
 * @returns why it failed; undefined when it did not
 * @throws DatabaseUnavailableError what the whole transaction may be repeated for
 */
export async function apart(tx: Queryable, work: () => Promise<void>): Promise<{ error: unknown } | undefined> {
  await tx.query('savepoint apart')
  try {
    await work()
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error
    await tx.query('rollback to savepoint apart')
    return { error }
  }
  await tx.query('release savepoint apart')
  return undefined
}
