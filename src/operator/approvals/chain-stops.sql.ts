/** What operators have stopped on chains, and nobody has let go on there, as the audit log has it. */
import type { Queryable } from '../../db/database.ts'

export type ChainStop = { chainId: number; at: Date; actor: string; reason: string | null; settlementOnly: boolean }

/** `action`, and `ended` by which it is over, where both have the details. */
type Wanted = {
  action: string
  ended: string
  details?: Record<string, string>
  chainId?: number | undefined
  limit: number
}

/**
 * The stops of one chain, or of all, that have not ended, newest first: each chain is stopped, and goes on, by itself. Letting settlement alone go on ends
 * only a stop of settlement alone, and no pause of the coin.
 */
export async function listChainStops(
  db: Queryable,
  { action, ended, details = {}, chainId, limit }: Wanted,
): Promise<ChainStop[]> {
  return await db.query<ChainStop>(
    `select c.chain_id::float8 as "chainId", p.created_at as at, p.actor, p.details ->> 'reason' as reason,
       p.details @> '{"settlementOnly": true}' as "settlementOnly"
     from chains c join audit_log p on p.target = c.chain_id::text
     where ($1::bigint is null or c.chain_id = $1) and p.action = $2 and p.details @> $4::text::jsonb and not exists (
       select from audit_log r where r.target = p.target and r.audit_id > p.audit_id and r.action = $3 and r.details @> $4::text::jsonb
         and (not r.details @> '{"settlementOnly": true}' or p.details @> '{"settlementOnly": true}'))
     order by p.audit_id desc limit $5`,
    [chainId ?? null, action, ended, JSON.stringify(details), limit],
  )
}
