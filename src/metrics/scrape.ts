/** What Prometheus is told of the database, when the database is slow to say it. */

/** Prometheus takes a process that has not answered within ten seconds for gone. */
const WITHIN_MS = 3_000

/**
 * A read for /metrics. It is given up after `withinMs`, because a table that somebody has locked must not hide what the other metrics say,
 * and it is made once at a time, because each that waits keeps a connection.
 * @throws Error where it was given up; what the read itself throws
 */
export function forScrape<T>(read: () => Promise<T>, withinMs = WITHIN_MS): () => Promise<T> {
  let asked: Promise<T> | undefined
  return async () => {
    asked ??= read().finally(() => {
      asked = undefined
    })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the database did not say it in time')), withinMs)
    })
    try {
      return await Promise.race([asked, late])
    } finally {
      clearTimeout(timer)
    }
  }
}
