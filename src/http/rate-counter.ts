/** Counts the requests of keys in fixed windows of one UTC minute. */

export const BUCKETS = ['read', 'write', 'balances'] as const
export type Bucket = (typeof BUCKETS)[number]

/** `windowStart` is the window's first instant in Unix seconds. A counter may answer at once. */
export type RateCounter = {
  /** Counts one request. @returns the window's count, this one included */
  hit(keyId: string, bucket: Bucket, windowStart: number): number | Promise<number>
  /** The window's count, without adding to it. */
  peek(keyId: string, bucket: Bucket, windowStart: number): number | Promise<number>
}

export const WINDOW_SECONDS = 60

/** The first instant of the window that holds `nowMs`, in Unix seconds. */
export function windowStartOf(nowMs: number): number {
  return Math.floor(nowMs / 1000 / WINDOW_SECONDS) * WINDOW_SECONDS
}

/**
 * A counter for one API process. Exact, because nothing happens between reading and writing a count. It is bounded,
 * because it holds only the newest window and the one before (for requests that began in it), and only keys that exist
 * reach it. A clock that is put back begins a window, too: none may go on counting until the time that it showed.
 */
export function createMemoryRateCounter(): RateCounter {
  let current = { start: 0, counts: new Map<string, number>() }
  let previous = current

  const countsOf = (windowStart: number): Map<string, number> => {
    if (windowStart === current.start) return current.counts
    if (windowStart === previous.start) return previous.counts
    previous = current
    current = { start: windowStart, counts: new Map() }
    return current.counts
  }

  return {
    hit(keyId, bucket, windowStart) {
      const counts = countsOf(windowStart)
      const name = `${keyId}:${bucket}`
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      return count
    },
    peek(keyId, bucket, windowStart) {
      return countsOf(windowStart).get(`${keyId}:${bucket}`) ?? 0
    },
  }
}
