/**
 * Making good what a completed order had moved and the chain has no more: its batch was given up (repair/replaced.ts), or the chain has refused it when it
 * executed its batch again (outcome.ts).
 * - A mint is minted again, by an order of the house.
 * - A redeem that was paid: the holder has coin and ringgit, so its integration owes the ringgit.
 * - A redeem whose refund is lost, too: nobody owes anything. Neither where it is not paid and nobody wants it any more.
 * - A transfer is only noted: its sender alone can make it again.
 * What the chain has executed of an order that had failed is made good likewise (executed-after-all.ts, done-by-others.ts).
 */
import type { Queryable } from '../../db/database.ts'
import { isChainLost } from '../../db/lost-chains.sql.ts'
import { insertRemint } from '../../orders/life/remint.sql.ts'
import type { Order } from '../../orders/order.ts'
import { bookLostBurn, bookLostPart, endUnpaid } from '../../payouts/lost-burn.sql.ts'
import { REFUNDS, REMINTS } from '../../values/house.ts'
import { orderTag } from '../../values/order-tag.ts'
import { NOT_CAUGHT_UP } from '../holds.ts'
import { lockChain } from '../tables/chains.sql.ts'
import type { DoneByOthers } from '../tables/ended-alike.sql.ts'
import { isUnfenced } from '../tables/fences.sql.ts'
import { readSettledTags } from '../tables/foreign.sql.ts'
import { isHeldOtherwise } from '../tables/holds.sql.ts'
import {
  closeLost,
  closeOnLost,
  findLostBatch,
  isRemintedAfterAll,
  type LostOrder,
  lockLost,
  lockLostWith,
  setRemint,
} from '../tables/lost.sql.ts'
import { isUnexplained } from '../tables/outcomes.sql.ts'
import { makeGoodDoneByOthers } from './done-by-others.ts'
import { isMinting, makeExecutedGood } from './executed-after-all.ts'
import type { MadeGood, NotMadeGood } from './made-good.ts'

/**
 * @param doneByOthers see `proveDoneByOthers`
 * @returns what was done; or why nothing: it is not lost, or has itself minted a lost one again, or was made good, or is about to be; others may
 *   have moved it in a batch that was not read yet; its bytes may be executed yet; or its ringgit is not paid; or the chain has done
 *   something with its batch of which nobody has said anything
 */
export async function makeGood(
  tx: Queryable,
  order: Order,
  doneByOthers: DoneByOthers | undefined,
): Promise<MadeGood | { refused: NotMadeGood }> {
  const lost = await lockToMakeGood(tx, order)
  // Also of one that was made good before, and whose batch was given up since: its bytes may have come back as what others did.
  if ('refused' in lost)
    return (isDone(lost.refused) ? await makeGoodDoneByOthers(tx, order, doneByOthers) : undefined) ?? lost
  if (lost.isExecuted) return await makeExecutedGood(tx, order, lost, remint)
  if (await isMadeEven(tx, order, lost)) return 'even'
  if (order.direction === 'MINT') return await remint(tx, order, lost)
  if (order.direction === 'REDEEM' && !(await bookLostBurn(tx, order))) return { refused: 'unpaid' }
  await closeLost(tx, order.orderId)
  return order.direction === 'REDEEM' ? 'booked' : 'noted'
}

const isDone = (refused: NotMadeGood) => refused === 'not_lost' || refused === 'is_good'

async function lockToMakeGood(
  tx: Queryable,
  order: Order,
  { isClosedToo = false } = {},
): Promise<LostOrder | { refused: NotMadeGood }> {
  // Foreign batches are kept under the same lock.
  await lockChain(tx, order.chainId)
  const lost = await lockLost(tx, order)
  if (lost === undefined) return { refused: 'not_lost' }
  if (order.integrationId === REMINTS && !lost.isExecuted) return { refused: 'is_remint' }
  if ((lost.isClosed && !isClosedToo) || lost.remintStatus === 'completed') return { refused: 'is_good' }
  if (lost.isUndone) return { refused: 'not_lost' }
  if (await isUnexplained(tx, order.orderId)) return { refused: 'unexplained' }
  // Nobody reads a chain that is gone for good, and nothing can be executed there.
  const isKnown = (await isChainLost(tx, order.chainId)) || (await isHeldOtherwise(tx, order.chainId, NOT_CAUGHT_UP))
  if (!isKnown) return { refused: 'unsure' }
  // What is lost may be executed yet.
  return (await isUnfenced(tx, order.orderId)) ? { refused: 'unfenced' } : lost
}

