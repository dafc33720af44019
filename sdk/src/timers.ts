/** Time and randomness, so that tests need neither. */
import { whenAborted } from './when-aborted.ts'

export type Timers = {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since any instant, of time that passes whatever becomes of the clock: what waits are measured by. Default: `now`. */
  elapsed?: (() => number) | undefined
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  delay(ms: number, signal: AbortSignal | undefined): Promise<void>
  /** At least 0, below 1. */
  random(): number
}

export const SYSTEM_TIMERS: Timers = { now: Date.now, elapsed: () => performance.now(), delay, random: Math.random }

function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const timer = setTimeout(() => {
      stopListening()
      resolve()
    }, ms)
    const stopListening = whenAborted(signal, () => {
      clearTimeout(timer)
      reject(signal?.reason)
    })
  })
}
