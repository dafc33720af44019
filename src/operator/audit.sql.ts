/** SQL of the table `audit_log`: append-only; each entry is written in the transaction of the operator's write. */
import type { Database, Queryable } from '../db/database.ts'
import { whoActs } from '../operators/acting.ts'
import { parseAddress } from '../orders/address.ts'

type Facts = Record<string, string | number | boolean | null | readonly string[]>

/** What is recorded about a write. Nothing in it is a secret or a whole bank account number. */
export type AuditEntry = {
  /** noun.verb, such as `key.create`. */
  action: string
  /** The id that the write concerns. */
  target: string | null
  /** What was asked for, and what came of it. */
  details?: Facts
  /** How the target was, and how it is now: of what may change, all that an auditor wants to compare. */
  before?: Record<string, unknown>
  after?: Record<string, unknown>
}

export type RecordedAuditEntry = {
  auditId: bigint
  at: Date
  actor: string
  origin: string
  action: string
  target: string | null
  details: Record<string, unknown>
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

const APPEND = `with appended as (
    insert into audit_log (actor, origin, action, target, details, before, after)
    values ($1, $2, $3, $4, $5::text::jsonb, $6::text::jsonb, $7::text::jsonb) returning audit_id)
  insert into audit_unsealed (audit_id) select audit_id from appended`

/**
 * Uses up the approval by which the present request was let through, if it needed one: at once where several
 * transactions follow, so that nothing is begun twice.
 */
export async function useApprovalOf(tx: Queryable): Promise<void> {
  await whoActs().useApproval?.(tx)
}

/**
 * Compares what was approved with what is once more, as when the approval was used up: to be called in that transaction once nobody else can change
 * what the command concerns, and before it does. Somebody may have done so, and not been committed, when it was looked at first.
 */
export async function requireAsApproved(tx: Queryable): Promise<void> {
  await whoActs().requireAsApproved?.(tx)
}

/** To be called where the rest of a request is too dear to be only tried. */
export async function endRehearsal(db: Queryable): Promise<void> {
  if (whoActs().isRehearsal) await useApprovalOf(db)
}

/** Appends an entry in the caller's transaction, in the name of who acts. @throws Error where nobody does */
export async function appendAudit(tx: Queryable, entry: AuditEntry): Promise<void> {
  const { actor, origin, reason, approvalId } = whoActs()
  await useApprovalOf(tx)
  const { action, target, before, after } = entry
  const details = { ...withReason(entry.details, reason), ...(approvalId === undefined ? {} : { approvalId }) }
  const json = [details, before, after].map((facts) => (facts === undefined ? null : JSON.stringify(facts)))
  await tx.query(APPEND, [actor, origin, action, target, ...json])
}

/** What the request itself says of a reason goes before what came beside it. */
function withReason(details: Facts = {}, reason: string | undefined): Facts {
  return reason === undefined || (details.reason ?? null) !== null ? details : { ...details, reason }
}

/**
 * Runs `work` and appends the entry for its result in one transaction, so that neither exists without the other, with how
 * what it changes was before and is afterwards. What an approval lets through uses it up in that transaction, before
 * anything is changed.
 */
export async function audited<T>(
  db: Database,
  work: (tx: Queryable) => Promise<T>,
  entryOf: (result: T) => AuditEntry,
): Promise<T> {
  const { tx: within, look, isRehearsal = false } = whoActs()
  const inTransaction = async (tx: Queryable) => {
    const before = await look?.(tx, null)
    if (!isRehearsal) await useApprovalOf(tx)
    const result = await work(tx)
    const entry = entryOf(result)
    const after = await look?.(tx, entry.target)
    await appendAudit(tx, { ...(before && { before }), ...(after && { after }), ...entry })
    return result
  }
  return within === undefined ? await db.transaction(inTransaction) : await inTransaction(within)
}

type Wanted = { details?: Facts; target?: string | null }

/** The newest entry of these actions, with these details and, if it is given, this target; undefined when there is none. */
export async function readNewestOf(
  db: Queryable,
  actions: readonly string[],
  { details = {}, target = null }: Wanted,
): Promise<Pick<RecordedAuditEntry, 'auditId' | 'at' | 'actor' | 'action' | 'details' | 'before'> | undefined> {
  const [row] = await db.query<Pick<RecordedAuditEntry, 'auditId' | 'at' | 'actor' | 'action' | 'details' | 'before'>>(
    `select audit_id as "auditId", created_at as at, actor, action, details, before from audit_log
     where action = any ($1::text[]) and details @> $2::text::jsonb and ($3::text is null or target = $3)
     order by audit_id desc limit 1`,
    [actions, JSON.stringify(details), target],
  )
  return row
}

/** The number of that entry. */
export async function newestOf(
  db: Queryable,
  actions: readonly string[],
  wanted: Wanted = {},
): Promise<bigint | undefined> {
  return (await readNewestOf(db, actions, wanted))?.auditId
}

/** What the request that used an approval has left: the first of its entries, in words. It begins with the use, and lasts no day. */
export async function listLeftBy(
  db: Queryable,
  { approvalId, usedAt }: { approvalId: string; usedAt: Date | null },
): Promise<string[]> {
  const rows = await db.query<{ action: string; target: string | null }>(
    `select action, target from audit_log where created_at >= $2::timestamptz - interval '1 second' and created_at < $2::timestamptz + interval '1 day'
       and details ->> 'approvalId' = $1 order by audit_id limit 5`,
    [approvalId, usedAt],
  )
  return rows.map(({ action, target }) => `“${action}”${target === null ? '' : ` of ${target}`}`)
}

/** `target`: of a wallet also what was done to its customer, or on the chains, with it. */
export type AuditFilter = { actor?: string; target?: string; since?: Date }

const COLUMNS = 'audit_id, created_at, actor, origin, action, target, details, before, after'

/** The entries of one way of looking. */
const pageOf = (condition: string) => `select ${COLUMNS} from audit_log
     where ($1::bigint is null or audit_id < $1) and ($2::text is null or actor = $2)
       and ($4::timestamptz is null or created_at >= $4) and ${condition}
     order by audit_id desc limit $5::int`

const OF_TARGET = pageOf('($3::text is null or target = $3)')

/** By target and by detail, each by its index. */
const OF_WALLET = `select distinct on (audit_id) ${COLUMNS} from (
     (${pageOf('target = $3')}) union all (${pageOf(`details ->> 'walletAddress' = $3`)})) of_wallet
     order by audit_id desc limit $5::int`

/** At most `limit` entries, newest first, older than the entry `before` when given. */
export async function listAudit(
  db: Queryable,
  { actor, target, since }: AuditFilter,
  page: { before: bigint | null; limit: number },
): Promise<RecordedAuditEntry[]> {
  const walletAddress = parseAddress(target, 'optional')
  const rows = await db.query<Omit<RecordedAuditEntry, 'auditId' | 'at'> & { audit_id: bigint; created_at: Date }>(
    walletAddress === undefined ? OF_TARGET : OF_WALLET,
    [page.before, actor ?? null, walletAddress ?? target ?? null, since ?? null, page.limit],
  )
  return rows.map(({ audit_id: auditId, created_at: at, ...entry }) => ({ auditId, at, ...entry }))
}
