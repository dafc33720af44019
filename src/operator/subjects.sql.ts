/** What the audit log keeps of things that no other room reads one by one. */
import type { Queryable } from '../db/database.ts'

/** What a line of a statement belongs to. Undefined when there is none. */
export async function findLineState(db: Queryable, lineNo: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await db.query<{ state: string; kind: string | null; to: string | null; reason: string | null }>(
    `select state, matched_kind as kind, matched_to as to, reason from bank_lines where line_no = $1::text::bigint`,
    [lineNo],
  )
  return row && { ...row }
}

const SUBJECT_LOCK = 7_261_041

/** One command at a time changes a thing, so that what it was before is what the command found. Until the transaction ends. */
export async function lockSubject(tx: Queryable, name: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${SUBJECT_LOCK}, hashtext($1))`, [name])
}
