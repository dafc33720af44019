/** An account of the issuer has one name in the books, whatever a bank profile calls it. */
import type { Queryable } from '../db/database.ts'
import type { NewStatement } from './statement.ts'

/** A statement that calls an account with this number otherwise; one that was applied before one that waits. */
export async function findOtherName(
  tx: Queryable,
  { bankAccount, accountDigest }: Pick<NewStatement, 'bankAccount' | 'accountDigest'>,
): Promise<{ bankAccount: string; statementNo: bigint; isApplied: boolean } | undefined> {
  const [row] = await tx.query<{ bankAccount: string; statementNo: bigint; isApplied: boolean }>(
    `select bank_account as "bankAccount", statement_no as "statementNo", position is not null as "isApplied" from bank_statements
     where account_digest = $1 and bank_account <> $2 and withdrawn_at is null order by position nulls last limit 1`,
    [accountDigest ?? null, bankAccount],
  )
  return row
}

/** Whether what was applied of an account with this name has other numbers alone. What was taken in before numbers were kept says nothing. */
export async function isOfOtherNumbers(
  tx: Queryable,
  { bankAccount, accountDigest }: Pick<NewStatement, 'bankAccount' | 'accountDigest'>,
): Promise<boolean> {
  const rows = await tx.query(
    `select from bank_statements where bank_account = $1 and position is not null and account_digest <> $2
       and not exists (select from bank_statements where account_digest = $2 and bank_account = $1 and position is not null and withdrawn_at is null)
     limit 1`,
    [bankAccount, accountDigest ?? null],
  )
  return rows.length > 0
}
