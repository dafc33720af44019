/** How many deliveries are in flight, and to whom, so that slow endpoints do not delay the others. */
import type { SendOutcome } from './send.ts'
import { createSlowEndpoints } from './slow-endpoints.ts'

export type SlotLimits = {
  /** Deliveries in flight at a time. */
  total: number
  /** An endpoint that takes longer than this is slow until it answers faster, several times in a row. */
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

/** Counts the slots of one process. */
export function createSlots(limits: SlotLimits): Slots {
  const inFlight = new Map<string, number>()
  const slow = createSlowEndpoints()
  let taken = 0

  const takenBySlow = () => [...slow.all].reduce((sum, endpointId) => sum + (inFlight.get(endpointId) ?? 0), 0)

  return {
    inFlight,
    slowEndpoints: slow.all,
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
      let isHanging = false
      const timer = setTimeout(() => {
        isHanging = true
        slow.hangs(endpointId)
      }, limits.slowMs)
      try {
        const outcome = await work()
        if (isHanging || outcome.durationMs > limits.slowMs) slow.answeredSlowly(endpointId)
        else slow.answeredFast(endpointId)
        return outcome
      } finally {
        clearTimeout(timer)
        if (isHanging) slow.hangsNoLonger(endpointId)
      }
    },
  }
}
