/** How many deliveries are in flight, and to whom, so that slow endpoints do not delay the others. */
import type { SendOutcome } from './send.ts'

export type SlotLimits = {
  /** Deliveries in flight at a time. */
  total: number
  /** An endpoint that takes longer than this is slow until it answers faster. */
  slowMs: number
}

export type Slots = {
  readonly inFlight: ReadonlyMap<string, number>
  readonly slowEndpoints: ReadonlySet<string>
  /** How many more deliveries may start. */
  free(): number
  /** How many more may start to slow endpoints, which together take at most half of all slots. */
  freeForSlow(): number
  take(endpointId: string): void
  release(endpointId: string): void
  /** Runs `work`, an exchange with the endpoint, and learns from it whether the endpoint is slow, even before it ends. */
  watch(endpointId: string, work: () => Promise<SendOutcome>): Promise<SendOutcome>
}

/** Each claim names them. */
const MOST_SLOW = 1_000

/** Counts the slots of one process. */
export function createSlots(limits: SlotLimits): Slots {
  const inFlight = new Map<string, number>()
  const slow = new Set<string>()
  let taken = 0

  /** One that was disabled or removed meanwhile is never watched again: those that were slow last are kept. */
  function keepSlow(endpointId: string): void {
    slow.delete(endpointId)
    slow.add(endpointId)
    const [oldest] = slow
    if (slow.size > MOST_SLOW && oldest !== undefined) slow.delete(oldest)
  }

  const takenBySlow = () => [...slow].reduce((sum, endpointId) => sum + (inFlight.get(endpointId) ?? 0), 0)

  return {
    inFlight,
    slowEndpoints: slow,
    free: () => limits.total - taken,
    freeForSlow: () => Math.max(0, Math.ceil(limits.total / 2) - takenBySlow()),
    take(endpointId) {
      taken += 1
      inFlight.set(endpointId, (inFlight.get(endpointId) ?? 0) + 1)
    },
    release(endpointId) {
      const before = inFlight.get(endpointId) ?? 1
      taken -= 1
      if (before === 1) inFlight.delete(endpointId)
      else inFlight.set(endpointId, before - 1)
    },
    async watch(endpointId, work) {
      const timer = setTimeout(() => keepSlow(endpointId), limits.slowMs)
      const outcome = await work()
      clearTimeout(timer)
      if (outcome.durationMs > limits.slowMs) keepSlow(endpointId)
      else slow.delete(endpointId)
      return outcome
    },
  }
}
