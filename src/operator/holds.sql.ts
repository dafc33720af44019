/** What the audit log has of holds: the row of an order, or a payout, has only one reason. */
import type { Queryable } from '../db/database.ts'
import { DECISIONS } from './approvals/decided.ts'

/** `insteadOf`: for which rule a payout was held then, which that replaced. */
export type SaidHold = { auditId: bigint; actor: string; at: Date; reason: string; insteadOf: string | null }

/** More than people put on one thing. */
const MOST_READ = 200
/** So many reasons one thing can be held for, as far as they are read: those of people, and two of others. */
export const MOST_HOLDS = MOST_READ + 2

/**
 * Those after which nobody's earlier hold is left: none of them is made of what stays held. Whoever says of a payment that its bank has not made it has not
 * read what it was held for before its bank took it; and coin that was to be minted back may not be, after which the payout is what it was before.
 */
const LEAVES_HOLD: ReadonlySet<string> = new Set(['hold', 'mark-unpaid', 'refund'].map((verb) => `payout.${verb}`))
const ENDS_HOLD = { order: ['order.release'], payout: DECISIONS.payout.filter((action) => !LEAVES_HOLD.has(action)) }

/**
 * What people have said by `hold` of an order or a payout, and what has let it go, each newest first; of the newest 200. Whoever has said the same again and
 * again since the newest decision has said it once, since when they did so first: a script would otherwise have what others hold it for forgotten. `endedBy`:
 * the newest decision that ended a hold, 0 without one. By the numbers of entries and not by their times: whoever began first may be second at the row, and
 * clocks are set back.
 */
export async function readHoldsSaid(
  db: Queryable,
  what: 'order' | 'payout',
  target: string,
): Promise<{ said: SaidHold[]; releases: SaidHold[]; endedBy: bigint }> {
  const hold = `${what}.hold`
  const rows = await db.query<SaidHold & { action: string; endedBy: bigint }>(
    `with entries as materialized (
       select audit_id, action, actor, created_at, coalesce(details ->> 'reason', '') as reason, nullif(before ->> 'holdReason', 'by_operator') as "insteadOf"
       from audit_log where target = $1 and action = any ($2::text[])),
     ended as (select coalesce(max(audit_id) filter (where action <> $3), 0) as id from entries)
     select max(audit_id) as "auditId", action, actor, min(created_at) as at, reason, "insteadOf", id as "endedBy" from entries cross join ended
     group by action, actor, reason, "insteadOf", id, audit_id > id order by max(audit_id) desc limit ${MOST_READ}`,
    [target, [hold, ...ENDS_HOLD[what]], hold],
  )
  const of = (action: string) => rows.filter((row) => row.action === action)
  return { said: of(hold), releases: of(`${what}.release`), endedBy: rows[0]?.endedBy ?? 0n }
}