/** The lost batch of which the caller has asked the chain (`whyMaybeBurnt`), or could not, because that is gone for good. */
export type LostBurnBatch = { batchId: bigint | undefined; isOfLostChain: boolean }

/**
 * Ends a redeem whose burn is lost and that is not paid: its holder keeps the coin, nobody is paid, and it fails, unless it had completed. Also one that was
 * made good while it was paid, and whose payment came back since.
 */
export async function endRedeem(
  tx: Queryable,
  order: Order,
  { batchId, isOfLostChain }: LostBurnBatch,
): Promise<'ended' | { refused: NotMadeGood | 'burnt' | 'no_redeem' }> {
  if (order.direction !== 'REDEEM') return { refused: 'no_redeem' }
  const lost = await lockToMakeGood(tx, order, { isClosedToo: true })
  if ('refused' in lost) return lost
  if (lost.isExecuted) return { refused: lost.isClosed ? 'is_good' : 'no_redeem' }
  // Found since, its nodes are to be asked.
  if (isOfLostChain && !(await isChainLost(tx, order.chainId))) return { refused: 'unsure' }
  // Lost only since the chain was asked, or once more.
  if (batchId === undefined || (await findLostBatch(tx, order.orderId))?.batchId !== batchId)
    return { refused: 'unsure' }
  const settled = await readSettledTags(tx, [orderTag(order.integrationId, order.referenceId)])
  if (settled.some(({ succeeded }) => succeeded)) return { refused: 'burnt' }
  const done = await endUnpaid(tx, order, order, lost.isClosed)
  if (done === 'paid' && lost.isClosed) return { refused: 'is_good' }
  if (done !== 'ended') return { refused: done }
  await closeLost(tx, order.orderId)
  return 'ended'
}

/**
 * Closes a redeem together with its refund where the chain has lost both: the holder has the coin, once, and no ringgit.
 * @returns whether it was so
 */
async function isMadeEven(tx: Queryable, order: Order, lost: LostOrder): Promise<boolean> {
  const isRefund = order.integrationId === REFUNDS
  if (!isRefund && order.direction !== 'REDEEM') return false
  const other = await lockLostWith(tx, order)
  if (other === undefined) return false
  const refund = isRefund ? lost : await lockLost(tx, other)
  if (refund === undefined || isMinting(refund)) return false
  const [redeem, refunded] = isRefund ? [other, order] : [order, other]
  await bookLostPart(tx, redeem, refunded.amountMicro)
  await closeLost(tx, order.orderId)
  await closeLost(tx, other.orderId)
  return true
}

/** Mints it again, unless an earlier order that was to do so was executed after all: making that one good ends both. */
async function remint(
  tx: Queryable,
  order: Order,
  lost: LostOrder,
): Promise<MadeGood | { refused: 'under_way' | 'reminted' }> {
  if (isMinting(lost)) return { refused: 'under_way' }
  if (await isRemintedAfterAll(tx, order)) return { refused: 'reminted' }
  // Its coin stays owed, as all that is on a chain that is gone.
  if (await isChainLost(tx, order.chainId)) {
    await closeOnLost(tx, order.orderId)
    return 'noted'
  }
  const name = nextName(order, lost)
  await setRemint(tx, order.orderId, name)
  await insertRemint(tx, order.orderId, name)
  return { remint: name }
}

/** By the tag, which all of its tries have (values/order-tag.ts). One that failed is never tried again under its name. */
function nextName({ integrationId, referenceId }: Order, { remint }: LostOrder): string {
  const [name = '', number] = (remint ?? '').split('/')
  if (name === '') return orderTag(integrationId, referenceId)
  return `${name}/${Number(number ?? 1) + 1}`
}
