/** SQL of the table `approvals`. */
import type { Queryable } from '../db/database.ts'
import type { Approval, ApprovalStatus } from './approval.ts'
import type { OperatorRole } from './roles.ts'

export type NewApproval = Pick<
  Approval,
  'approvalId' | 'command' | 'target' | 'method' | 'path' | 'body' | 'requestedBy' | 'requestedByName'
>

/** How long a request waits, and how long what was approved may be run. */
const HOURS = 24

const WAITING_LOCK = 7_261_071

type Row = Record<keyof typeof FIELDS, never>
const FIELDS = {
  approval_id: 'approvalId',
  command: 'command',
  target: 'target',
  method: 'method',
  path: 'path',
  body: 'body',
  requested_by: 'requestedBy',
  requested_by_name: 'requestedByName',
  requester_issuer: 'requesterIssuer',
  requester_person: 'requesterPerson',
  is_emergency: 'isEmergency',
  requester_left: 'hasRequesterLeft',
  created_at: 'createdAt',
  expires_at: 'expiresAt',
  is_expired: 'isExpired',
  status: 'status',
  decided_by: 'decidedBy',
  decided_by_name: 'decidedByName',
  decider_role: 'deciderRole',
  decided_at: 'decidedAt',
  reason: 'reason',
  withdrawn_by_name: 'withdrawnByName',
  used_at: 'usedAt',
  outcome: 'outcome',
} as const satisfies Record<string, keyof Approval>

const SELECT = `select a.approval_id, a.command, a.target, a.method, a.path, a.body, a.requested_by, a.requested_by_name,
  r.issuer as requester_issuer, coalesce(r.emergency_of, r.operator_id) as requester_person, coalesce(r.is_emergency, false) as is_emergency,
  coalesce(r.disabled_at is not null, false) as requester_left, case when o.disabled_at is null then o.role end as decider_role, a.created_at, a.expires_at, a.expires_at <= now() as is_expired, a.status, a.decided_by, o.name as decided_by_name,
  a.decided_at, a.reason, a.withdrawn_by_name, a.used_at, a.outcome from approvals a
  left join operators r on r.operator_id = a.requested_by left join operators o on o.operator_id = a.decided_by`

/** Stores a request, unless its requester has `most` waiting. @returns whether it was stored */
export async function insertApproval(tx: Queryable, approval: NewApproval, most: number): Promise<boolean> {
  const { approvalId, command, target, method, path, body, requestedBy, requestedByName } = approval
  const rows = await tx.query(
    `insert into approvals (approval_id, command, target, method, path, body, requested_by, requested_by_name, expires_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(hours => ${HOURS})
     where (select count(*) from approvals where requested_by = $7 and status = 'waiting' and expires_at > now()) < $9::int
     returning approval_id`,
    [approvalId, command, target, method, path, body, requestedBy, requestedByName, most],
  )
  return rows.length > 0
}

/** The requests of somebody that wait, for one command and target. Others of theirs wait until this transaction ends. */
export async function lockWaiting(
  tx: Queryable,
  { requestedBy, command, target }: Pick<NewApproval, 'requestedBy' | 'command' | 'target'>,
): Promise<{ approvalId: string; body: string }[]> {
  await tx.query(`select pg_advisory_xact_lock(${WAITING_LOCK}, hashtext($1))`, [requestedBy])
  return await tx.query<{ approvalId: string; body: string }>(
    `select approval_id as "approvalId", body from approvals
     where requested_by = $1 and status = 'waiting' and expires_at > now() and command = $2 and target = $3`,
    [requestedBy, command, target],
  )
}

/** An approval by its id. */
export async function findApproval(db: Queryable, approvalId: string): Promise<Approval | undefined> {
  const [row] = await db.query<Row>(`${SELECT} where a.approval_id = $1`, [approvalId])
  return row && fromRow(row)
}

/** A page, newest first, after the approval `after` when given. */
export async function listApprovals(
  db: Queryable,
  page: { status: ApprovalStatus | undefined; after: string | undefined; limit: number },
): Promise<Approval[]> {
  const rows = await db.query<Row>(
    `${SELECT} where ($1::text is null or a.status = $1) and ($2::text is null or (a.created_at, a.approval_id) <
       (select b.created_at, b.approval_id from approvals b where b.approval_id = $2))
     order by a.created_at desc, a.approval_id desc limit $3::int`,
    [page.status ?? null, page.after ?? null, page.limit],
  )
  return rows.map(fromRow)
}

/**
 * Decides about a request that waits, or finds that it is void; of two decisions at once one counts.
 * @returns false when it no longer waits, has expired, or is the decider's own
 */
export async function decideApproval(
  tx: Queryable,
  approvalId: string,
  decision: { status: 'approved' | 'rejected' | 'void'; decidedBy: string; reason: string | null },
): Promise<boolean> {
  const rows = await tx.query(
    `update approvals set status = $2, decided_by = $3, decided_at = now(), reason = $4,
       expires_at = now() + make_interval(hours => ${HOURS})
     where approval_id = $1 and status = 'waiting' and expires_at > now() and requested_by <> $3 returning approval_id`,
    [approvalId, decision.status, decision.decidedBy, decision.reason],
  )
  return rows.length > 0
}

/** Takes a request back, decided or not, as long as it was not run. */
export async function withdrawApproval(
  tx: Queryable,
  approvalId: string,
  { by, reason }: { by: string; reason: string },
): Promise<boolean> {
  const rows = await tx.query(
    `update approvals set status = 'withdrawn', withdrawn_by_name = $2, reason = $3
     where approval_id = $1 and status in ('waiting', 'approved') returning approval_id`,
    [approvalId, by, reason],
  )
  return rows.length > 0
}

/**
 * Uses an approval for one execution, once.
 * @returns `first` when this call used it, `again` when the same execution had, undefined when it cannot be used: it was
 * used by another, has expired, or who approved it was disabled since, or has none of `roles` any more
 */
export async function useApproval(
  tx: Queryable,
  approvalId: string,
  { execution, roles }: { execution: string; roles: readonly OperatorRole[] },
): Promise<'first' | 'again' | undefined> {
  const used = await tx.query(
    `update approvals set status = 'used', used_at = now(), execution = $2
     where approval_id = $1 and status = 'approved' and expires_at > now()
       and exists (select from operators o where o.operator_id = decided_by and o.disabled_at is null and o.role = any ($3::text[])) returning approval_id`,
    [approvalId, execution, roles],
  )
  if (used.length > 0) return 'first'
  const mine = await tx.query('select from approvals where approval_id = $1 and execution = $2', [
    approvalId,
    execution,
  ])
  return mine.length > 0 ? 'again' : undefined
}

/** Ends an approval that was not used: what it concerns has changed. */
export async function voidApproval(tx: Queryable, approvalId: string, reason: string): Promise<boolean> {
  const rows = await tx.query(
    `update approvals set status = 'void', reason = $2 where approval_id = $1 and status = 'approved' returning approval_id`,
    [approvalId, reason],
  )
  return rows.length > 0
}

/** Records how an execution ended. */
export async function endExecution(db: Queryable, execution: string, outcome: string): Promise<void> {
  await db.query('update approvals set outcome = $2 where execution = $1 and outcome is null', [execution, outcome])
}

function fromRow(row: Row): Approval {
  const named = Object.entries(FIELDS).map(([column, field]) => [field, row[column as keyof Row]])
  return Object.fromEntries(named) as Approval
}
