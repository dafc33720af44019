/** Coin on chains that are gone for good: what was final there is owed to its holders, and no node can say how much it was. */
import type { Queryable } from '../db/database.ts'
import { readBalances } from '../ledger/balances.sql.ts'
import { madeByOthers, ofLostOrders, unexplained } from './beside-books.sql.ts'

export type LostCoins = { chainId: number; coin: string; lostAt: Date; reason: string; coinsMicro: bigint }

/** Of a chain `c`, beside the books, as in what the reserve has to cover (facts.sql.ts). */
const UNBOOKED = `(${madeByOthers('where i.chain_id = c.chain_id', 'where m.chain_id = c.chain_id')}
    + ${ofLostOrders('l.chain_id = c.chain_id and l.closed_at is null')} + ${unexplained('x.chain_id = c.chain_id')})::text`

/** By the books, and what stands beside them. */
export async function readLostCoins(db: Queryable): Promise<LostCoins[]> {
  const rows = await db.query<Omit<LostCoins, 'coinsMicro'> & { unbooked: string }>(
    `select l.chain_id::float8 as "chainId", c.coin_address as coin, l.lost_at as "lostAt", l.reason, ${UNBOOKED} as unbooked
     from lost_chains l join chains c using (chain_id) order by 1`,
  )
  if (rows.length === 0) return []
  const booked = await bookedCoins(db)
  return rows.map(({ unbooked, ...lost }) => ({
    ...lost,
    coinsMicro: atLeastNone(BigInt(unbooked) + booked(lost.chainId)),
  }))
}

/** Less than none was written past the service: nobody could sign it, and it would keep the coin of all chains from being proven. */
const atLeastNone = (coinsMicro: bigint): bigint => (coinsMicro > 0n ? coinsMicro : 0n)

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
