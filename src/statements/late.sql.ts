/** Statements that come after newer ones were applied: possible when the days that they are about sum to zero. */
import type { Queryable } from '../db/database.ts'
import { type ChainedStatement, lateThatFit } from './late.ts'
import { firstDayOf, type NewStatement } from './statement.ts'

/** SQL: the first day of a stored statement's lines; it is about the days from then to the one on which it closes. */
const firstDayIn = (s: string) => `least(${s}.closed_on, greatest(${s}.opened_on, coalesce(
  (select min(l.booked_on) from bank_lines l where l.statement_no = ${s}.statement_no and l.entry > 0), ${s}.closed_on)))`

/** SQL: whether an applied statement is about days of `s` and tells a movement of an amount that `s` tells, too. */
const IS_TOLD = `exists (select from bank_statements c where c.bank_account = s.bank_account and c.position is not null
  and c.closed_on >= ${firstDayIn('s')} and c.opened_on <= s.closed_on and ${firstDayIn('c')} <= s.closed_on
  and exists (select from bank_lines t join bank_lines o using (amount_micro) where t.statement_no = c.statement_no and o.statement_no = s.statement_no
    and t.entry > 0 and o.entry > 0 and t.made_by is null and o.made_by is null))`

/**
 * Whether what is new of a statement is certainly new, although it comes to nothing: the bank's statement also tells every line that applied ones have told of
 * its days, each once. So the rest are other movements, whatever their amounts.
 * @param told the whole of it, with what they have told
 */
export async function isAllElse(tx: Queryable, statement: NewStatement, told: NewStatement): Promise<boolean> {
  const { bankAccount, openingMicro, closedOn, closingMicro, lines } = statement
  const toldBefore = told.lines.length - lines.length
  const firstDay = firstDayOf(told)
  if (openingMicro !== closingMicro || toldBefore <= 0 || firstDay === undefined) return false
  const [row] = await tx.query<{ is_else: boolean }>(
    `select $4 = (select count(*) from bank_statements s join bank_lines l using (statement_no)
         where s.bank_account = $1 and s.position is not null and s.closed_on between $2::date and $3::date
           and l.booked_on >= $2::date and l.entry > 0 and l.made_by is null)
       and not exists (select from bank_statements s where s.bank_account = $1 and s.position is not null
         and s.closed_on > $3::date and ${firstDayIn('s')} <= $3::date) as is_else`,
    [bankAccount, firstDay, closedOn, toldBefore],
  )
  return row?.is_else === true
}

/**
 * Whether applied statements are about days of a late one, or none is older, so that it would be booked twice; not where it is one more of a day
 * and fits after those.
 */
export async function isCovered(tx: Queryable, late: NewStatement): Promise<boolean> {
  const { bankAccount, openingMicro, closedOn } = late
  const [row] = await tx.query<{ is_covered: boolean; fits: boolean }>(
    `select exists (select from bank_statements s where s.bank_account = $1 and s.position is not null
         and s.closed_on >= $2::date and ${firstDayIn('s')} <= $3::date)
       or not exists (select from bank_statements s where s.bank_account = $1 and s.position is not null
         and s.closed_on < $2::date) as is_covered,
       $4 = (select closing_micro from bank_statements s where s.bank_account = $1 and s.position is not null
         and s.closed_on <= $3::date order by s.closed_on desc, position desc limit 1) as fits`,
    [bankAccount, firstDayAbout(late), closedOn, openingMicro],
  )
  if (row?.is_covered === false) return false
  return !(row?.fits === true && (await isOther(tx, late)))
}

/**
 * Whether a statement that comes to nothing tells only movements of amounts that no stored one tells of its days, applied or waiting: so it tells
 * none of them again, and is one more of these days.
 */
export async function isOther(tx: Queryable, statement: NewStatement): Promise<boolean> {
  const { bankAccount, closedOn, openingMicro, closingMicro, lines } = statement
  if (lines.length === 0 || openingMicro !== closingMicro) return false
  const amounts = [...new Set(lines.map(({ amountMicro }) => amountMicro))]
  const [row] = await tx.query<{ is_other: boolean }>(
    `select not exists (select from bank_statements s join bank_lines l using (statement_no)
       where s.bank_account = $1 and s.withdrawn_at is null and s.closed_on >= $2::date and s.opened_on <= $3::date
         and l.entry > 0 and l.made_by is null and l.amount_micro = any ($4::bigint[])) as is_other`,
    [bankAccount, firstDayAbout(statement), closedOn, amounts],
  )
  return row?.is_other === true
}

/** The first day that a statement in hand is about, as `firstDayIn` of a stored one. */
function firstDayAbout({ openedOn, closedOn, lines }: Pick<NewStatement, 'openedOn' | 'closedOn' | 'lines'>): string {
  const [first = closedOn] = [closedOn, ...lines.map(({ bookedOn }) => bookedOn)].sort()
  return first < openedOn ? openedOn : first
}

const MOST_LATE = 1_000

/** The waiting statements of an account that fit between applied ones, in their order; none that tells again what one of these has told. */
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
     where s.bank_account = $1 and s.position is null and s.withdrawn_at is null and not ${IS_TOLD}
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
