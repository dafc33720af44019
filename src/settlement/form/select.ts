/** Which waiting orders go into the next batch (pure). */
import { BUCKET, type BucketName } from '../../chain/instructions.ts'
import type { PendingOrder, PerBucket } from '../tables/waiting.sql.ts'

export type Selection = {
  orders: PendingOrder[]
  /** Buckets without room for the next order that needs them. */
  blocked: ReadonlySet<BucketName>
}

/**
 * Takes orders in the order of their acceptance, as far as the buckets have room. The first order for which a bucket
 * has no room stops everything behind it that needs the same bucket, so that large orders are not overtaken for ever;
 * the other buckets go on.
 * @param room what the on-chain buckets (contracts/src/settlement/TokenBucket.sol) can give now, in micro units
 */
export function selectOrders(pending: readonly PendingOrder[], room: PerBucket, maxCount: number): Selection {
  const left = { ...room }
  const blocked = new Set<BucketName>()
  const orders: PendingOrder[] = []
  for (const order of pending) {
    if (orders.length === maxCount) break
    const bucket = BUCKET[order.direction]
    if (blocked.has(bucket)) continue
    if (order.amountMicro > left[bucket]) {
      blocked.add(bucket)
      continue
    }
    left[bucket] -= order.amountMicro
    orders.push(order)
  }
  return { orders, blocked }
}

/** Lists of at most `size` orders. A partly filled one behind a full one is left out, because it can still collect. */
export function splitIntoBatches(orders: readonly PendingOrder[], size: number): PendingOrder[][] {
  const full = Math.floor(orders.length / size)
  if (full === 0) return [[...orders]]
  return Array.from({ length: full }, (_, index) => orders.slice(index * size, (index + 1) * size))
}
