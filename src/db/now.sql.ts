/** The database's clock, by which every time limit is judged: all processes share it. */
import type { Queryable } from './database.ts'

/** What time it is there; in a transaction, when that began. @throws DatabaseUnavailableError */
export async function readNow(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>('select now() as now')
  if (row === undefined) throw new Error('the database did not return its time')
  return row.now
}
