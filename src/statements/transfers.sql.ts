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
