/** Chains that are gone for good, as operators have said: nobody asks their nodes any more. Whatever has a part in chains reads it here. */
import type { Queryable } from './database.ts'
import { DATABASE_TIMELINE } from './timeline.sql.ts'

export type LostChain = { chainId: number; lostAt: Date; lostBy: string; reason: string }

/** SQL: whether a chain, named by SQL, is lost. */
export const onLostChain = (chainId: string): string =>
  `exists (select from lost_chains l where l.chain_id = ${chainId})`

/** SQL: whether what a lost history has signed may be executed yet on a chain, whose row is `chain`; nothing is on one that is gone for good. */
export const isUnfencedChain = (chain: string): string =>
  `${chain}.fenced_on is distinct from (select ${DATABASE_TIMELINE}) and not ${onLostChain(`${chain}.chain_id`)}`

/** All of them, in their sequence. */
export async function readLostChains(db: Queryable): Promise<LostChain[]> {
  return await db.query<LostChain>(
    'select chain_id::float8 as "chainId", lost_at as "lostAt", lost_by as "lostBy", reason from lost_chains order by chain_id',
  )
}

export async function isChainLost(db: Queryable, chainId: number): Promise<boolean> {
  return (await db.query('select from lost_chains where chain_id = $1', [chainId])).length > 0
}
