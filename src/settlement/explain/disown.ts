/** What follows when an operator says that instructions are not those of an order in conflict with them (pure). */
import { REFUNDS } from '../../values/house.ts'
import { isSettledAs } from '../form/settled-tags.ts'
import type { SettledTag } from '../tables/foreign.sql.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'

export type ConflictingOrder = PendingOrder & {
  chainId: number
  /**
   * Whether this database has signed the order before. Only then somebody else may have seen its tag and used it for
   * something else.
   */
  wasSigned: boolean
  /** It failed or was cancelled before a foreign batch moved coin for it: it stays so whatever is said. */
  hasEnded: boolean
}

export type Disowned =
  | {
      /**
       * The order settles anew; or takes the outcome of the one instruction that is left; or waits for a word about the
       * others; or stays ended.
       */
      next: 'settles' | 'takes_outcome' | 'waits' | 'stays_ended'
      chosen: SettledTag[]
    }
  | { refused: 'none_chosen' | 'would_settle_twice' | 'minted_back' }

/**
 * Whether chosen instructions may be said not to be the order's. One that moved coin may be only in two cases:
 * - Another one that moved coin, equal to the order in everything, is left for the order to take.
 * - This service has signed the order before, with other details than the instruction has: then somebody else has made that. An order that was
 *   never signed here has a tag that nobody could have seen, so what was settled under it is its own, whatever the details.
 * Nothing can be said of an instruction whose outcome the order has taken.
 * @param settled every instruction with the order's tag
 */
export function disown(
  order: ConflictingOrder,
  settled: readonly SettledTag[],
  isChosen: (instruction: SettledTag) => boolean,
): Disowned {
  const open = settled.filter(({ orderId, notOfOrderId }) => ![orderId, notOfOrderId].includes(order.orderId))
  const chosen = open.filter(isChosen)
  if (chosen.length === 0) return { refused: 'none_chosen' }
  const left = open.filter((each) => !chosen.includes(each))
  const isLike = (each: SettledTag) => each.succeeded && each.orderId === null && isSettledAs(order, each)
  if (order.hasEnded && order.integrationId === REFUNDS && chosen.some(isLike)) return { refused: 'minted_back' }
  if (order.hasEnded) return { next: left.some(isLike) ? 'waits' : 'stays_ended', chosen }
  const canTake = (each: SettledTag) => each.orderId === null && isSettledAs(order, each)
  const moved = chosen.filter((each) => each.succeeded && each.orderId === null)
  const isItsOwn = moved.some((each) => !order.wasSigned || isSettledAs(order, each))
  if (isItsOwn && !left.some((each) => each.succeeded && canTake(each))) return { refused: 'would_settle_twice' }
  if (left.length === 0) return { next: 'settles', chosen }
  const [only] = left
  return { next: left.length === 1 && only !== undefined && canTake(only) ? 'takes_outcome' : 'waits', chosen }
}

/**
 * Lets go an order of which somebody has written, past the service, that it waits because of a tag that is not its own: whatever has that tag says nothing
 * of the order. What has the order's own tag is compared when the order is chosen for a batch.
 * @param chosen which instructions with the other tag were chosen
 */
export function letGo({ hasEnded }: ConflictingOrder, chosen: readonly SettledTag[]): Disowned {
  if (chosen.length === 0) return { refused: 'none_chosen' }
  return { next: hasEnded ? 'stays_ended' : 'settles', chosen: [] }
}
