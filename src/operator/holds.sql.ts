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
 * What people have said by `hold` of an order or a payout, and what has let it go, each newest first; of the newest 200 entries. `endedBy`: the newest decision
 * that ended a hold, 0 without one. By the numbers of entries and not by their times: whoever began first may be second at the row, and clocks are set back.
 */
export async function readHoldsSaid(
  db: Queryable,
  what: 'order' | 'payout',
  target: string,
): Promise<{ said: SaidHold[]; releases: SaidHold[]; endedBy: bigint }> {
  const rows = await db.query<SaidHold & { action: string }>(
    `select audit_id as "auditId", action, actor, created_at as at, coalesce(details ->> 'reason', '') as reason,
       nullif(before ->> 'holdReason', 'by_operator') as "insteadOf" from audit_log
     where target = $1 and action = any ($2::text[]) order by audit_id desc limit ${MOST_READ}`,
    [target, [`${what}.hold`, ...ENDS_HOLD[what]]],
  )
  const of = (verb: string) => rows.filter(({ action }) => action === `${what}.${verb}`)
  const endedBy = rows.find(({ action }) => action !== `${what}.hold`)?.auditId ?? 0n
  return { said: of('hold'), releases: of('release'), endedBy }
}
