/** What is open on accounts at the end of a day, and how old it is. */
import type { Queryable } from '../db/database.ts'
import { type AccountKind, readAccount } from './accounts.ts'
import { type Ages, ageOf } from './ageing.ts'
import { LINES_THROUGH } from './balances.sql.ts'

export type AgedAccount = Ages & { kind: AccountKind; owner: string }

/** Kinds that somebody has yet to pay or to receive, and the side on which they grow. */
const AGED = { mint_receivable: 1n, fees_receivable: 1n, redeem_payable: -1n, payout_clearing: -1n } as const

const OPEN = `select account, sum(amount)::text as balance,
    coalesce(jsonb_agg(jsonb_build_array($1::date - day, debit::text, credit::text)) filter (where day > $1::date - 90), '[]') as moved
  from (select account, day, sum(amount) as amount, sum(debit) as debit, sum(credit) as credit from (${LINES_THROUGH}) l
    where split_part(account, ':', 1) = any ($2::text[]) group by account, day) d
  group by account having sum(amount) <> 0 order by account`

/** Every account that something is open on, at the end of `day` in the books' time zone. */
export async function readAges(db: Queryable, day: string): Promise<AgedAccount[]> {
  const rows = await db.query<{ account: string; balance: string; moved: [number, string, string][] }>(OPEN, [
    day,
    Object.keys(AGED),
  ])
  return rows.flatMap(({ account, balance, moved }) => {
    const read = readAccount(account)
    if (read === undefined || !Object.hasOwn(AGED, read.kind)) return []
    const openMicro = AGED[read.kind as keyof typeof AGED] * BigInt(balance)
    const growth = moved.map(([daysAgo, debit, credit]) => ({
      daysAgo,
      // What is open has grown on the side of the balance, and so has what was overpaid.
      amountMicro: BigInt(BigInt(balance) > 0n ? debit : credit),
    }))
    return [{ ...read, ...ageOf(openMicro, growth) }]
  })
}
