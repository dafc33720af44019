/** When something was, in operators' requests: at an instant, or at the end of a day of the books. */
import { isDay } from '../bank-files/day.ts'
import type { Queryable } from '../db/database.ts'
import { endOfDay } from '../ledger/periods.sql.ts'
import { readInstant } from './instants.ts'

/** @throws OperatorError BAD_REQUEST */
export async function readAsOf(db: Queryable, value: string | undefined): Promise<Date | undefined> {
  if (value === undefined) return undefined
  return isDay(value) ? await endOfDay(db, value) : readInstant('asOf', value)
}
