/** What the accounts come to. */
import type { Queryable } from '../db/database.ts'
import { type AccountKind, readAccount } from './accounts.ts'

/** An account's lines added up: debits positive. */
export type Balance = { kind: AccountKind; owner: string; balanceMicro: bigint }

/** Rows (account, day, amount): the totals of sealed entries, and the lines of those that the sealer has not reached. */
export const TURNOVER = `select account, day, debit_micro - credit_micro as amount from ledger_totals
  union all
  select l.account, e.day, l.amount from ledger_unsealed join ledger_entries e using (entry_id)
  cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)`

const NOW = `select account, sum(amount)::text as balance from (${TURNOVER}) t group by account order by account`

/** Whole days before the one of `$1`, and of that day what took effect until then. */
const AS_OF = `with instant as (select $1::timestamptz as at, ($1::timestamptz at time zone timezone)::date as day from ledger_book)
  select account, sum(amount)::text as balance from (
    select t.account, t.amount from (${TURNOVER}) t, instant i where t.day < i.day
    union all
    select l.account, l.amount from instant i join ledger_entries e on e.day = i.day and e.effective_at <= i.at
    cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)) t
  group by account order by account`

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
