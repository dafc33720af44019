/** Days are closed in their order: what comes later counts on the first open day, so a closed day never changes. */
import type { Queryable } from '../db/database.ts'
import { LEDGER_LOCK } from './locks.ts'

/** `YYYY-MM-DD`; null before any day was closed. `today` is by the books' time zone. */
export type Periods = { closedThrough: string | null; today: string }

/** Which days are closed. */
export async function readPeriods(db: Queryable): Promise<Periods> {
  const [row] = await db.query<{ closed_through: string | null; today: string }>(
    `select closed_through::text as closed_through, (now() at time zone timezone)::date::text as today from ledger_book`,
  )
  if (row === undefined) throw new Error('the books have lost their row in ledger_book')
  return { closedThrough: row.closed_through, today: row.today }
}

/**
 * Closes every day up to one that is over, once the transactions that are booking have ended. Does nothing when the day is not
 * over, or closed.
 */
export async function closeDays(tx: Queryable, through: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${LEDGER_LOCK.periods})`)
  await tx.query(
    `update ledger_book set closed_through = $1::date where $1::date < (now() at time zone timezone)::date
       and (closed_through is null or closed_through < $1::date)`,
    [through],
  )
}
