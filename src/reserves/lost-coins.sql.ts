/** Coin on chains that are gone for good: what was final there is owed to its holders, and no node can say how much it was. */
import type { Queryable } from '../db/database.ts'
import { readBalances } from '../ledger/balances.sql.ts'
import { IS_THERE } from './facts.sql.ts'

export type LostCoins = { chainId: number; coin: string; lostAt: Date; reason: string; coinsMicro: bigint }

/**
 * Beside the books, as in what the reserve has to cover (facts.sql.ts): what others made, and what is there of orders that are not made good. What
 * others burnt counts against what they made, and no further: no node shows it, and a settler's word alone would lower what is owed. What its batches
 * had done otherwise the second time, and nobody has explained, counts where that makes more.
 */
const LOST = `select l.chain_id::int as "chainId", c.coin_address as coin, l.lost_at as "lostAt", l.reason,
    (greatest((select coalesce(sum(case direction when 'MINT' then amount_micro else -amount_micro end), 0) from foreign_instructions
        where chain_id = l.chain_id and succeeded and order_id is null and direction in ('MINT', 'REDEEM'))
      + (select coalesce(sum(amount_micro), 0) from foreign_movements where chain_id = l.chain_id and kind = 'supply'), 0)
      + (select coalesce(sum(o.amount_micro), 0) from lost_orders l join orders o on o.order_id = l.order_id
          where l.chain_id = c.chain_id and l.closed_at is null and ${IS_THERE})
      + (select coalesce(sum(o.amount_micro), 0) from batch_outcomes x join batches b on b.chain_id = x.chain_id and b.batch_id = x.batch_id
          cross join lateral unnest(b.order_ids) with ordinality as p (order_id, position) join orders o on o.order_id = p.order_id
          where x.chain_id = c.chain_id and x.explained_at is null and not exists (select from lost_orders n where n.order_id = o.order_id)
            and case o.direction when 'MINT' then o.status = 'failed' and p.position - 1 = any (x.executed)
              when 'REDEEM' then o.status in ('completed', 'failed') and p.position - 1 <> all (x.executed)
                and exists (select from payouts y where y.order_id = o.order_id) end))::text as unbooked
  from lost_chains l join chains c using (chain_id) order by 1`

/** By the books, and what stands beside them. */
export async function readLostCoins(db: Queryable): Promise<LostCoins[]> {
  const rows = await db.query<Omit<LostCoins, 'coinsMicro'> & { unbooked: string }>(LOST)
  if (rows.length === 0) return []
  const balances = await readBalances(db)
  return rows.map(({ unbooked, ...lost }) => {
    const booked = balances.find(({ kind, owner }) => kind === 'coins' && owner === String(lost.chainId))
    return { ...lost, coinsMicro: BigInt(unbooked) - (booked?.balanceMicro ?? 0n) }
  })
}
