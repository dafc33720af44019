/** SQL of the table `audit_log`: append-only; each entry is written in the transaction of the operator's write. */
import type { Database, Queryable } from '../db/database.ts'

/** What is recorded about a write. Details name what changed and never hold a secret or a whole bank account number. */
export type AuditEntry = {
  /** noun.verb, such as `key.create`. */
  action: string
  /** The id that the write concerns. */
  target: string | null
  details?: Record<string, string | number | boolean | null | readonly string[]>
}

export type RecordedAuditEntry = {
  auditId: bigint
  at: Date
  actor: string
  action: string
  target: string | null
  details: Record<string, unknown>
}

/** The operator API knows one token, so one actor. */
const ACTOR = 'operator'

/** Appends an entry in the caller's transaction. */
export async function appendAudit(tx: Queryable, entry: AuditEntry): Promise<void> {
  await tx.query('insert into audit_log (actor, action, target, details) values ($1, $2, $3, $4::text::jsonb)', [
    ACTOR,
    entry.action,
    entry.target,
    JSON.stringify(entry.details ?? {}),
  ])
}

/** Runs `work` and appends the entry for its result in one transaction, so that neither exists without the other. */
export async function audited<T>(
  db: Database,
  work: (tx: Queryable) => Promise<T>,
  entryOf: (result: T) => AuditEntry,
): Promise<T> {
  return db.transaction(async (tx) => {
    const result = await work(tx)
    await appendAudit(tx, entryOf(result))
    return result
  })
}

/** At most `limit` entries, newest first, older than the entry `before` when given. */
export async function listAudit(db: Queryable, before: bigint | null, limit: number): Promise<RecordedAuditEntry[]> {
  const rows = await db.query<{
    audit_id: bigint
    created_at: Date
    actor: string
    action: string
    target: string | null
    details: Record<string, unknown>
  }>(
    `select audit_id, created_at, actor, action, target, details from audit_log
    where $1::bigint is null or audit_id < $1 order by audit_id desc limit $2::int`,
    [before, limit],
  )
  return rows.map((row) => ({
    auditId: row.audit_id,
    at: row.created_at,
    actor: row.actor,
    action: row.action,
    target: row.target,
    details: row.details,
  }))
}
