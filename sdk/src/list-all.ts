/** Lists all orders, page after page. */
import type { OrderPage, TransactionFilters } from './generated/api.ts'
import type { Order } from './types.ts'

/**
 * Yields every order once, reading the next page only when it is needed.
 * @throws Error when the list leads back to where it was: following it would never end
 */
export async function* listAll(
  read: (filters: TransactionFilters) => Promise<OrderPage>,
  filters: TransactionFilters,
): AsyncGenerator<Order, void, undefined> {
  let { cursor } = filters
  for (;;) {
    const { transactions, nextCursor } = await read({ ...filters, cursor })
    yield* transactions
    if (nextCursor === null) return
    if (nextCursor === cursor) throw new Error('the list of orders leads back to the same page')
    cursor = nextCursor
  }
}
