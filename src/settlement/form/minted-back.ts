/**
 * What a lost history has minted back under the tag of a redeem itself: that had failed, was executed after all, and made good (explain/make-good.ts).
 * A refund of that redeem takes the outcome, as it takes that of a lost refund of its own name, and mints nothing.
 */
import type { Hex } from 'viem'
import type { SettledTag } from '../tables/foreign.sql.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'

/** Of everything settled, what has minted back under the tag of a redeem, and is no order's outcome (pure). */
export function mintedBack(
  order: PendingOrder,
  redeemTag: Hex | undefined,
  settled: readonly SettledTag[],
): SettledTag[] {
  return settled.filter(
    ({ tag, direction, succeeded, orderId, notOfOrderId }) =>
      tag === redeemTag && direction === 'MINT' && succeeded && orderId === null && notOfOrderId !== order.orderId,
  )
}

/**
 * What counts for an order that mints again what was lost, of all that has been tried under the tag: what moved coin; otherwise one that moved
 * none, and that no other try has been told of.
 */
export function amongTries(own: readonly SettledTag[], taken: ReadonlySet<SettledTag>): readonly SettledTag[] {
  const moved = own.filter(({ succeeded }) => succeeded)
  return moved.length > 0 ? moved : own.filter((each) => each.orderId === null && !taken.has(each)).slice(0, 1)
}
