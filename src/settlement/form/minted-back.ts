/**
 * What a lost history has minted back under the tag of a redeem itself: that had failed, was executed after all, and made good (explain/make-good.ts).
 * A refund of that redeem takes the outcome, as it takes that of a lost refund of its own name, and mints nothing.
 */
import type { Queryable } from '../../db/database.ts'
import { isChainLost } from '../../db/lost-chains.sql.ts'
import { bookLostPart, findRedeemOf } from '../../payouts/lost-burn.sql.ts'
import { REFUNDS } from '../../values/house.ts'
import type { SettledTag } from '../tables/foreign.sql.ts'
import type { RedeemTag } from '../tables/redeem-tags.sql.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'

/**
 * Of everything settled, what has minted back under the tag of a redeem, or under that of another refund of it in a lost history, and is no order's outcome;
 * not what people have said to be none of either (pure).
 */
export function mintedBack(
  order: PendingOrder,
  redeem: RedeemTag | undefined,
  settled: readonly SettledTag[],
): SettledTag[] {
  return settled.filter(
    ({ tag, direction, succeeded, orderId, notOfOrderId }) =>
      redeem !== undefined &&
      (tag === redeem.tag || tag === redeem.lostTag) &&
      direction === 'MINT' &&
      succeeded &&
      orderId === null &&
      notOfOrderId !== order.orderId &&
      notOfOrderId !== redeem.orderId,
  )
}

/**
 * The order with the amount that it takes an instruction by: that of its redeem, where this has minted all of that back; or what a refund has minted in a
 * lost history, where another part of a sen had gone out with later payouts (pure).
 */
export function askedBy(
  order: PendingOrder,
  redeem: RedeemTag | undefined,
  { tag, amountMicro }: SettledTag,
): PendingOrder {
  if (redeem === undefined) return order
  if (tag === redeem.tag) return { ...order, amountMicro: redeem.amountMicro }
  const isWhole = amountMicro >= redeem.leastMicro && amountMicro <= redeem.amountMicro
  return isWhole ? { ...order, amountMicro } : order
}

/**
 * What a refund that takes an outcome was not to mint back, because it had gone out with a later payout, the integration of its redeem owes; and is owed what
 * was minted less, unless its chain is gone for good.
 */
export async function bookMoreMinted(tx: Queryable, order: PendingOrder, settled: SettledTag): Promise<void> {
  if (order.integrationId !== REFUNDS || settled.amountMicro === order.amountMicro) return
  // Of a lost chain the books say less only by what was burnt: it stays less than a sen too much.
  if (settled.amountMicro < order.amountMicro && (await isChainLost(tx, settled.chainId))) return
  const redeem = await findRedeemOf(tx, order)
  if (redeem === undefined) return
  const { batchId, amountMicro } = settled
  await bookLostPart(tx, { ...redeem, orderId: order.orderId, batchId, amountMicro }, order.amountMicro)
}

/**
 * What counts for an order that mints again what was lost, of all that has been tried under the tag: what moved coin; otherwise one that moved
 * none, and that no other try has been told of.
 */
export function amongTries(own: readonly SettledTag[], taken: ReadonlySet<SettledTag>): readonly SettledTag[] {
  const moved = own.filter(({ succeeded }) => succeeded)
  return moved.length > 0 ? moved : own.filter((each) => each.orderId === null && !taken.has(each)).slice(0, 1)
}
