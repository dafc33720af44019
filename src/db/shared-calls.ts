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

  /** Notices when a call is slow, so that another may begin beside it, until the returned function is called. */
  const watch = (): (() => void) => {
    if (slowAfterMs === undefined) return () => {}
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      slowCalls += 1
      startRun()
    }, slowAfterMs)
    return () => {
      clearTimeout(timer)
      if (isSlow) slowCalls -= 1
    }
  }

  const begin = (together: readonly Waiting<Item, Result>[]): void => {
    const endWatch = watch()
    const end = (tell: (one: Waiting<Item, Result>, place: number) => void, affected = together): void => {
      endWatch()
      // First the next call: what is told now may take as long as a call.
      goOn()
      affected.forEach(tell)
    }
    Promise.try(
      call,
      together.map(({ item }) => item),
    ).then(
      (results) => end(({ resolve }, place) => resolve(results[place] as Result)),
      (error: unknown) => {
        const isAway = error instanceof DatabaseUnavailableError && !(error instanceof StatementCancelledError)
        end(({ reject }) => reject(error), isAway ? together.concat(waiting.splice(0)) : together)
      },
    )
  }

  /** Begins a run's next call, or ends the run. */
  const goOn = (): void => {
    if (waiting.length > 0 && mayRun(runs)) begin(takeNext())
    else runs -= 1
  }

  const startRun = (): void => {
    if (!mayRun(runs + 1)) return
    runs += 1
    setImmediate(goOn)
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
