/**
 * Combines the work of many callers into few calls: what comes while calls are under way goes out together in the next.
 */
import { DatabaseUnavailableError, StatementCancelledError } from './database.ts'

const MAX_WAITING = 10_000

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }

/**
 * Makes a function that carries out one item. What comes in one turn of the event loop goes out together, and so does what
 * comes while calls are under way. So a single item costs hardly more than alone, and a thousand at once cost a dozen round
 * trips. Every call begins after its items were handed in.
 *
 * A call that fails fails all its items; when the database is away, everything that waits for it fails too. A cancelled
 * statement does not mean that the database is away: what waits goes out with the next call. The function throws
 * DatabaseUnavailableError when too many items wait.
 * @param options.call carries out the items and returns their results in the same order
 * @param options.maxCalls calls under way at a time
 * @param options.maxTogether items of one call
 * @param options.slowAfterMs when given, one call is under way at a time, and another only beside each that takes longer
 *   than this: few large calls are cheaper than many small ones, but none waits behind one that hangs
 * @param options.maxWaiting the most items that wait; default 10,000
 */
export function createSharedCalls<Item, Result>(options: {
  call: (items: readonly Item[]) => Promise<readonly Result[]>
  maxCalls: number
  maxTogether: number
  slowAfterMs?: number
  maxWaiting?: number
}): (item: Item) => Promise<Result> {
  const { call, maxCalls, maxTogether, slowAfterMs, maxWaiting = MAX_WAITING } = options
  let waiting: Waiting<Item, Result>[] = []
  let runs = 0
  let slowCalls = 0

  const mayRun = (count: number): boolean => count <= maxCalls && (slowAfterMs === undefined || count <= slowCalls + 1)

  const takeNext = (): Waiting<Item, Result>[] => {
    const together = waiting.slice(0, maxTogether)
    waiting = waiting.slice(maxTogether)
    return together
  }

  const carryOut = async (together: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await call(together.map(({ item }) => item))
      for (const [place, { resolve }] of together.entries()) resolve(results[place] as Result)
    } catch (error) {
      const isAway = error instanceof DatabaseUnavailableError && !(error instanceof StatementCancelledError)
      const affected = isAway ? together.concat(waiting.splice(0)) : together
      for (const { reject } of affected) reject(error)
    }
  }

  /** Carries out a call, and lets another run begin beside it when it is slow. */
  const carryOutWatched = async (together: readonly Waiting<Item, Result>[]): Promise<void> => {
    if (slowAfterMs === undefined) return carryOut(together)
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      slowCalls += 1
      startRun()
    }, slowAfterMs)
    await carryOut(together)
    clearTimeout(timer)
    if (isSlow) slowCalls -= 1
  }

  const startRun = (): void => {
    if (waiting.length > 0 && mayRun(runs + 1)) void run()
  }

  const run = async (): Promise<void> => {
    runs += 1
    while (waiting.length > 0 && mayRun(runs)) {
      await endOfTurn()
      // Another run may have taken everything meanwhile.
      const together = takeNext()
      if (together.length > 0) await carryOutWatched(together)
    }
    runs -= 1
  }

  return (item) => {
    if (waiting.length >= maxWaiting) {
      return Promise.reject(new DatabaseUnavailableError('too many requests wait for the database'))
    }
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      startRun()
    })
  }
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
