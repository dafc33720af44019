/** Reads orders by reference, together when many are asked for at the same time. */
import { DatabaseUnavailableError, type Queryable } from '../../db/database.ts'
import type { Order } from '../order.ts'
import { findOrder, findOrders, type OrderName } from './store.ts'

/** The integration's order of a well-formed reference, as it stands after the call; undefined when there is none. */
export type OrderFinder = (integrationId: string, referenceId: string) => Promise<Order | undefined>

type Waiting = OrderName & { resolve: (order: Order | undefined) => void; reject: (error: unknown) => void }

/** More reads than these do not wait. */
const MAX_WAITING = 10_000

/**
 * Makes a finder. A read is sent at once while fewer than `maxQueries` are under way; those that come meanwhile go out
 * together in the next query. So a single read costs what it always does, and a thousand at once cost a dozen round
 * trips. Every query is sent after the reads it answers were asked for: nobody gets an older state than without it.
 * The finder throws DatabaseUnavailableError; when the database is away, so do all reads that wait for it.
 * @param limits.maxQueries under way at a time; default 2
 * @param limits.maxTogether orders of one query; default 100
 */
export function createOrderFinder(
  db: Queryable,
  limits: { maxQueries?: number; maxTogether?: number } = {},
): OrderFinder {
  const { maxQueries = 2, maxTogether = 100 } = limits
  let waiting: Waiting[] = []
  let queries = 0

  const takeNext = (): Waiting[] => {
    const together = waiting.slice(0, maxTogether)
    waiting = waiting.slice(maxTogether)
    return together
  }

  const readAll = async (): Promise<void> => {
    queries += 1
    while (waiting.length > 0) {
      const together = takeNext()
      try {
        const orders = await readTogether(db, together)
        for (const [place, { resolve }] of together.entries()) resolve(orders[place])
      } catch (error) {
        const affected = error instanceof DatabaseUnavailableError ? together.concat(waiting.splice(0)) : together
        for (const { reject } of affected) reject(error)
      }
    }
    queries -= 1
  }

  return (integrationId, referenceId) => {
    if (waiting.length >= MAX_WAITING) {
      return Promise.reject(new DatabaseUnavailableError('too many reads wait for the database'))
    }
    return new Promise((resolve, reject) => {
      waiting.push({ integrationId, referenceId, resolve, reject })
      if (queries < maxQueries) void readAll()
    })
  }
}

async function readTogether(db: Queryable, names: readonly OrderName[]): Promise<(Order | undefined)[]> {
  const [only] = names
  if (only === undefined || names.length > 1) return await findOrders(db, names)
  return [await findOrder(db, only.integrationId, only.referenceId)]
}
