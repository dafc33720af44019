/** What lines are found to belong to. Each is decided once, and once more by an operator when nothing explained it. */
import type { Queryable } from '../db/database.ts'
import { STATEMENTS_LOCK } from './locks.ts'

export type Belonging = {
  kind: 'payout' | 'extra_payout' | 'mint' | 'remitter' | 'fees' | 'own_funds'
  /** A payment (`po_…/1`), an integration, or a bank account. */
  to: string
}

/** Waits until nobody else is deciding about a line, so that no two lines are taken for the same money. */
export async function lockBooking(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${STATEMENTS_LOCK.book})`)
}

export async function markMatched(tx: Queryable, lineNo: bigint, { kind, to }: Belonging): Promise<void> {
  await tx.query(
    `update bank_lines set state = 'matched', matched_kind = $2, matched_to = $3, decided_at = now() where line_no = $1`,
    [lineNo, kind, to],
  )
}

export async function markUnallocated(tx: Queryable, lineNo: bigint, reason: string): Promise<void> {
  await tx.query(
    `update bank_lines set state = 'unallocated', reason = left($2, 500), decided_at = now() where line_no = $1`,
    [lineNo, reason],
  )
}

export async function markAssigned(
  tx: Queryable,
  lineNo: bigint,
  { kind, to }: Belonging,
  reason: string,
): Promise<void> {
  await tx.query(
    `update bank_lines set state = 'assigned', matched_kind = $2, matched_to = $3, reason = $4, decided_at = now()
     where line_no = $1`,
    [lineNo, kind, to, reason],
  )
}

/** Mints that a line has paid. @throws the database's error when one was paid before */
export async function insertPaidMints(tx: Queryable, lineNo: bigint, orderIds: readonly bigint[]): Promise<void> {
  await tx.query('insert into bank_paid_mints (order_id, line_no) select id, $1 from unnest($2::bigint[]) as s (id)', [
    lineNo,
    orderIds,
  ])
}

/** Whether another line in the same direction belongs to a payment. */
export async function hasLineOf(tx: Queryable, to: string, direction: 'debit' | 'credit'): Promise<boolean> {
  const rows = await tx.query(
    `select 1 as found from bank_lines where matched_to = $1 and matched_kind in ('payout', 'extra_payout')
       and (amount_micro > 0) = $2 limit 1`,
    [to, direction === 'credit'],
  )
  return rows.length > 0
}

/** How many lines of a file belong to something, and how many to nothing. */
export async function countLines(
  db: Queryable,
  contentHash: string,
): Promise<{ matched: number; unallocated: number; unbooked: number }> {
  const [row] = await db.query<{ matched: bigint; unallocated: bigint; unbooked: bigint }>(
    `select count(*) filter (where l.state in ('matched', 'assigned')) as matched,
       count(*) filter (where l.state = 'unallocated') as unallocated, count(*) filter (where l.state = 'unbooked') as unbooked
     from bank_statements s join bank_lines l using (statement_no) where s.content_hash = $1 and s.withdrawn_at is null`,
    [contentHash],
  )
  return {
    matched: Number(row?.matched ?? 0n),
    unallocated: Number(row?.unallocated ?? 0n),
    unbooked: Number(row?.unbooked ?? 0n),
  }
}
