/** Calling a chain lost, and found again. What that means for what is there, a settler sees to (end-lost.ts). */
import type { Queryable } from '../../db/database.ts'
import { isChainLost } from '../../db/lost-chains.sql.ts'
import { lockChain } from '../tables/chains.sql.ts'
import { reopenOnFound } from '../tables/lost.sql.ts'
import { deleteLostChain, findLastSeen, insertLostChain, type LastSeen } from '../tables/lost-chains.sql.ts'
import { unexplainLost } from '../tables/outcomes.sql.ts'

export type NotLost = { refused: 'unknown' | 'lost_already' } | { refused: 'seen'; lastSeen: LastSeen }

/** @returns why not: no settler has ever worked with it, it is lost, or one has seen a block within the last day */
export async function loseChain(
  tx: Queryable,
  lost: { chainId: number; reason: string; lostBy: string },
): Promise<LastSeen | NotLost> {
  const { chainId } = lost
  // Whoever signs, or records what it sees, has it locked.
  await lockChain(tx, chainId)
  const lastSeen = await findLastSeen(tx, chainId)
  if (lastSeen === undefined) return { refused: 'unknown' }
  if (await isChainLost(tx, chainId)) return { refused: 'lost_already' }
  if (!lastSeen.isLongAgo) return { refused: 'seen', lastSeen }
  return (await insertLostChain(tx, lost)) ? lastSeen : { refused: 'lost_already' }
}

/** @returns whether it was lost */
export async function findChainAgain(tx: Queryable, chainId: number): Promise<boolean> {
  await lockChain(tx, chainId)
  if (!(await isChainLost(tx, chainId))) return false
  await reopenOnFound(tx, chainId)
  await unexplainLost(tx, chainId)
  return await deleteLostChain(tx, chainId)
}
