/** A statement that waits, and that the bank has replaced or that was wrong, is withdrawn for good: nothing of it is ever booked. */
import type { Queryable } from '../db/database.ts'
import { applyFollowing } from './chain.sql.ts'
import { forgetShownBy, markShown } from './notified.sql.ts'
import { lockRecording } from './store.sql.ts'

/** What an operator can decide about. */
export type FoundStatement = {
  bankAccount: string
  statementId: string
  closedOn: string
  state: 'applied' | 'waiting' | 'withdrawn'
  withdrawnAt: Date | null
  withdrawnFor: string | null
}

/** A statement by its number. */
export async function findStatement(db: Queryable, statementNo: bigint): Promise<FoundStatement | undefined> {
  const [row] = await db.query<{
    bank_account: string
    statement_id: string
    closed_on: string
    is_applied: boolean
    withdrawn_at: Date | null
    withdrawn_for: string | null
  }>(
    `select bank_account, statement_id, closed_on::text as closed_on, position is not null as is_applied, withdrawn_at, withdrawn_for
     from bank_statements where statement_no = $1`,
    [statementNo],
  )
  if (row === undefined) return undefined
  const { bank_account: bankAccount, statement_id: statementId, closed_on: closedOn } = row
  const { withdrawn_at: withdrawnAt, withdrawn_for: withdrawnFor } = row
  const state = row.is_applied ? 'applied' : withdrawnAt === null ? 'waiting' : 'withdrawn'
  return { bankAccount, statementId, closedOn, state, withdrawnAt, withdrawnFor }
}

/** Those that a file brought and that were withdrawn since. */
export async function listWithdrawnOf(
  db: Queryable,
  contentHash: string,
): Promise<Pick<FoundStatement, 'bankAccount' | 'statementId' | 'withdrawnFor'>[]> {
  return await db.query(
    `select bank_account as "bankAccount", statement_id as "statementId", withdrawn_for as "withdrawnFor"
     from bank_statements where content_hash = $1 and withdrawn_at is not null order by statement_no`,
    [contentHash],
  )
}

/**
 * Withdraws a statement that waits, once, and applies what follows without it.
 * @returns how it was before, `applied` when its lines are booked or about to be, so that it stays; undefined when there is none
 */
export async function withdrawStatement(
  tx: Queryable,
  statementNo: bigint,
  reason: string,
): Promise<FoundStatement | undefined> {
  // Nobody applies a statement meanwhile.
  await lockRecording(tx)
  const found = await findStatement(tx, statementNo)
  if (found?.state !== 'waiting') return found
  // After all files that have come, also where the clock of a database that has taken over is behind: what it kept out of them may come in now.
  await tx.query(
    `update bank_statements set withdrawn_for = $2,
       withdrawn_at = greatest(now(), (select max(imported_at) + interval '1 microsecond' from bank_imports)) where statement_no = $1`,
    [statementNo, reason],
  )
  await applyFollowing(tx, found.bankAccount)
  await forgetShownBy(tx, statementNo)
  await markShown(tx)
  return found
}
