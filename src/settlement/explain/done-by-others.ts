/**
 * Orders that had ended without moving anything, and that a batch which is not ours has carried out nevertheless. So it may be on a chain that was called
 * lost and is found: it has executed bytes of ours, and what was given up here is read as what others did. No order has taken that outcome, and the
 * partners were told that no value moved.
 */
import type { AskedChain } from '../../chain/chain.ts'
import { createWitness } from '../../chain/witness.ts'
import type { Queryable } from '../../db/database.ts'
import { isChainLost } from '../../db/lost-chains.sql.ts'
import type { Order } from '../../orders/order.ts'
import { readBatch } from '../../payouts/burns.sql.ts'
import { bookByOthers } from '../../payouts/executed.sql.ts'
import { REFUNDS } from '../../values/house.ts'
import { orderTag } from '../../values/order-tag.ts'
import { hasSucceeded } from '../../values/success-bitmap.ts'
import { isSettledAs } from '../form/settled-tags.ts'
import { type DoneByOthers, findDoneByOthers, readMadeGoodIn } from '../tables/ended-alike.sql.ts'
import { deleteTagConflict, markOf } from '../tables/explanations.sql.ts'
import { readSettledTags } from '../tables/foreign.sql.ts'
import { unnameOrder } from '../tables/plan.sql.ts'
import { keepRefunded } from './executed-after-all.ts'

/**
 * Where others have carried it out, as the nodes themselves say in a final block. The database is not believed: whoever has a settler's login could write
 * that they have.
 * @throws ChainError when too few nodes answer, or agree
 */
export async function proveDoneByOthers(
  db: Queryable,
  { config, nodes }: AskedChain,
  order: Pick<Order, 'orderId' | 'chainId'>,
): Promise<DoneByOthers | undefined> {
  const { chainId } = config
  if (await isChainLost(db, chainId)) return undefined
  const place = await findDoneByOthers(db, order.orderId)
  const batch = place && (await readBatch(db, chainId, place.batchId))
  if (place === undefined || batch === undefined) return undefined
  const [said] = await createWitness(config, nodes)([batch])
  return said?.result === 'executed' && hasSucceeded(said.successBitmap, place.index) ? place : undefined
}

/**
 * Makes good what others have carried out of an order. Nothing is minted by this:
 * - A refund: the payout that it was to mint back ends as minted back.
 * - Another mint: its integration owes the ringgit.
 * - A redeem: its integration is owed the ringgit, as what was paid for a mint that failed.
 * - A transfer is only noted.
 * @param tx has locked the chain
 * @param proven what the nodes have said of it (`proveDoneByOthers`); while its chain is gone for good they say nothing, and nobody is owed anything by that
 * @returns undefined where nothing has carried it out
 */
export async function makeGoodDoneByOthers(
  tx: Queryable,
  order: Order,
  proven: DoneByOthers | undefined,
): Promise<'booked' | 'noted' | Awaited<ReturnType<typeof keepRefunded>> | { refused: 'unproven' } | undefined> {
  const { orderId, chainId, integrationId, direction } = order
  const place = await findDoneByOthers(tx, orderId)
  if (place === undefined) return undefined
  const isProven = proven?.batchId === place.batchId && proven.index === place.index
  if (!isProven && (direction === 'REDEEM' || !(await isChainLost(tx, chainId)))) return { refused: 'unproven' }
  // It may have been told of one that moved nothing.
  await unnameOrder(tx, orderId)
  // First, or the payout would count as one whose coin is being minted back.
  await markOf(tx, chainId, place, orderId)
  if (!(await isMoreDone(tx, order))) await deleteTagConflict(tx, orderId)
  const done = { ...order, batchId: place.batchId }
  const book = async () => {
    const inBatch = await readMadeGoodIn(tx, chainId, [place.batchId])
    await bookByOthers(
      tx,
      chainId,
      inBatch.filter((each) => each.orderId === orderId),
    )
  }
  if (integrationId === REFUNDS) return await keepRefunded(tx, done, book)
  if (direction === 'TRANSFER') return 'noted'
  await book()
  return 'booked'
}

/** What else has moved coin for it waits for people. */
async function isMoreDone(tx: Queryable, order: Order): Promise<boolean> {
  const settled = await readSettledTags(tx, [orderTag(order.integrationId, order.referenceId)])
  return settled.some(
    (each) =>
      each.succeeded && each.orderId === null && each.notOfOrderId !== order.orderId && isSettledAs(order, each),
  )
}
