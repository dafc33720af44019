/** Reads events, page after page. */
import type { EventPage, EventQuery, OrderEvent } from './generated/api.ts'
import { LARGEST_PAGE } from './list-all.ts'

export type EventType = OrderEvent['type']

/** Which events to read; nothing: all of them, from the oldest. */
export type EventFilters = Omit<EventQuery, 'types'> & {
  /** Only these types; at least one. */
  types?: readonly EventType[] | undefined
}

/**
 * The filters as the API takes them.
 * @throws TypeError for an empty list of types, which would ask for no event at all
 */
export function eventQueryOf({ types, ...rest }: EventFilters): EventQuery {
  if (types?.length === 0) throw new TypeError('types must name at least one type of event')
  return { ...rest, types: types?.join(',') }
}

/**
 * Yields every page up to the present end, the last one too when it is empty: its `nextCursor` is where to go on later.
 * The next page is read when it is asked for, so after the one before was dealt with.
 * @throws Error when a page leads back to itself: following it would never end
 */
export async function* eventPages(
  read: (filters: EventFilters) => Promise<EventPage>,
  { limit = LARGEST_PAGE, ...filters }: EventFilters,
): AsyncGenerator<EventPage, void, undefined> {
  let { cursor } = filters
  for (;;) {
    const page = await read({ ...filters, limit, cursor })
    yield page
    if (!page.hasMore) return
    if (page.nextCursor === cursor) throw new Error('the events lead back to the same page')
    cursor = page.nextCursor
  }
}
