/**
 * Combines the work of many callers into few calls: what comes while calls are under way goes out together in the next.
 */
import { DatabaseUnavailableError, StatementCancelledError } from './database.ts'

const MAX_WAITING = 10_000

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }

/**
 * Makes a function that carries out one item. An item is sent at once while fewer than `maxCalls` calls are under way;
 * otherwise it waits and goes out together with others. So a single item costs no more than alone, and a thousand at
 * once cost a dozen round trips. Every call begins after its items were handed in.
 *
 * A call that fails fails all its items; when the database is away, everything that waits for it fails too. A cancelled
 * statement does not mean that the database is away: what waits goes out with the next call. The function throws
 * DatabaseUnavailableError when too many items wait.
 * @param options.call carries out the items and returns their results in the same order
 * @param options.maxCalls calls under way at a time
 * @param options.maxTogether items of one call
 * @param options.maxWaiting the most items that wait; default 10,000
 */
export function createSharedCalls<Item, Result>(options: {
  call: (items: readonly Item[]) => Promise<readonly Result[]>
  maxCalls: number
  maxTogether: number
  maxWaiting?: number
}): (item: Item) => Promise<Result> {
  const { call, maxCalls, maxTogether, maxWaiting = MAX_WAITING } = options
  let waiting: Waiting<Item, Result>[] = []
  let calls = 0

  const takeNext = (): Waiting<Item, Result>[] => {
    const together = waiting.slice(0, maxTogether)
    waiting = waiting.slice(maxTogether)
    return together
  }

  const callUntilDone = async (): Promise<void> => {
    calls += 1
    while (waiting.length > 0) {
      const together = takeNext()
      try {
        const results = await call(together.map(({ item }) => item))
        for (const [place, { resolve }] of together.entries()) resolve(results[place] as Result)
      } catch (error) {
        const isAway = error instanceof DatabaseUnavailableError && !(error instanceof StatementCancelledError)
        const affected = isAway ? together.concat(waiting.splice(0)) : together
        for (const { reject } of affected) reject(error)
      }
    }
    calls -= 1
  }

  return (item) => {
    if (waiting.length >= maxWaiting) {
      return Promise.reject(new DatabaseUnavailableError('too many requests wait for the database'))
    }
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (calls < maxCalls) void callUntilDone()
    })
  }
}
