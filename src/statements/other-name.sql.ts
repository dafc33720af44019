/** An account of the issuer has one name in the books, whatever a bank profile calls it. */
import type { Queryable } from '../db/database.ts'
import type { NewStatement } from './statement.ts'

/** What statements of an account with this number call it, where that is another name. */
export async function findOtherName(
  tx: Queryable,
  { bankAccount, accountDigest }: Pick<NewStatement, 'bankAccount' | 'accountDigest'>,
): Promise<string | undefined> {
  const [row] = await tx.query<{ bank_account: string }>(
    'select bank_account from bank_statements where account_digest = $1 and bank_account <> $2 and withdrawn_at is null limit 1',
    [accountDigest ?? null, bankAccount],
  )
  return row?.bank_account
}
