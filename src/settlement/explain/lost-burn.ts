/** Asks the nodes themselves whether a burn that was given up is gone for good, before its redeem ends without it. */
import type { AskedChain } from '../../chain/chain.ts'
import { readPast } from '../../chain/past.ts'
import type { Queryable } from '../../db/database.ts'
import { hasSucceeded } from '../../values/success-bitmap.ts'
import { readRunningHash } from '../tables/batches.sql.ts'
import { findOutcome } from '../tables/outcomes.sql.ts'
import { readPlaced } from '../tables/placed.sql.ts'
import { readPlan } from '../tables/plan.sql.ts'

/**
 * Why a burn of a batch that was given up may be on the chain, or come there. `unread`: the chain has batches that the database does not know ·
 * `unlike_chain`: it has others than the database · `may_be_burnt`: nothing has the id of the batch yet, or not for good ·
 * `burnt`: it has executed that batch once more, with the burn.
 */
export type MayBeBurnt = 'unread' | 'unlike_chain' | 'may_be_burnt' | 'burnt'

/**
 * The running hash vouches for every batch that the chain has executed, so that they are the database's, which has given that one up; and what is
 * final under its id keeps it out for ever.
 * @throws ChainError when too few nodes answer, or agree
 */
export async function whyMaybeBurnt(
  db: Queryable,
  { config, nodes }: AskedChain,
  { batchId, orderId }: { batchId: bigint; orderId: bigint },
): Promise<MayBeBurnt | undefined> {
  const { chainId } = config
  const past = await readPast(config, nodes)
  if (past.lastBatchId >= (await readPlan(db, chainId)).nextBatchId) return 'unread'
  if ((await readRunningHash(db, chainId, past.lastBatchId)) !== past.runningHash) return 'unlike_chain'
  const outcome = await past.outcomeOf(batchId)
  if (outcome?.final !== true) return 'may_be_burnt'
  // One that was executed again, and has refused the burn, is the database's as before.
  if ((await findOutcome(db, chainId, batchId)) === undefined) return undefined
  const place = (await readPlaced(db, chainId, batchId)).find((each) => each.orderId === orderId)
  return place !== undefined && hasSucceeded(outcome.successBitmap, place.index) ? 'burnt' : undefined
}
