/** The database's clock, which decides everything that has a time limit. */
import type { Queryable } from '../db/database.ts'

export async function readNow(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>('select now() as now')
  if (row === undefined) throw new Error('the database did not tell the time')
  return row.now
}
