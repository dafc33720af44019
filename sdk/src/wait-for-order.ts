/** Follows an order by reading it, gently. */
import { CoinApiError, CoinError, CoinWaitTimeoutError } from './errors.ts'
import type { Timers } from './timers.ts'
import type { CallOptions, Direction, Order, OrderStatus } from './types.ts'

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000
const GROWTH = 1.5
/** With less time left than this there is no further look. */
const LAST_LOOK_MS = 250
const DEFAULT_TIMEOUT_MS = 600_000
const FINAL: ReadonlySet<OrderStatus> = new Set(['completed', 'failed', 'cancelled'])

export type WaitOptions = {
  /**
   * What ends the wait: statuses, or a test of the order. A final status (`completed`, `failed`, `cancelled`) always
   * ends it, because nothing can follow. A state can pass between two looks: name also those that may follow it.
   * Default: only the final ones.
   */
  until?: readonly OrderStatus[] | ((order: Order) => boolean) | undefined
  /** Time for the whole wait. Default 600,000 (10 minutes). */
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
  /** Reads the order by the route of its direction, for keys without `transaction:read`. */
  direction?: Direction | undefined
}

export type WaitDeps = { timers: Timers; read(options: CallOptions): Promise<Order>; attemptTimeoutMs: number }

/**
 * Reads the order, with growing pauses (half a second at most, in the end ten), until it is in one of the wanted states, or the time is up. Reads
 * that fail for the moment (429, 5xx, no answer) are part of the wait.
 * @returns the order; check its `status`, for it may have failed
 * @throws CoinWaitTimeoutError with the order as last read; CoinApiError for what waiting cannot change, such as `NOT_FOUND`
 */
export async function waitForOrder(deps: WaitDeps, referenceId: string, options: WaitOptions): Promise<Order> {
  const { timers } = deps
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options
  const isThere = testOf(options.until)
  // By the clock, one that is set in between would end the wait, or make it an hour longer.
  const elapsedMs = () => timers.elapsed?.() ?? timers.now()
  const deadline = elapsedMs() + timeoutMs
  let lastOrder: Order | undefined
  let pauseMs = FIRST_PAUSE_MS
  for (;;) {
    const found = await readOnce(deps, deadline - elapsedMs(), signal)
    if (!(found instanceof CoinError)) {
      lastOrder = found
      if (isThere(found)) return found
    }
    const asked = found instanceof CoinApiError ? (found.retryAfterMs ?? 0) : 0
    const leftMs = deadline - elapsedMs()
    if (leftMs < LAST_LOOK_MS || asked >= leftMs) {
      throw new CoinWaitTimeoutError(referenceId, timeoutMs, lastOrder, found instanceof CoinError ? found : undefined)
    }
    // Half fixed, half random, so that many waits that began together do not stay together; and never past the end, where the last look is.
    const jitteredMs = pauseMs / 2 + (pauseMs / 2) * timers.random()
    await timers.delay(Math.max(asked, Math.min(jitteredMs, leftMs / 2)), signal)
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * GROWTH)
  }
}

/** The order, or the error of a read that may succeed later. */
async function readOnce(deps: WaitDeps, leftMs: number, signal: AbortSignal | undefined): Promise<Order | CoinError> {
  try {
    return await deps.read({
      signal,
      maxRetries: 0,
      timeoutMs: Math.min(Math.max(1, Math.ceil(leftMs)), deps.attemptTimeoutMs),
    })
  } catch (error) {
    if (error instanceof CoinError && error.retryable) return error
    throw error
  }
}

function testOf(until: WaitOptions['until']): (order: Order) => boolean {
  const wanted = typeof until === 'function' ? until : ({ status }: Order) => until?.includes(status) ?? false
  return (order) => FINAL.has(order.status) || wanted(order)
}
