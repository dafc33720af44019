/** The statements of an account that were applied, one after the other: which days they tell, and between which balances. */
import type { Queryable } from '../db/database.ts'

export type AppliedStatement = {
  statementNo: bigint
  statementId: string
  /** The bank's number of it, if it has one. */
  sequence: string | null
  openedOn: string
  openingMicro: bigint
  closedOn: string
  closingMicro: bigint
  lineCount: number
  appliedAt: Date
  /** The name of the file that brought it. */
  file: string
  /** The days between it and the one before it, of which no statement is; null when there is none. */
  without: { first: string; last: string } | null
}

/**
 * A page of them, the newest first. What follows one opens as it has closed, so that days without a statement come to nothing; whether anything
 * moved on them the bank knows.
 * @param before the number of the last one of the page before
 */
export async function listApplied(
  db: Queryable,
  bankAccount: string,
  { before, limit }: { before: bigint | undefined; limit: number },
): Promise<AppliedStatement[]> {
  const rows = await db.query<Omit<AppliedStatement, 'without'> & { first: string | null; last: string }>(
    `select s.statement_no as "statementNo", s.statement_id as "statementId", s.sequence, s.opened_on::text as "openedOn",
       s.opening_micro as "openingMicro", s.closed_on::text as "closedOn", s.closing_micro as "closingMicro", s.line_count as "lineCount",
       s.applied_at as "appliedAt", i.name as file, (b.closed_on + 1)::text as first, (s.opened_on - 1)::text as last
     from bank_statements s join bank_imports i using (content_hash) left join lateral (
       select max(b.closed_on) as closed_on from bank_statements b where b.bank_account = s.bank_account and b.position is not null
         and (b.closed_on, b.position) < (s.closed_on, s.position)) b on true
     where s.bank_account = $1 and s.position is not null and ($2::bigint is null or (s.closed_on, s.position) < (
       select c.closed_on, c.position from bank_statements c where c.statement_no = $2))
     order by s.closed_on desc, s.position desc limit $3`,
    [bankAccount, before ?? null, limit],
  )
  return rows.map(({ first, last, ...statement }) => ({
    ...statement,
    without: first !== null && first <= last ? { first, last } : null,
  }))
}

/** Whether an account has a statement, be it one that waits. */
export async function hasStatement(db: Queryable, bankAccount: string): Promise<boolean> {
  const rows = await db.query('select from bank_statements where bank_account = $1 limit 1', [bankAccount])
  return rows.length > 0
}
