/** What happens to who presents a wrong token: the answer comes late, is counted and logged, and only so many wait. */
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { OperatorError } from './errors.ts'

export type WrongTokens = {
  /**
   * Waits, longer each time the address tries again.
   * @throws OperatorError TOO_MANY_REQUESTS at once, while too many wait already
   */
  slow(address: string): Promise<void>
}

const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 4_000
/** An address that was quiet for so long begins again. */
const FORGET_MS = 10 * 60_000
const MAX_ADDRESSES = 1_000
const MAX_WAITING = 50

/**
 * Makes the brake. Whoever presents a right token never meets it.
 * @param deps.counted called for each wrong token
 * @param deps.nowMs a clock that never goes back
 */
export function createWrongTokens(deps: {
  logger: Logger
  counted: () => void
  firstDelayMs?: number
  nowMs?: () => number
  sleep?: (ms: number) => Promise<unknown>
}): WrongTokens {
  const { logger, counted, firstDelayMs = FIRST_DELAY_MS, nowMs = () => performance.now(), sleep = setTimeout } = deps
  const tries = new Map<string, { count: number; lastMs: number }>()
  let waiting = 0

  /** The address's tries, this one included. Of too many addresses the one that was quiet longest is forgotten. */
  const count = (address: string): number => {
    const now = nowMs()
    const earlier = tries.get(address)
    const known = earlier !== undefined && now - earlier.lastMs < FORGET_MS ? earlier.count : 0
    tries.delete(address)
    const oldest = tries.size >= MAX_ADDRESSES ? tries.keys().next() : undefined
    if (oldest !== undefined && !oldest.done) tries.delete(oldest.value)
    tries.set(address, { count: known + 1, lastMs: now })
    return known + 1
  }

  return {
    async slow(address) {
      counted()
      const soFar = count(address)
      // Every try of a guesser would fill the log; each doubling shows as well that it goes on.
      if (Number.isInteger(Math.log2(soFar))) {
        logger.warn({ address, tries: soFar }, 'a wrong operator token was presented')
      }
      if (waiting >= MAX_WAITING) {
        throw new OperatorError('TOO_MANY_REQUESTS', 'Too many wrong tokens are being presented: wait a moment.')
      }
      waiting += 1
      try {
        await sleep(Math.min(firstDelayMs * 2 ** Math.min(soFar - 1, 20), Math.max(LONGEST_DELAY_MS, firstDelayMs)))
      } finally {
        waiting -= 1
      }
    },
  }
}
