/** Coin on chains that this process does not know: nobody could say how much of it there is. */
import type { Queryable } from '../db/database.ts'
import { readBalances } from '../ledger/balances.sql.ts'

/** Micro coin that the books have on a chain. */
export type ChainCoins = { chainId: number; coinsMicro: bigint }

/** The chains on which the books have coin, or less than none, but for those of the chains file. */
export async function readCoinsElsewhere(
  db: Queryable,
  configured: readonly { config: { chainId: number } }[],
): Promise<ChainCoins[]> {
  const known = new Set(configured.map(({ config }) => config.chainId))
  const balances = await readBalances(db)
  return balances
    .filter(({ kind, balanceMicro }) => kind === 'coins' && balanceMicro !== 0n)
    .map(({ owner, balanceMicro }) => ({ chainId: Number(owner), coinsMicro: -balanceMicro }))
    .filter(({ chainId }) => !known.has(chainId))
}
