/** Money between the issuer's own accounts that only one of them has shown. */
import type { Queryable } from '../db/database.ts'
import { TURNOVER } from '../ledger/balances.sql.ts'

/** How long after the newest line of it both accounts' statements must go before it is named. */
const DAYS = 7

/** `between`: FROM/TO; above zero it has left and not come, below zero it has come and not left. `day`: of the newest line of it. */
export type OpenTransfer = { between: string; balanceMicro: bigint; day: string }

/** Of each two accounts whose statements cover a week after the newest line between them: what does not come to nothing. */
export async function findOpenTransfers(db: Queryable): Promise<OpenTransfer[]> {
  const rows = await db.query<{ between: string; balance: string; day: string }>(
    `select t.between, t.balance::text as balance, n.day::text as day
     from (select split_part(account, ':', 2) as between, sum(amount) as balance from (${TURNOVER}) t
       where account like 'own_transfers:%' group by 1 having sum(amount) <> 0) t
     cross join lateral (select max(l.booked_on) as day from bank_lines l where l.matched_to = t.between) n
     where n.day is not null and not exists (
       select from unnest(string_to_array(t.between, '/')) as a (bank_account)
       where not exists (select from bank_statements s where s.bank_account = a.bank_account and s.position is not null
         and s.closed_on >= n.day + ${DAYS})) order by 1`,
  )
  return rows.map(({ between, balance, day }) => ({ between, balanceMicro: BigInt(balance), day }))
}

/** So long an account of the issuer may be behind; longer, and the reserve is not known anyway. */
const BEHIND_DAYS = 14

/** Credits that nothing explains, or that were said to be the issuer's own: each may be money of another account of ours. */
const MAYBE_OWN = `(select amount_micro, bank_account, booked_on, line_no, statement_no, entry from bank_lines where state = 'unallocated'
  union all select amount_micro, bank_account, booked_on, line_no, statement_no, entry from bank_lines where matched_kind = 'own_funds' and amount_micro > 0)`

/**
 * Ringgit that may stand on two accounts of the issuer at once: what has come to one, of which the bank does not say from where, on a day that the
 * statements of another do not cover yet. No more than there is on those others.
 */
export async function readMaybeDoubled(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ doubled: string }>(
    `with newest as materialized (
       select distinct on (bank_account) bank_account, closed_on, closing_micro from bank_statements
       where position is not null order by bank_account, closed_on desc, position desc),
     pairs as materialized (
       select l.line_no, l.amount_micro, n.bank_account, n.closing_micro
       from ${MAYBE_OWN} l join bank_statements s using (statement_no)
       join newest n on n.bank_account <> l.bank_account and n.closing_micro > 0
         and l.booked_on > n.closed_on and l.booked_on <= n.closed_on + ${BEHIND_DAYS}
       where l.amount_micro > 0 and l.entry > 0 and s.position is not null)
     select least(
       (select coalesce(sum(amount_micro), 0) from (select distinct line_no, amount_micro from pairs) c),
       (select coalesce(sum(closing_micro), 0) from (select distinct bank_account, closing_micro from pairs) b))::text as doubled`,
  )
  return BigInt(row?.doubled ?? 0)
}
