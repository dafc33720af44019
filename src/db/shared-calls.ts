/**
 * Combines the work of many callers into few calls: what comes while calls are under way goes out together in the next.
 */
import { DatabaseUnavailableError, isDatabaseAway } from './database.ts'

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
  const { call, maxTogether, maxWaiting = MAX_WAITING } = options
  let waiting: Waiting<Item, Result>[] = []

  const takeNext = (): Waiting<Item, Result>[] => {
    const together = waiting.slice(0, maxTogether)
    waiting = waiting.slice(maxTogether)
    return together
  }

  const begin = (isOver: () => void): void => {
    const together = takeNext()
    const end = (tell: (one: Waiting<Item, Result>, place: number) => void, affected = together): void => {
      // First the next call: what is told now may take as long as a call.
      isOver()
      affected.forEach(tell)
    }
    Promise.try(
      call,
      together.map(({ item }) => item),
    ).then(
      (results) => end(({ resolve }, place) => resolve(results[place] as Result)),
      (error: unknown) => {
        end(({ reject }) => reject(error), isDatabaseAway(error) ? together.concat(waiting.splice(0)) : together)
      },
    )
  }

  const startRun = createRuns({ ...options, anyWaits: () => waiting.length > 0, begin })

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

/**
 * Says when calls begin. A run is one call after another, as long as anything waits.
 * @param options.begin begins the next call, with everything that is to go out in it; says when it is over
 * @returns begins another run, where one may be under way
 */
function createRuns(options: {
  maxCalls: number
  slowAfterMs?: number
  anyWaits: () => boolean
  begin: (isOver: () => void) => void
}): () => void {
  const { maxCalls, slowAfterMs, anyWaits, begin } = options
  let runs = 0
  let slowCalls = 0

  const mayRun = (count: number): boolean => count <= maxCalls && (slowAfterMs === undefined || count <= slowCalls + 1)

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

  /** Begins a run's next call, or ends the run. */
  const goOn = (): void => {
    if (!anyWaits() || !mayRun(runs)) {
      runs -= 1
      return
    }
    const endWatch = watch()
    begin(() => {
      endWatch()
      goOn()
    })
  }

  const startRun = (): void => {
    if (!mayRun(runs + 1)) return
    runs += 1
    setImmediate(goOn)
  }
  return startRun
}
