/**
 * Where the search for orders that wait begins. Orders that have left leave entries in the index, which stay while any transaction
 * is older: read from the beginning each time, the search slows with every order. So it begins, in each queue, at the lowest that
 * waited, and from the very beginning now and then: confirmed mints, orders of abandoned batches and late commits have lower ids.
 */
import { type Marks, type PendingOrder, queueOf } from '../tables/queues.sql.ts'

export type Search = { marks: Marks; fullAtMs: number }

const BEGINNING: Marks = { from: new Map(), othersFrom: 0n }

export const FIRST_SEARCH: Search = { marks: BEGINNING, fullAtMs: Number.NEGATIVE_INFINITY }

/** How long an order with a lower id may wait to be found. */
const FULL_EVERY_MS = 1_000

/** Where to begin now. */
export function searchFrom({ marks, fullAtMs }: Search, nowMs: number): Marks {
  return nowMs - fullAtMs >= FULL_EVERY_MS ? BEGINNING : marks
}

/**
 * What the next search goes by.
 * @param startedFrom what `searchFrom` said
 * @param found in any sequence
 */
export function searchAfter(
  { marks, fullAtMs }: Search,
  startedFrom: Marks,
  found: readonly Pick<PendingOrder, 'orderId' | 'integrationId' | 'direction'>[],
  nowMs: number,
): Search {
  const lowest = new Map<string, bigint>()
  let overall: bigint | undefined
  for (const order of found) {
    const { orderId } = order
    const queue = queueOf(order)
    if (orderId < (lowest.get(queue) ?? orderId + 1n)) lowest.set(queue, orderId)
    if (overall === undefined || orderId < overall) overall = orderId
  }
  return {
    marks: { from: new Map([...marks.from, ...lowest]), othersFrom: overall ?? marks.othersFrom },
    fullAtMs: startedFrom === BEGINNING ? nowMs : fullAtMs,
  }
}
