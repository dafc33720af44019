import type { Queryable } from '../../src/db/database.ts'
import { waitFor } from './wait-for.ts'

/**
 * Resolves once `work`, which runs on a connection of its own, has ended one way or another or waits for a lock: it has got as far as it gets beside whoever
 * asks, which after a fixed time it need not have on a busy machine. On PostgreSQL.
 * @param db a connection that is free
 */
export async function waitsOrEnds(db: Queryable, work: Promise<unknown>): Promise<void> {
  let hasEnded = false
  const end = () => {
    hasEnded = true
  }
  work.then(end, end)
  await waitFor('it to wait for a lock, or to end', async () => {
    if (hasEnded) return true
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await db.query(waiting)).length > 0
  })
}
