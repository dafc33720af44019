/** The same days told twice: a CSV from an operator's hand, and then the bank's own statement; or two that share some of their days. */
import { type Continuation, isNextNumber } from '../bank-files/statement/statement.ts'
import type { Param, Queryable } from '../db/database.ts'
import { isToldBetween } from './between.sql.ts'
import { isMore, isToldAgain } from './beyond.sql.ts'
import { isOther } from './late.sql.ts'
import { firstDayOf, type NewStatement } from './statement.ts'

/** With more lines than these the balances alone tell. */
const MOST_COMPARED = 2_000

const BALANCES = { account: '$1', opening: '$2', firstDay: '$3', lastDay: '$4', closing: '$5', sequence: '$6' } as const
const SAME_BALANCES = `select ${isToldBetween(BALANCES)} as is_same`

/** Every line has one of its own among those of these days: of that day and amount, and no reference says otherwise. */
const SAME_LINES = `with told as (
    select booked_on, amount_micro, servicer_reference, end_to_end_id, count(*) as times
    from jsonb_to_recordset($2::text::jsonb) as l (booked_on date, amount_micro bigint, servicer_reference text, end_to_end_id text)
    group by 1, 2, 3, 4),
  stored as materialized (
    select l.booked_on, l.amount_micro, l.servicer_reference, l.end_to_end_id
    from bank_statements s join bank_lines l using (statement_no)
    where s.bank_account = $1 and s.withdrawn_at is null and s.closed_on between $3::date and $4::date and l.entry > 0 and l.made_by is null
      and s.statement_no is distinct from $5::bigint)
  select not exists (select from told t where t.times > (
    select count(*) from stored s where s.booked_on = t.booked_on and s.amount_micro = t.amount_micro
      and coalesce(s.servicer_reference = t.servicer_reference, true) and coalesce(s.end_to_end_id = t.end_to_end_id, true))) as is_same`

/**
 * Whether a statement with lines says again what stored ones say, applied or waiting.
 * - One that does not follow would wait for ever: its balances decide, unless it is another one of days that sum to zero, or the whole of one that waits.
 * - One that follows, because its days sum to zero, would be booked twice: its lines decide.
 * @returns `perhaps` where only its balances say so, and these may be those of another one: they come to nothing, it follows, or the bank
 *   numbers both, and otherwise
 */
export async function isRepeated(
  tx: Queryable,
  statement: NewStatement,
  how: Continuation,
): Promise<'no' | 'perhaps' | 'certainly'> {
  const { bankAccount, sequence, openingMicro, closedOn, closingMicro, lines } = statement
  const firstDay = firstDayOf({ lines })
  if (firstDay === undefined) return 'no'
  const balances = [bankAccount, openingMicro, firstDay, closedOn, closingMicro]
  if (!(await isSame(tx, SAME_BALANCES, [...balances, null]))) return 'no'
  if (how === 'gap' && (await isMore(tx, statement))) return 'no'
  const isCompared = lines.length <= MOST_COMPARED
  const isSaid = isCompared && (await isTold(tx, { bankAccount, lines }, closedOn))
  if (how === 'follows' && isCompared) return isSaid ? 'certainly' : 'no'
  if (await isOther(tx, statement)) return 'no'
  if (isSaid) return 'certainly'
  const isTelling = how !== 'follows' && openingMicro !== closingMicro
  return isTelling && (await isSame(tx, SAME_BALANCES, [...balances, sequence])) ? 'certainly' : 'perhaps'
}

/**
 * Whether a statement that follows the last one tells days of that one again. What it tells again sums to zero, or it would not follow; or it is a part of
 * those days, which the bank's own references show. All that an account does in a day sums to zero, too, where the account is swept: so its lines are
 * compared. Where the bank's numbers say that the statement is the next one, it is.
 */
export async function isOverlapping(
  tx: Queryable,
  told: Told,
  last: { closedOn: string; sequence: string | null },
): Promise<boolean> {
  const { bankAccount, sequence, lines, statementNo } = told
  if (isNextNumber(last.sequence ?? '', sequence ?? '')) return false
  const through = lines.filter(({ bookedOn }) => bookedOn <= last.closedOn)
  for (const early of [through, through.filter(({ bookedOn }) => bookedOn < last.closedOn)]) {
    const sumMicro = early.reduce((sum, { amountMicro }) => sum + amountMicro, 0n)
    if (early.length === 0 || sumMicro !== 0n) continue
    if (await isTold(tx, { bankAccount, lines: early.slice(0, MOST_COMPARED), statementNo }, last.closedOn)) return true
  }
  return await isToldAgain(tx, { ...told, lines: through })
}

/** What is said of an account's movements. `statementNo`: of what is stored, which has not told itself before. */
export type Told = {
  bankAccount: string
  sequence: string | null
  openingMicro: bigint
  closedOn: string
  lines: readonly Pick<NewStatement['lines'][number], 'bookedOn' | 'amountMicro' | 'servicerReference' | 'endToEndId'>[]
  statementNo?: bigint | undefined
}

/** Whether each of these lines is among those of stored statements that close from its first day on, up to another one. */
async function isTold(
  tx: Queryable,
  { bankAccount, lines, statementNo }: Pick<Told, 'bankAccount' | 'lines' | 'statementNo'>,
  through: string,
): Promise<boolean> {
  const firstDay = firstDayOf({ lines }) ?? through
  const told = lines.map(({ bookedOn, amountMicro, servicerReference, endToEndId }) => ({
    booked_on: bookedOn,
    amount_micro: String(amountMicro),
    servicer_reference: servicerReference,
    end_to_end_id: endToEndId,
  }))
  return await isSame(tx, SAME_LINES, [bankAccount, JSON.stringify(told), firstDay, through, statementNo ?? null])
}

async function isSame(tx: Queryable, text: string, params: readonly Param[]): Promise<boolean> {
  const [row] = await tx.query<{ is_same: boolean }>(text, params)
  return row?.is_same === true
}
