/** Pauses of chains that nobody has ended, as the audit log has them. */
import type { Queryable } from '../../db/database.ts'

export type Pause = { chainId: number; at: Date; actor: string; reason: string | null; settlementOnly: boolean }

/**
 * Of one chain or of all, the newest first, at most `limit`: of several chains each may be paused by somebody else, and whoever lets settlement
 * alone go on has not ended a pause of the coin.
 */
export async function listPauses(
  db: Queryable,
  { chainId, limit }: { chainId: number | undefined; limit: number },
): Promise<Pause[]> {
  return await db.query<Pause>(
    `select c.chain_id::int as "chainId", p.created_at as at, p.actor, p.details ->> 'reason' as reason,
       p.details @> '{"settlementOnly": true}' as "settlementOnly"
     from chains c join audit_log p on p.target = c.chain_id::text
     where ($1::bigint is null or c.chain_id = $1) and p.action = 'chain.pause' and not exists (
       select from audit_log r where r.target = p.target and r.audit_id > p.audit_id and r.action = 'chain.resume'
         and (r.details @> '{"settlementOnly": false}' or p.details @> '{"settlementOnly": true}'))
     order by p.audit_id desc limit $2`,
    [chainId ?? null, limit],
  )
}
