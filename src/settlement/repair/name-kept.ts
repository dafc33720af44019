/** What batches of others have moved is that of orders which were lost, or which had ended without it. */
import type { Queryable } from '../../db/database.ts'
import { findRefundsOf, tellBurntAgain } from '../../payouts/lost-burn.sql.ts'
import { type EndedOrder, type Kept, nameGivenUp, readEndedAlike } from '../tables/ended-alike.sql.ts'
import { insertTagConflict } from '../tables/foreign.sql.ts'
import { forgetFound } from '../tables/lost.sql.ts'
import type { Work } from '../work.ts'
import { tellAgain, tellEnded } from './tell-kept.ts'

export type Named = {
  alike: readonly EndedOrder[]
  again: { payoutIds: readonly string[]; refunds: readonly bigint[]; madeGood: readonly bigint[] }
}

/** Names them: once batches are kept, and of what one of them has done otherwise since. */
export async function nameKept(tx: Queryable, chainId: number, batches: Kept): Promise<Named> {
  await nameGivenUp(tx, chainId, batches)
  const { found, madeGood } = await forgetFound(tx, chainId, batches)
  const again = { payoutIds: await tellBurntAgain(tx, found), refunds: await findRefundsOf(tx, found), madeGood }
  const alike = await readEndedAlike(tx, chainId, batches)
  for (const { orderId, tag } of alike) await insertTagConflict(tx, chainId, orderId, tag)
  return { alike, again }
}

/** Says so. */
export function tellNamed(work: Work, { alike, again }: Named): void {
  tellEnded(work, alike)
  tellAgain(work, again)
}
