/** Rejecting an order: only what can certainly never settle as it was signed here, and was certainly not settled by others. */
import type { Hex } from 'viem'
import type { Queryable } from '../../db/database.ts'
import { rejectOrder } from '../../orders/life/outcome.ts'
import type { Order } from '../../orders/order.ts'
import { failRefund } from '../../payouts/refund.sql.ts'
import { REFUNDS } from '../../values/house.ts'
import { orderTag } from '../../values/order-tag.ts'
import { askedBy } from '../form/minted-back.ts'
import { isSettledAs, judge } from '../form/settled-tags.ts'
import { NOT_CAUGHT_UP } from '../holds.ts'
import { lockChain } from '../tables/chains.sql.ts'
import { deleteTagConflict } from '../tables/explanations.sql.ts'
import { isFenced } from '../tables/fences.sql.ts'
import { readSettledTags, type SettledTag } from '../tables/foreign.sql.ts'
import { isHeldOtherwise } from '../tables/holds.sql.ts'
import { readRedeemTags, tagsOf } from '../tables/redeem-tags.sql.ts'

/** Reasons under which this chain, or another one, may have settled the order. */
const NOT_READ = [...NOT_CAUGHT_UP, 'other-chain-unread']

/**
 * Fails an order with an event, and gives back what it held.
 * @param otherChainIds those that are configured
 * @returns why not: it is in a batch or has ended; it was in one that was abandoned and may still be executed; a foreign batch has
 *   done what it asks for, or one may have that was not read yet, as after a restore; or one may do so that a lost history has signed
 */
export async function rejectUnsettled(
  tx: Queryable,
  order: Order,
  otherChainIds: readonly number[],
): Promise<'rejected' | 'signed' | 'abandoned' | 'settled' | 'unsure' | 'unfenced'> {
  // Foreign batches are kept under the same lock.
  await lockChain(tx, order.chainId)
  if (await isSettledByOthers(tx, order)) return 'settled'
  if (!(await isHeldOtherwise(tx, order.chainId, NOT_READ))) return 'unsure'
  const isOpen = order.status === 'pending' || order.status === 'processing'
  if (!(await isFenced(tx, order, otherChainIds))) return isOpen && order.batchId === null ? 'unfenced' : 'signed'
  if (!(await rejectOrder(tx, order.orderId))) return isAwaiting(order) ? 'abandoned' : 'signed'
  if (order.integrationId === REFUNDS) await failRefund(tx, order, 'an operator has rejected it')
  await deleteTagConflict(tx, order.orderId)
  return 'rejected'
}

/** Whether a foreign batch has done what the order asks for, so that its outcome is the order's. */
export async function isSettledByOthers(tx: Queryable, order: Order): Promise<boolean> {
  const tag = orderTag(order.integrationId, order.referenceId)
  if (order.integrationId === REFUNDS) return await takesOutcome(tx, order, tag)
  const settled = await readSettledTags(tx, [tag])
  const open = settled.filter((each) => each.orderId === null && each.notOfOrderId !== order.orderId)
  return open.some((each) => isSettledAs(order, each)) && !isMintedBack(order, open)
}

/** Of a refund also what was minted back under another tag, or but for a part of a sen: rejected, the next one would mint it once more. */
async function takesOutcome(tx: Queryable, order: Order, tag: Hex): Promise<boolean> {
  const redeemTags = await readRedeemTags(tx, [order])
  const settled = await readSettledTags(tx, [tag, ...tagsOf(redeemTags)])
  const isAsAsked = (each: SettledTag) =>
    isSettledAs({ ...order, ...askedBy(order, redeemTags.get(order.orderId), each) }, each)
  const own = settled.filter((each) => each.tag === tag && each.orderId === null && each.notOfOrderId !== order.orderId)
  if (own.some(isAsAsked)) return true
  return judge(order.chainId, [order], settled, redeemTags).some((verdict) => 'takes' in verdict)
}

/**
 * Whether the coin of a redeem was burnt, and as often minted back under its tag: its partner had been told that it failed, and the lost history has made
 * that true (make-good.ts). Its holder has the coin, and nobody is owed anything.
 */
function isMintedBack(order: Order, settled: readonly SettledTag[]): boolean {
  if (order.direction !== 'REDEEM') return false
  const moved = settled.filter(({ succeeded }) => succeeded)
  const burnt = moved.filter((each) => isSettledAs(order, each))
  const back = { ...order, direction: 'MINT', debitAddress: null } as const
  return (
    burnt.length > 0 &&
    moved.length === 2 * burnt.length &&
    moved.filter((each) => isSettledAs(back, each)).length === burnt.length
  )
}

/** Whether it was in a batch that was abandoned. */
function isAwaiting({ status, batchId }: Order): boolean {
  return status === 'processing' && batchId === null
}
