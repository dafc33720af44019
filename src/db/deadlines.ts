/**
 * Gives up what is not answered in time, with one timer for all of it. node-postgres would set a timer for each statement (`query_timeout`); with these,
 * V8 took answers that nobody needed any more for old objects, and collecting those held all requests up every second or two.
 */

export type Deadlines = {
  /** @param giveUp called with the error, unless the returned function is called in time */
  begin(giveUp: (error: Error) => void): () => void
  /** Gives up what is late; to be called a few times a second. */
  tick(): void
}

/** @param nowMs a clock that never goes back */
export function createDeadlines(timeoutMs: number, nowMs: () => number = () => performance.now()): Deadlines {
  const underWay = new Set<{ untilMs: number; giveUp: (error: Error) => void }>()
  return {
    begin(giveUp) {
      const one = { untilMs: nowMs() + timeoutMs, giveUp }
      underWay.add(one)
      return () => {
        underWay.delete(one)
      }
    },
    tick() {
      const now = nowMs()
      for (const one of underWay) {
        // All have the same time, so whoever came later is not late either.
        if (one.untilMs > now) break
        underWay.delete(one)
        one.giveUp(new Error('the database did not answer in time'))
      }
    },
  }
}
