/** Which waiting orders go into the next batches: integrations take turns, and within one its oldest order comes first (pure). */
import { BUCKET, type BucketName, ofEachBucket } from '../../chain/instructions.ts'
import type { PendingOrder, PerBucket } from '../tables/waiting.sql.ts'
import { leadOf, type Turns } from './turns.ts'

export type Selection = {
  orders: PendingOrder[]
  /** Buckets without room for the next order that needs them. */
  blocked: ReadonlySet<BucketName>
}

/** What waits of one integration, oldest first, and how far it was looked through. */
type Waiting = {
  orders: readonly PendingOrder[]
  /** Its next order is the first from here on whose bucket is not closed. */
  at: number
  closed: Set<BucketName>
  /** How many of its orders are taken. */
  taken: number
  /** How many turns it is ahead of others, for each bucket. */
  lead: Record<BucketName, number>
}

/**
 * Takes orders in turn, one of an integration at a time, as far as the buckets have room. Whoever has had most turns at a
 * bucket lately comes last. An order for which a bucket has no room closes it: to younger orders of its own integration, and to
 * integrations that have been ahead of it, so that nobody overtakes it twice; the other buckets go on.
 * @param room what the on-chain buckets (contracts/src/settlement/TokenBucket.sol) can give now, in micro units
 */
export function selectOrders(
  pending: readonly PendingOrder[],
  room: PerBucket,
  maxCount: number,
  turns: Turns,
): Selection {
  const left = { ...room }
  const latestTurn = ofEachBucket(() => Infinity)
  const blocked = new Set<BucketName>()
  const orders: PendingOrder[] = []
  let waiting = waitingOf(pending, turns)
  while (orders.length < maxCount && waiting.length > 0) {
    const one = waiting.reduce((first, other) => (comesBefore(other, first) ? other : first))
    const order = one.orders[one.at] as PendingOrder
    const bucket = BUCKET[order.direction]
    if (one.lead[bucket] > latestTurn[bucket]) one.closed.add(bucket)
    else if (order.amountMicro > left[bucket]) {
      latestTurn[bucket] = one.lead[bucket]
      one.closed.add(bucket)
      blocked.add(bucket)
    } else {
      left[bucket] -= order.amountMicro
      one.lead[bucket] += 1
      one.taken += 1
      one.at += 1
      orders.push(order)
    }
    if (!goOn(one)) waiting = waiting.filter((other) => other !== one)
  }
  return { orders, blocked }
}

function waitingOf(pending: readonly PendingOrder[], turns: Turns): Waiting[] {
  return [...Map.groupBy(pending, ({ integrationId }) => integrationId)].map(([integrationId, orders]) => ({
    orders: orders.toSorted((a, b) => Number(a.orderId - b.orderId)),
    at: 0,
    closed: new Set(),
    taken: 0,
    lead: ofEachBucket((bucket) => leadOf(turns, bucket, integrationId)),
  }))
}

/** Moves on to the next order whose bucket is open. Returns false when there is none. */
function goOn(one: Waiting): boolean {
  const isClosed = ({ direction }: PendingOrder) => one.closed.has(BUCKET[direction])
  for (let next = one.orders[one.at]; next !== undefined && isClosed(next); next = one.orders[one.at]) one.at += 1
  return one.at < one.orders.length
}

/** Places in batches go round; in a round, who has had fewer turns at its bucket is first, then who has waited longest. */
function comesBefore(one: Waiting, other: Waiting): boolean {
  const [a, b] = [one.orders[one.at], other.orders[other.at]] as [PendingOrder, PendingOrder]
  const behind = one.taken - other.taken || one.lead[BUCKET[a.direction]] - other.lead[BUCKET[b.direction]]
  return behind === 0 ? a.orderId < b.orderId : behind < 0
}

/** Lists of at most `size` orders. A partly filled one behind a full one is left out, because it can still collect. */
export function splitIntoBatches(orders: readonly PendingOrder[], size: number): PendingOrder[][] {
  const full = Math.floor(orders.length / size)
  if (full === 0) return [[...orders]]
  return Array.from({ length: full }, (_, index) => orders.slice(index * size, (index + 1) * size))
}

/** Those that stay when some are left out: in whole batches again, or in one that is not. */
export function without(chosen: readonly PendingOrder[][], left: ReadonlySet<bigint>): PendingOrder[][] {
  if (left.size === 0) return [...chosen]
  const rest = chosen.flat().filter(({ orderId }) => !left.has(orderId))
  return rest.length === 0 ? [] : splitIntoBatches(rest, chosen[0]?.length ?? 1)
}
