/** A queue in front of something that serves one caller at a time, bounded in length and in waiting time. */
import { DatabaseUnavailableError } from './database.ts'

type Gate = {
  /** Runs `work` when all earlier work has ended. @throws DatabaseUnavailableError when it cannot start in time */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Refuses new work and resolves when everything queued has ended. */
  close(): Promise<void>
}

/** Makes a gate at which at most `maxWaiting` entries wait, at most `waitTimeoutMs` each. */
export function createGate(limits: { waitTimeoutMs: number; maxWaiting: number }): Gate {
  const waiting = new Set<() => void>()
  let busy = false
  let closed = false

  function enter(): Promise<void> | undefined {
    if (closed) throw new DatabaseUnavailableError('the database is closed')
    if (!busy) {
      busy = true
      return undefined
    }
    if (waiting.size >= limits.maxWaiting) {
      throw new DatabaseUnavailableError(`${limits.maxWaiting} statements are already waiting for the database`)
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(start)
        reject(new DatabaseUnavailableError(`the database was busy for ${limits.waitTimeoutMs} ms`))
      }, limits.waitTimeoutMs)
      const start = () => {
        clearTimeout(timer)
        resolve()
      }
      waiting.add(start)
    })
  }

  function leave(): void {
    const [next] = waiting
    if (next === undefined) {
      busy = false
      return
    }
    waiting.delete(next)
    next()
  }

  return {
    async run(work) {
      await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
    async close() {
      closed = true
      if (!busy) return
      // Nobody comes behind it any more: it has a place however many wait, and all the time that they take.
      await new Promise<void>((resolve) => waiting.add(resolve))
      leave()
    },
  }
}
