/** What is to happen when a caller's signal is aborted. */

type Awaited = { waiting: Set<() => void>; onAbort: () => void }

const AWAITED = new WeakMap<AbortSignal, Awaited>()

/**
 * Calls `then` when the signal is aborted. All who wait for a signal share one listener: a program may give each of its calls the signal of its shutdown, and
 * Node 20 warns of a leak at the eleventh listener.
 * @param then a function of its own for each that waits
 * @returns a function after which `then` is not called any more
 */
export function whenAborted(signal: AbortSignal | undefined, then: () => void): () => void {
  if (signal === undefined) return () => undefined
  const { waiting, onAbort } = AWAITED.get(signal) ?? listenTo(signal)
  waiting.add(then)
  return () => {
    if (!waiting.delete(then) || waiting.size > 0) return
    AWAITED.delete(signal)
    signal.removeEventListener('abort', onAbort)
  }
}

function listenTo(signal: AbortSignal): Awaited {
  const waiting = new Set<() => void>()
  const onAbort = () => {
    for (const then of waiting) then()
  }
  const awaited = { waiting, onAbort }
  AWAITED.set(signal, awaited)
  signal.addEventListener('abort', onAbort, { once: true })
  return awaited
}
