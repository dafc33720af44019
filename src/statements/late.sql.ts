/** Statements that come after newer ones were applied: possible when the days that they are about sum to zero. */
import type { Queryable } from '../db/database.ts'
import { type ChainedStatement, lateThatFit } from './late.ts'
import type { NewStatement } from './statement.ts'

/** From the first day of a stored statement's lines to the day on which it closes. */
const FIRST_DAY = `least(s.closed_on, greatest(s.opened_on, coalesce(
  (select min(l.booked_on) from bank_lines l where l.statement_no = s.statement_no and l.entry > 0), s.closed_on)))`

/** Whether applied statements are about days of a late one, or none is older, so that it would be booked twice. */
export async function isCovered(tx: Queryable, late: NewStatement): Promise<boolean> {
  const { bankAccount, openedOn, closedOn, lines } = late
  const [row] = await tx.query<{ is_covered: boolean }>(
    `select exists (select from bank_statements s where s.bank_account = $1 and s.position is not null
         and s.closed_on >= $2::date and ${FIRST_DAY} <= $3::date)
       or not exists (select from bank_statements s where s.bank_account = $1 and s.position is not null
         and s.closed_on < $2::date) as is_covered`,
    [bankAccount, firstDayOf(openedOn, closedOn, lines), closedOn],
  )
  return row?.is_covered !== false
}

function firstDayOf(openedOn: string, closedOn: string, lines: NewStatement['lines']): string {
  const [first = closedOn] = [closedOn, ...lines.map(({ bookedOn }) => bookedOn)].sort()
  return first < openedOn ? openedOn : first
}

const MOST_LATE = 1_000

/** The waiting statements of an account that fit between applied ones, in their order; none of a day that one of these has told. */
export async function findLateThatFit(tx: Queryable, bankAccount: string): Promise<bigint[]> {
  const rows = await tx.query<{
    statement_no: bigint
    closed_on: string
    opening_micro: bigint
    closing_micro: bigint
    before_closed_on: string
    before_closing_micro: bigint
  }>(
    `select s.statement_no, s.closed_on::text as closed_on, s.opening_micro, s.closing_micro,
       b.closed_on::text as before_closed_on, b.closing_micro as before_closing_micro
     from bank_statements s cross join lateral (
       select b.closed_on, b.closing_micro from bank_statements b
       where b.bank_account = s.bank_account and b.position is not null and b.closed_on <= s.closed_on
       order by b.closed_on desc, b.position desc limit 1) b
     where s.bank_account = $1 and s.position is null and s.withdrawn_at is null and b.closed_on < ${FIRST_DAY}
       and exists (select from bank_statements n
         where n.bank_account = s.bank_account and n.position is not null and n.closed_on > s.closed_on)
     order by s.closed_on, s.opened_on, s.statement_no limit ${MOST_LATE}`,
    [bankAccount],
  )
  const late: ChainedStatement[] = rows.map((row) => ({
    statementNo: row.statement_no,
    closedOn: row.closed_on,
    openingMicro: row.opening_micro,
    closingMicro: row.closing_micro,
    before: { closedOn: row.before_closed_on, closingMicro: row.before_closing_micro },
  }))
  return lateThatFit(late)
}
