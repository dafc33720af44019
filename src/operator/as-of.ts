/** When something was, in operators' requests: at an instant, or at the end of a day of the books. */
import { isDay } from '../bank-files/day.ts'
import type { Queryable } from '../db/database.ts'
import { endOfDay, readPeriods } from '../ledger/periods.sql.ts'
import { parseInstant } from '../values/instant.ts'
import { OperatorError } from './errors.ts'

/** Today ends elsewhere up to a day later than in the books. */
const DAY_MS = 86_400_000

/** @throws OperatorError BAD_REQUEST; also for what is after today everywhere, of which a mistyped year would show today's figures under that date */
export async function readAsOf(db: Queryable, value: string | undefined): Promise<Date | undefined> {
  if (value === undefined) return undefined
  const asOf = await instantOf(db, value)
  const { today } = await readPeriods(db)
  if (asOf.getTime() > (await endOfDay(db, today)).getTime() + DAY_MS)
    throw new OperatorError('BAD_REQUEST', `"asOf" is in the future: today is ${today} in the books.`)
  return asOf
}

async function instantOf(db: Queryable, value: string): Promise<Date> {
  if (isDay(value)) return await endOfDay(db, value)
  const instant = parseInstant(value)
  if (instant !== undefined) return instant.at
  throw new OperatorError(
    'BAD_REQUEST',
    '"asOf" must be a day of the books, such as 2026-11-20, or an ISO 8601 instant, such as 2026-11-20T04:00:00Z.',
  )
}
