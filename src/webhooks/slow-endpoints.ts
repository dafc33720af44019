/** Which endpoints answer slowly, as one process has seen. */

/** Each claim names them. */
const MOST_SLOW = 1_000
/**
 * So often in a row an endpoint must answer fast until it is slow no longer, and let no delivery hang: as many as it may have in flight. One fast
 * answer in between would do for whoever wants more than the share of the slow.
 */
const FAST_IN_A_ROW = 8

export type SlowEndpoints = {
  readonly all: ReadonlySet<string>
  /** A delivery to it takes longer than it should, and has not ended. */
  hangs(endpointId: string): void
  /** A delivery that hung has ended. */
  hangsNoLonger(endpointId: string): void
  answeredSlowly(endpointId: string): void
  answeredFast(endpointId: string): void
}

/** Makes the record. It is bounded, whatever becomes of the endpoints. */
export function createSlowEndpoints(): SlowEndpoints {
  const all = new Set<string>()
  /** How often slow ones have answered fast since. */
  const fast = new Map<string, number>()
  /** How many deliveries they let hang. */
  const hanging = new Map<string, number>()

  function forget(endpointId: string): void {
    all.delete(endpointId)
    fast.delete(endpointId)
  }

  /** One that was disabled or removed meanwhile never answers again: those that were slow last are kept. */
  function keep(endpointId: string): void {
    forget(endpointId)
    all.add(endpointId)
    const [oldest] = all
    if (all.size > MOST_SLOW && oldest !== undefined) forget(oldest)
  }

  return {
    all,
    hangs(endpointId) {
      hanging.set(endpointId, (hanging.get(endpointId) ?? 0) + 1)
      keep(endpointId)
    },
    hangsNoLonger(endpointId) {
      const left = (hanging.get(endpointId) ?? 1) - 1
      if (left === 0) hanging.delete(endpointId)
      else hanging.set(endpointId, left)
    },
    answeredSlowly: keep,
    answeredFast(endpointId) {
      if (!all.has(endpointId) || hanging.has(endpointId)) return
      const times = (fast.get(endpointId) ?? 0) + 1
      if (times < FAST_IN_A_ROW) fast.set(endpointId, times)
      else forget(endpointId)
    },
  }
}
