/** What the audit log has of holds: the row of an order, or a payout, has only one reason. */
import type { Queryable } from '../db/database.ts'

/** `insteadOf`: for which rule a payout was held then, which that replaced. */
export type SaidHold = { auditId: bigint; actor: string; at: Date; reason: string; insteadOf: string | null }

/** More than people put on one thing. */
const MOST_READ = 200

/** What people have said by `hold` and `release` of an order or a payout, each newest first; the newest 200 entries. */
export async function readHoldsSaid(
  db: Queryable,
  what: 'order' | 'payout',
  target: string,
): Promise<{ said: SaidHold[]; releases: SaidHold[] }> {
  const rows = await db.query<SaidHold & { action: string }>(
    `select audit_id as "auditId", action, actor, created_at as at, coalesce(details ->> 'reason', '') as reason,
       nullif(before ->> 'holdReason', 'by_operator') as "insteadOf" from audit_log
     where target = $1 and action in ($2::text || '.hold', $2 || '.release') order by audit_id desc limit ${MOST_READ}`,
    [target, what],
  )
  const of = (verb: string) => rows.filter(({ action }) => action === `${what}.${verb}`)
  return { said: of('hold'), releases: of('release') }
}

/** What people have held a payout for that nobody has decided about since, oldest first: let go, paid again, or otherwise. @param decisions of which the first is a hold */
export async function readUndecidedHolds(
  db: Queryable,
  payoutId: string,
  [hold, ...decisions]: readonly string[],
): Promise<Pick<SaidHold, 'actor' | 'at' | 'reason'>[]> {
  return await db.query<Pick<SaidHold, 'actor' | 'at' | 'reason'>>(
    `select actor, created_at as at, coalesce(details ->> 'reason', '') as reason from audit_log
     where target = $1 and action = $2 and audit_id > coalesce((select max(audit_id) from audit_log where target = $1 and action = any ($3::text[])), 0)
     order by audit_id limit ${MOST_READ}`,
    [payoutId, hold ?? '', decisions],
  )
}
