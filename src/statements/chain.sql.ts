/** The statements of an account follow one another: each opens with the balance with which the last one closed. */
import { type Continuation, continuationOf } from '../bank-files/statement/statement.ts'
import type { Queryable } from '../db/database.ts'
import { SEN_IN_MICRO } from '../money.ts'
import type { NewStatement } from './statement.ts'

export type Last = { position: bigint; statementId: string; closedOn: string; closingMicro: bigint }

/** The newest applied statement of an account. */
export async function findLast(tx: Queryable, bankAccount: string): Promise<Last | undefined> {
  const [row] = await tx.query<{ position: bigint; statement_id: string; closed_on: string; closing_micro: bigint }>(
    `select position, statement_id, closed_on::text as closed_on, closing_micro from bank_statements
     where bank_account = $1 and position is not null order by position desc limit 1`,
    [bankAccount],
  )
  if (row === undefined) return undefined
  const { position, statement_id: statementId, closed_on: closedOn, closing_micro: closingMicro } = row
  return { position, statementId, closedOn, closingMicro }
}

/** How a statement follows the last one of its account. */
export function followsHow(
  last: Last | undefined,
  next: Pick<NewStatement, 'openingMicro' | 'closedOn'>,
): Continuation {
  return continuationOf(
    last === undefined ? undefined : { closedOn: last.closedOn, closingSen: last.closingMicro / SEN_IN_MICRO },
    { openingSen: next.openingMicro / SEN_IN_MICRO, closedOn: next.closedOn },
  )
}

/** An earlier statement under the same id, or with the same content. */
export async function findSame(tx: Queryable, statement: NewStatement): Promise<string | undefined> {
  const { bankAccount, statementId, digest } = statement
  const [row] = await tx.query<{ statement_id: string }>(
    'select statement_id from bank_statements where bank_account = $1 and (statement_id = $2 or digest = $3) limit 1',
    [bankAccount, statementId, digest],
  )
  return row?.statement_id
}

/**
 * Applies, one after the other, the waiting statements of an account that follow: their lines are then to be booked.
 * What the first one opens with becomes a line of its own, because nothing explains it.
 * @returns how many
 */
export async function applyFollowing(tx: Queryable, bankAccount: string): Promise<number> {
  for (let applied = 0; ; applied += 1) {
    const last = await findLast(tx, bankAccount)
    const rows = await tx.query<{ statement_no: bigint }>(
      `update bank_statements set position = $2, applied_at = now() where statement_no = (
         select statement_no from bank_statements where bank_account = $1 and position is null
           and ($3::bigint is null or (opening_micro = $3 and closed_on >= $4::date))
         order by closed_on, opened_on, statement_no limit 1)
       returning statement_no`,
      [bankAccount, (last?.position ?? 0n) + 1n, last?.closingMicro ?? null, last?.closedOn ?? null],
    )
    if (rows.length === 0) return applied
    if (last === undefined) await insertOpening(tx, bankAccount)
  }
}

async function insertOpening(tx: Queryable, bankAccount: string): Promise<void> {
  await tx.query(
    `insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal, remittance)
     select statement_no, bank_account, 0, 0, opening_micro, opened_on, opened_on, false, 'Opening balance'
     from bank_statements where bank_account = $1 and position = 1 and opening_micro <> 0`,
    [bankAccount],
  )
}

/** A statement that waits because an earlier one is missing. */
export type WaitingStatement = {
  bankAccount: string
  statementId: string
  openedOn: string
  openingMicro: bigint
  closedOn: string
  importedAt: Date
  /** What the account's last statement closed with, and when: the missing one opens there. */
  lastStatementId: string | null
  lastClosedOn: string | null
  lastClosingMicro: bigint | null
}

/** All that wait, oldest first, at most 100. */
export async function listWaiting(db: Queryable): Promise<WaitingStatement[]> {
  const rows = await db.query<{
    bank_account: string
    statement_id: string
    opened_on: string
    opening_micro: bigint
    closed_on: string
    imported_at: Date
    last_id: string | null
    last_closed_on: string | null
    last_closing_micro: bigint | null
  }>(
    `select s.bank_account, s.statement_id, s.opened_on::text as opened_on, s.opening_micro, s.closed_on::text as closed_on,
       s.imported_at, l.statement_id as last_id, l.closed_on::text as last_closed_on, l.closing_micro as last_closing_micro
     from bank_statements s left join lateral (
       select * from bank_statements l where l.bank_account = s.bank_account and l.position is not null
       order by l.position desc limit 1) l on true
     where s.position is null order by s.bank_account, s.closed_on, s.statement_no limit 100`,
  )
  return rows.map((row) => ({
    bankAccount: row.bank_account,
    statementId: row.statement_id,
    openedOn: row.opened_on,
    openingMicro: row.opening_micro,
    closedOn: row.closed_on,
    importedAt: row.imported_at,
    lastStatementId: row.last_id,
    lastClosedOn: row.last_closed_on,
    lastClosingMicro: row.last_closing_micro,
  }))
}
