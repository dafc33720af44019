/** Names the orders of which batches of others have moved the coin: lost ones, which are there again by that, and such as had ended without it. */
import type { Queryable } from '../../db/database.ts'
import { findRefundsOf, tellBurntAgain } from '../../payouts/lost-burn.sql.ts'
import { holdMintedBack } from '../../payouts/refund.sql.ts'
import { REFUNDS } from '../../values/house.ts'
import { type EndedOrder, type Kept, nameGivenUp, readEndedAlike } from '../tables/ended-alike.sql.ts'
import { insertTagConflict } from '../tables/foreign.sql.ts'
import { forgetFound } from '../tables/lost.sql.ts'
import { findNewerOf } from '../tables/placed.sql.ts'
import type { Work } from '../work.ts'
import { holdFor, MINTED_AFTER_ALL } from './hold-minting.ts'
import { tellAgain, tellEnded } from './tell-kept.ts'

export type Named = {
  alike: readonly EndedOrder[]
  again: { payoutIds: readonly string[]; refunds: readonly bigint[]; madeGood: readonly bigint[] }
}

/**
 * Names them: once batches are kept, and of what one of them has done otherwise since. What is to be paid, or minted back once more, beside a refund that
 * had failed is held. Not what is to be minted again: it takes that outcome.
 */
export async function nameKept(tx: Queryable, chainId: number, batches: Kept): Promise<Named> {
  await nameGivenUp(tx, chainId, batches)
  const { found, madeGood } = await forgetFound(tx, chainId, batches)
  const again = { payoutIds: await tellBurntAgain(tx, found), refunds: await findRefundsOf(tx, found), madeGood }
  const alike = await readEndedAlike(tx, chainId, batches)
  for (const { orderId, tag } of alike) await insertTagConflict(tx, chainId, orderId, tag)
  const minted = alike.filter(({ integrationId }) => integrationId === REFUNDS).map(({ orderId }) => orderId)
  await holdMintedBack(tx, minted)
  await holdFor(tx, await findNewerOf(tx, minted), MINTED_AFTER_ALL)
  return { alike, again }
}

/** Says so. */
export function tellNamed(work: Work, { alike, again }: Named): void {
  tellEnded(work, alike)
  tellAgain(work, again)
}
