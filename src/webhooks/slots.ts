/** How many deliveries are in flight, and to whom: what keeps slow endpoints from delaying the others. */

/** An endpoint whose last answer took longer than this, or never came, is slow until it answers faster. */
const SLOW_MS = 1000

export type SlotLimits = {
  /** Deliveries in flight at a time. */
  total: number
  /** Of these, to one endpoint. */
  perEndpoint: number
}

export type Slots = {
  readonly inFlight: ReadonlyMap<string, number>
  readonly slowEndpoints: ReadonlySet<string>
  /** How many more may start. */
  free(): number
  /** How many more to slow endpoints: together they take no more than half of all slots. */
  freeForSlow(): number
  take(endpointId: string): void
  /** Gives a slot back; `durationMs` is undefined when the endpoint was not asked. @returns whether something may have waited for it */
  release(endpointId: string, durationMs: number | undefined): boolean
}

/** Counts the slots of one process. */
export function createSlots(limits: SlotLimits): Slots {
  const inFlight = new Map<string, number>()
  const slow = new Set<string>()
  let taken = 0

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
    release(endpointId, durationMs) {
      const before = inFlight.get(endpointId) ?? 1
      const waitedFor = taken >= limits.total || before >= limits.perEndpoint || slow.has(endpointId)
      taken -= 1
      if (before === 1) inFlight.delete(endpointId)
      else inFlight.set(endpointId, before - 1)
      if (durationMs === undefined) return waitedFor
      if (durationMs > SLOW_MS) slow.add(endpointId)
      else slow.delete(endpointId)
      return waitedFor
    },
  }
}
