/** Days are closed in their order: what comes later counts on the first open day, so a closed day never changes. */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Queryable, StatementCancelledError } from '../db/database.ts'
import { TURNOVER } from './balances.sql.ts'
import { ISSUED } from './flows.sql.ts'
import { LEDGER_LOCK } from './locks.ts'

/** `YYYY-MM-DD`; null before any day was closed. `today` is by the books' time zone, `now` by the database's clock. */
export type Periods = { closedThrough: string | null; today: string; timezone: string; now: Date }

/** Which days are closed. */
export async function readPeriods(db: Queryable): Promise<Periods> {
  const [row] = await db.query<{ closed_through: string | null; today: string; timezone: string; now: Date }>(
    `select closed_through::text as closed_through, (now() at time zone timezone)::date::text as today, timezone, now() as now from ledger_book`,
  )
  if (row === undefined) throw new Error('the books have lost their row in ledger_book')
  return { closedThrough: row.closed_through, today: row.today, timezone: row.timezone, now: row.now }
}

/** The last millisecond of a day by the books' time zone: as of it they are as that day's report has them. */
export async function endOfDay(db: Queryable, day: string): Promise<Date> {
  const [row] = await db.query<{ at: Date }>(
    `select (($1::date + 1)::timestamp at time zone timezone) - interval '1 millisecond' as at from ledger_book`,
    [day],
  )
  if (row === undefined) throw new Error('the books have lost their row in ledger_book')
  return row.at
}

/**
 * Settles in which time zone the books' days begin; once anything is booked, that is fixed.
 * @returns the time zone of the books, when it is another one and stays so
 */
export async function settleTimezone(tx: Queryable, timezone: string): Promise<string | undefined> {
  // Each process asks when it starts: nobody who books is to wait for that.
  const [as] = await tx.query('select from ledger_book where timezone = $1', [timezone])
  if (as !== undefined) return undefined
  await tx.query(`select pg_advisory_xact_lock(${LEDGER_LOCK.periods})`)
  const [row] = await tx.query<{ timezone: string }>(
    `update ledger_book set timezone = case when closed_through is null and not exists (select from ledger_entries)
       and not exists (select from ledger_flows) then $1 else timezone end returning timezone`,
    [timezone],
  )
  return row?.timezone === timezone ? undefined : row?.timezone
}

const CLOSE = `update ledger_book set closed_through = $1::date where $1::date < (now() at time zone timezone)::date
  and (closed_through is null or closed_through < $1::date) returning closed_through`

/** Entries of closed days are all there, sealed or not; what came later is not carried. */
const CARRY = `insert into ledger_carried (through, account, balance_micro)
  select $1::date, account, sum(amount) from (${TURNOVER}) t where day <= $1::date group by account`

const CARRY_FLOWS = `insert into ledger_flows_carried (through, integration_id, chain_id, issued_micro)
  select $1::date, integration_id, chain_id, sum(issued) from (
    select integration_id, chain_id, issued_micro as issued from ledger_flows_carried
    where through = (select max(through) from ledger_closings)
    union all
    select integration_id, chain_id, ${ISSUED} from ledger_flows
    where day > (select coalesce(max(through), '-infinity') from ledger_closings) and day <= $1::date) f
  group by integration_id, chain_id`

/** Whoever books while a closing waits for its turn waits behind it, with all that they hold: no longer than this at a time. */
const IN_LINE_MS = 200
/** In between, what has queued behind it goes on. */
const ASIDE_MS = [100, 400] as const
/** As long as any statement may wait. */
const PATIENCE_MS = 10_000

const TAKE_PERIODS = `select pg_advisory_xact_lock(${LEDGER_LOCK.periods}) from set_config('lock_timeout', '${IN_LINE_MS}ms', true)`

/**
 * Waits until nobody books, and keeps others from it until the transaction ends. What books for long keeps only the closing waiting, and not all
 * others that book.
 * @throws StatementCancelledError when somebody has been booking all the while
 */
async function takePeriods(tx: Queryable): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    await tx.query('savepoint in_line')
    try {
      await tx.query(TAKE_PERIODS)
      break
    } catch (error) {
      if (!(error instanceof StatementCancelledError) || performance.now() > until) throw error
      await tx.query('rollback to savepoint in_line')
    }
    const [least, most] = ASIDE_MS
    await sleep(least + Math.random() * (most - least))
  }
  await tx.query(`select set_config('lock_timeout', '0', true)`)
  await tx.query('release savepoint in_line')
}

/**
 * Closes every day up to one that is over, once the transactions that are booking have ended, and carries on what everything
 * comes to. Does nothing when the day is not over, or closed.
 * @throws StatementCancelledError when somebody has been booking all the while
 * @param readUnpaid what is not paid, kept with the closing; called before anybody has to wait: it may take a second, and the closing is dated
 *   by the beginning of its transaction
 */
export async function closeDays(
  tx: Queryable,
  through: string,
  readUnpaid: (tx: Queryable) => Promise<unknown> = async () => [],
): Promise<void> {
  const unpaid = JSON.stringify(await readUnpaid(tx))
  await takePeriods(tx)
  const [closed] = await tx.query(CLOSE, [through])
  if (closed === undefined) return
  // What follows names the closing, so it is written last; each statement reads what the closing before it carried.
  await tx.query('set constraints all deferred')
  await tx.query(CARRY, [through])
  await tx.query(CARRY_FLOWS, [through])
  await tx.query('insert into ledger_closings (through, unpaid) values ($1::date, $2::jsonb)', [through, unpaid])
}

/** Which payouts were not paid when the closing of a day was made, and when that was; undefined when the day is open. */
export async function readClosing(
  db: Queryable,
  day: string,
): Promise<{ closedAt: Date; unpaid: unknown } | undefined> {
  const [row] = await db.query<{ closedAt: Date; unpaid: unknown }>(
    'select closed_at as "closedAt", unpaid from ledger_closings where through >= $1::date order by through limit 1',
    [day],
  )
  return row
}
