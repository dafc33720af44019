/**
 * Where the search for orders that wait begins. Orders that have left leave entries in the index, which stay while any transaction
 * is older: read from the beginning each time, the search slows with every order. So it begins at the lowest that waited, and from
 * the very beginning now and then: confirmed mints, orders of abandoned batches and late commits have lower ids.
 */

/** `fromOrderId`: the oldest order that was found the last time. */
export type Search = { fromOrderId: bigint; fullAtMs: number }

export const FIRST_SEARCH: Search = { fromOrderId: 0n, fullAtMs: Number.NEGATIVE_INFINITY }

/** How long an order with a lower id may wait to be found. */
const FULL_EVERY_MS = 1_000

/** The lowest id to look for now; 0 for a search from the beginning. */
export function searchFrom({ fromOrderId, fullAtMs }: Search, nowMs: number): bigint {
  return nowMs - fullAtMs >= FULL_EVERY_MS ? 0n : fromOrderId
}

/**
 * What the next search goes by.
 * @param startedFrom what `searchFrom` said
 * @param oldest the lowest id that was found; undefined when nothing waits
 */
export function searchAfter(search: Search, startedFrom: bigint, oldest: bigint | undefined, nowMs: number): Search {
  return {
    fromOrderId: oldest ?? search.fromOrderId,
    fullAtMs: startedFrom === 0n ? nowMs : search.fullAtMs,
  }
}
