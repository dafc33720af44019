/** Counts the requests of keys in fixed windows of one UTC minute. */

export type Bucket = 'read' | 'write' | 'balances'

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
  let current = createWindow(0)
  let previous = current

  const countsOf = (bucket: Bucket, windowStart: number): Counts => {
    if (windowStart === current.start) return current.counts[bucket]
    if (windowStart === previous.start) return previous.counts[bucket]
    previous = current
    current = createWindow(windowStart)
    return current.counts[bucket]
  }

  return {
    hit(keyId, bucket, windowStart) {
      const counts = countsOf(bucket, windowStart)
      const count = counts.get(keyId)
      if (count === undefined) {
        counts.set(keyId, { used: 1 })
        return 1
      }
      count.used += 1
      return count.used
    },
    peek(keyId, bucket, windowStart) {
      return countsOf(bucket, windowStart).get(keyId)?.used ?? 0
    },
  }
}

/** By key id. A text that is made for each request, such as a name of both, would cost more to look up than the rest of counting. */
type Counts = Map<string, { used: number }>

function createWindow(start: number): { start: number; counts: Readonly<Record<Bucket, Counts>> } {
  return { start, counts: { read: new Map(), write: new Map(), balances: new Map() } }
}
