/** What the accounts come to. */
import type { Queryable } from '../db/database.ts'
import { type AccountKind, readAccount } from './accounts.ts'

/** An account's lines added up: debits positive. */
export type Balance = { kind: AccountKind; owner: string; balanceMicro: bigint }

/** Rows (account, day, amount) of the entries after a day: the totals of sealed ones, and the lines of the others. */
const after = (
  day: string,
) => `select account, day, debit_micro - credit_micro as amount from ledger_totals where day > ${day}
  union all
  select l.account, e.day, l.amount from ledger_unsealed join ledger_entries e using (entry_id)
  cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount) where e.day > ${day}`

const CLOSED = `(select coalesce(max(through), '-infinity') from ledger_closings)`

/** Rows (account, day, amount) that add up to balances: what the newest closing carried on, and what came later. */
export const TURNOVER = `select account, through as day, balance_micro as amount from ledger_carried where through = ${CLOSED}
  union all ${after(CLOSED)}`

const NOW = `select account, sum(amount)::text as balance from (${TURNOVER}) t group by account order by account`

const CLOSED_90_DAYS = `(select coalesce(max(through), '-infinity') from ledger_closings where through <= $1::date - 90)`

const CLOSED_BEFORE = `(select coalesce(max(c.through), '-infinity') from ledger_closings c, instant i where c.through < i.day)`

/**
 * Whole days before the one of `$1`, and of that day, as `ledger_entries_by_day` has it, what took effect until then. `limit 1`: of a table that is
 * never counted PostgreSQL expects a thousand rows, and would read the entries of every day for as many instants.
 */
const AS_OF = `with instant as (select $1::timestamptz as at, ($1::timestamptz at time zone timezone)::date as day from ledger_book limit 1)
  select account, sum(amount)::text as balance from (
    select account, balance_micro as amount from ledger_carried where through = ${CLOSED_BEFORE}
    union all
    select t.account, t.amount from (${after(CLOSED_BEFORE)}) t, instant i where t.day < i.day
    union all
    select l.account, l.amount from instant i join ledger_entries e on e.day + 0 = i.day and e.effective_at <= i.at
    cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)) t
  group by account order by account`

/**
 * Rows (account, day, amount, debit, credit) up to the end of the day `$1`: each of the last 90 days by itself, and
 * what the closing before them carried on as one row.
 */
export const LINES_THROUGH = `select account, through as day, balance_micro as amount, 0 as debit, 0 as credit
    from ledger_carried where through = ${CLOSED_90_DAYS}
  union all
  select account, day, debit_micro - credit_micro, debit_micro, credit_micro from ledger_totals
    where day > ${CLOSED_90_DAYS} and day <= $1::date
  union all
  select l.account, e.day, l.amount, greatest(l.amount, 0), greatest(-l.amount, 0) from ledger_unsealed
    join ledger_entries e using (entry_id) cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
    where e.day > ${CLOSED_90_DAYS} and e.day <= $1::date`

/**
 * The balance of every account that was ever used, now or as of an instant. An entry counts from the instant at which it
 * took effect; one that came after its day was closed counts from the day on which it was booked.
 */
export async function readBalances(db: Queryable, asOf?: Date): Promise<Balance[]> {
  const rows = asOf === undefined ? await db.query<BalanceRow>(NOW) : await db.query<BalanceRow>(AS_OF, [asOf])
  return rows.flatMap(({ account, balance }) => {
    const read = readAccount(account)
    return read === undefined ? [] : [{ ...read, balanceMicro: BigInt(balance) }]
  })
}

type BalanceRow = { account: string; balance: string }
