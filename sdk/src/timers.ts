/** Time and randomness, so that tests need neither. */

export type Timers = {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  delay(ms: number, signal: AbortSignal | undefined): Promise<void>
  /** At least 0, below 1. */
  random(): number
}

export const SYSTEM_TIMERS: Timers = { now: Date.now, delay, random: Math.random }

function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
