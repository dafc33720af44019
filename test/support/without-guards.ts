/** Changes that the database would refuse, such as a restored backup or an intruder may have made. */
import type { Database, Queryable } from '../../src/db/database.ts'

/** No trigger fires in the rest of this transaction. */
export async function dropGuards(tx: Queryable): Promise<void> {
  await tx.query(`set local session_replication_role = 'replica'`)
}

/** Runs `work` in a transaction in which no trigger fires. Constraints still hold. */
export function withoutGuards<T>(db: Database, work: (tx: Queryable) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await dropGuards(tx)
    return work(tx)
  })
}
