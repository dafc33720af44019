/** Which waiting orders go into the next batch (pure). */
import type { PendingOrder } from '../tables/waiting.sql.ts'

/** What the on-chain buckets (contracts/src/settlement/TokenBucket.sol) can give now, in micro units. */
export type BucketRoom = { mintMicro: bigint; debitMicro: bigint }

export type Selection = {
  orders: PendingOrder[]
  /** A bucket that had no room for the next order that needs it. */
  blocked: { mint: boolean; debit: boolean }
}

/**
 * Takes orders in the sequence in which they were accepted as far as the buckets have room. The first order that a bucket
 * has no room for stops everything behind it that needs the same bucket, so that large orders are never overtaken for ever;
 * the other bucket goes on.
 */
export function selectOrders(pending: readonly PendingOrder[], room: BucketRoom, maxCount: number): Selection {
  const left = { mint: room.mintMicro, debit: room.debitMicro }
  const blocked = { mint: false, debit: false }
  const orders: PendingOrder[] = []
  for (const order of pending) {
    if (orders.length === maxCount) break
    const bucket = order.direction === 'MINT' ? 'mint' : 'debit'
    if (blocked[bucket]) continue
    if (order.amountMicro > left[bucket]) {
      blocked[bucket] = true
      continue
    }
    left[bucket] -= order.amountMicro
    orders.push(order)
  }
  return { orders, blocked }
}

/** Lists of at most `size` orders. Behind a full one a part-filled one is left out: it can still collect. */
export function splitIntoBatches(orders: readonly PendingOrder[], size: number): PendingOrder[][] {
  const full = Math.floor(orders.length / size)
  if (full === 0) return [[...orders]]
  return Array.from({ length: full }, (_, index) => orders.slice(index * size, (index + 1) * size))
}
