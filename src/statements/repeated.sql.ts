/** The same days told twice in other words: a CSV from an operator's hand, and then the bank's own statement. */
import type { Continuation } from '../bank-files/statement/statement.ts'
import type { Param, Queryable } from '../db/database.ts'
import type { NewStatement } from './statement.ts'

/** With more lines than these the balances alone tell. */
const MOST_COMPARED = 2_000

/** Stored statements, one or several, that begin and end as it does: in their balances, on its days. */
const SAME_BALANCES = `select exists (
    select from bank_statements f join bank_statements t on t.bank_account = f.bank_account and t.closed_on >= f.closed_on
    where f.withdrawn_at is null and t.withdrawn_at is null and f.bank_account = $1 and f.opening_micro = $2 and f.closed_on >= $3::date
      and t.closed_on = $4::date and t.closing_micro = $5) as is_same`

/** Every line has one of its own among those of these days: of that day and amount, and no reference says otherwise. */
const SAME_LINES = `with told as (
    select booked_on, amount_micro, servicer_reference, end_to_end_id, count(*) as times
    from jsonb_to_recordset($2::text::jsonb) as l (booked_on date, amount_micro bigint, servicer_reference text, end_to_end_id text)
    group by 1, 2, 3, 4),
  stored as materialized (
    select l.booked_on, l.amount_micro, l.servicer_reference, l.end_to_end_id
    from bank_statements s join bank_lines l using (statement_no)
    where s.bank_account = $1 and s.withdrawn_at is null and s.closed_on between $3::date and $4::date and l.entry > 0)
  select not exists (select from told t where t.times > (
    select count(*) from stored s where s.booked_on = t.booked_on and s.amount_micro = t.amount_micro
      and coalesce(s.servicer_reference = t.servicer_reference, true) and coalesce(s.end_to_end_id = t.end_to_end_id, true))) as is_same`

/**
 * Whether a statement with lines says again what stored ones say, applied or waiting. One that does not follow would wait for ever,
 * so that its balances decide; one that follows, because its days sum to zero, would be booked twice, so that its lines do.
 */
export async function isRepeated(tx: Queryable, statement: NewStatement, how: Continuation): Promise<boolean> {
  const { bankAccount, openingMicro, closedOn, closingMicro, lines } = statement
  const [firstDay] = lines.map(({ bookedOn }) => bookedOn).sort()
  if (firstDay === undefined) return false
  const balances = [bankAccount, openingMicro, firstDay, closedOn, closingMicro]
  if (!(await isSame(tx, SAME_BALANCES, balances))) return false
  if (how !== 'follows' || lines.length > MOST_COMPARED) return true
  const told = lines.map(({ bookedOn, amountMicro, servicerReference, endToEndId }) => ({
    ...{ booked_on: bookedOn, amount_micro: String(amountMicro) },
    ...{ servicer_reference: servicerReference, end_to_end_id: endToEndId },
  }))
  return await isSame(tx, SAME_LINES, [bankAccount, JSON.stringify(told), firstDay, closedOn])
}

async function isSame(tx: Queryable, text: string, params: readonly Param[]): Promise<boolean> {
  const [row] = await tx.query<{ is_same: boolean }>(text, params)
  return row?.is_same === true
}
