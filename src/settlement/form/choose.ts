/** Which waiting orders go when the reserve may cover fewer mints than the chain has room for (pure). */
import type { BucketName } from '../../chain/instructions.ts'
import { isOfHouse } from '../../values/house.ts'
import type { PendingOrder, PerBucket } from '../tables/waiting.sql.ts'
import { type Selection, selectOrders } from './select.ts'
import type { Turns } from './turns.ts'

type Limits = {
  /** What the on-chain buckets can give now, in micro units. */
  inBuckets: PerBucket
  /** The same, mints only as far as the reserve reaches. */
  room: PerBucket
  maxCount: number
  turns: Turns
  shortOfReserve: boolean
}

/** `waitsFor`: what to name when no order could be chosen although some wait. */
export type Choice = Selection & { waitsFor: BucketName | 'reserve' }

/**
 * Chooses among waiting orders. What is minted back, or again, needs no reserve: while that is short it goes first, and nothing else takes the
 * room that one of it still waits for.
 */
export function chooseOrders(pending: readonly PendingOrder[], limits: Limits): Choice {
  const { inBuckets, room, maxCount, turns, shortOfReserve } = limits
  if (!shortOfReserve) {
    const { orders, blocked } = selectOrders(pending, room, maxCount, turns)
    return { orders, blocked, waitsFor: firstOf(blocked) }
  }
  const back = selectOrders(pending.filter(isOfHouse), inBuckets, maxCount, turns)
  const mintedBack = back.orders.reduce((total, { amountMicro }) => total + amountMicro, 0n)
  const left = back.blocked.has('mint') ? 0n : inBuckets.mint - mintedBack
  const others = pending.filter((order) => !isOfHouse(order))
  const within = { ...room, mint: room.mint < left ? room.mint : left }
  const covered = selectOrders(others, within, maxCount - back.orders.length, turns)
  const blocked = new Set([...back.blocked, ...covered.blocked])
  const waitsForReserve = firstOf(blocked) === 'mint' && covered.blocked.has('mint') && !back.blocked.has('mint')
  return {
    orders: [...back.orders, ...covered.orders],
    blocked,
    waitsFor: waitsForReserve ? 'reserve' : firstOf(blocked),
  }
}

function firstOf(blocked: ReadonlySet<BucketName>): BucketName {
  const [first = 'mint'] = blocked
  return first
}
