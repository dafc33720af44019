/** The database's clock, by which every time limit is judged. */
import type { Queryable } from '../db/database.ts'

export async function readNow(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>('select now() as now')
  if (row === undefined) throw new Error('the database did not return its time')
  return row.now
}
