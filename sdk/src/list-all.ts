/** Lists all orders, page after page. */
import type { OrderPage, TransactionFilters } from './generated/api.ts'
import type { Order } from './types.ts'

/** The most that the API gives: a key may read so many pages a minute, and a walk should take as few as it can. */
export const LARGEST_PAGE = 100

/**
 * Yields every page, reading the next one only when it is needed.
 * @throws Error when the list leads back to where it was: following it would never end
 */
export async function* orderPages(
  read: (filters: TransactionFilters) => Promise<OrderPage>,
  { limit = LARGEST_PAGE, ...filters }: TransactionFilters,
): AsyncGenerator<OrderPage, void, undefined> {
  let { cursor } = filters
  for (;;) {
    const page = await read({ ...filters, limit, cursor })
    yield page
    if (page.nextCursor === null) return
    if (page.nextCursor === cursor) throw new Error('the list of orders leads back to the same page')
    cursor = page.nextCursor
  }
}

/** Yields every order once, reading the next page only when it is needed; throws as `orderPages` does. */
export async function* listAll(pages: AsyncIterable<OrderPage>): AsyncGenerator<Order, void, undefined> {
  for await (const { transactions } of pages) yield* transactions
}
