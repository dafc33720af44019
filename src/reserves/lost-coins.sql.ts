/** Coin on chains that are gone for good: what was final there is owed to its holders, and no node can say how much it was. */
import type { Queryable } from '../db/database.ts'
import { readBalances } from '../ledger/balances.sql.ts'
import { IS_THERE } from './facts.sql.ts'

export type LostCoins = { chainId: number; coin: string; lostAt: Date; reason: string; coinsMicro: bigint }

/**
 * Of a chain `c`, beside the books, as in what the reserve has to cover (facts.sql.ts): what others made, and what is there of orders that are not made
 * good. What others burnt counts against what they made, and no further: no node shows it, and a settler's word alone would lower what is owed. What its
 * batches had done otherwise the second time, and nobody has explained, counts where that makes more.
 */
const UNBOOKED = `(greatest((select coalesce(sum(case direction when 'MINT' then amount_micro else -amount_micro end), 0) from foreign_instructions
        where chain_id = c.chain_id and succeeded and order_id is null and direction in ('MINT', 'REDEEM'))
      + (select coalesce(sum(amount_micro), 0) from foreign_movements where chain_id = c.chain_id and kind = 'supply'), 0)
      + (select coalesce(sum(o.amount_micro), 0) from lost_orders l join orders o on o.order_id = l.order_id
          where l.chain_id = c.chain_id and l.closed_at is null and ${IS_THERE})
      + (select coalesce(sum(o.amount_micro), 0) from batch_outcomes x join batches b on b.chain_id = x.chain_id and b.batch_id = x.batch_id
          cross join lateral unnest(b.order_ids) with ordinality as p (order_id, position)
            join orders o on o.order_id = p.order_id and o.batch_id = b.batch_id
          where x.chain_id = c.chain_id and x.explained_at is null and not exists (select from lost_orders n where n.order_id = o.order_id)
            and case o.direction when 'MINT' then o.status = 'failed' and p.position - 1 = any (x.executed)
              when 'REDEEM' then o.status in ('completed', 'failed') and p.position - 1 <> all (x.executed)
                and exists (select from payouts y where y.order_id = o.order_id) end))::text`

/** By the books, and what stands beside them. */
export async function readLostCoins(db: Queryable): Promise<LostCoins[]> {
  const rows = await db.query<Omit<LostCoins, 'coinsMicro'> & { unbooked: string }>(
    `select l.chain_id::int as "chainId", c.coin_address as coin, l.lost_at as "lostAt", l.reason, ${UNBOOKED} as unbooked
     from lost_chains l join chains c using (chain_id) order by 1`,
  )
  if (rows.length === 0) return []
  const booked = await bookedCoins(db)
  return rows.map(({ unbooked, ...lost }) => ({ ...lost, coinsMicro: BigInt(unbooked) + booked(lost.chainId) }))
}

/** What would be owed on a chain if it were lost. */
export async function readCoinsOn(db: Queryable, chainId: number): Promise<bigint> {
  const [row] = await db.query<{ unbooked: string }>(
    `select ${UNBOOKED} as unbooked from chains c where c.chain_id = $1`,
    [chainId],
  )
  return BigInt(row?.unbooked ?? 0) + (await bookedCoins(db))(chainId)
}

async function bookedCoins(db: Queryable): Promise<(chainId: number) => bigint> {
  const balances = await readBalances(db)
  return (chainId) =>
    -(balances.find(({ kind, owner }) => kind === 'coins' && owner === String(chainId))?.balanceMicro ?? 0n)
}
