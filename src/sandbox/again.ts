/** What a chain does not do for the moment is tried again: on a busy machine even the sandbox's own answers late. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ChainError } from '../chain-errors.ts'

const TRIES = 20
const PAUSE_MS = 1_000

/**
 * Does work that may be repeated.
 * @param pauseMs between two tries
 * @throws what the work threw the last time, or at once when it has nothing to do with the chain
 */
export async function again<T>(work: () => Promise<T>, pauseMs = PAUSE_MS): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (tries === TRIES || !(error instanceof ChainError)) throw error
      await sleep(pauseMs)
    }
  }
}
