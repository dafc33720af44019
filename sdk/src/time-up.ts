/** The end of an attempt's time. */

/** Turns of the event loop, in each of which what has come is read: one for an answer, and the rest in case it comes in parts. */
const TURNS_TO_READ = 4

/**
 * Calls `then` when the time is up and what had come by then has been read. Timers come before what was received, so to a process that was
 * busy until its time was up an answer that had come long ago would be none.
 * @returns a function after which `then` is not called any more
 */
export function whenTimeIsUp(ms: number, then: () => void): () => void {
  let isOver = false
  const readOn = (turns: number) => {
    if (isOver) return
    if (turns === 0) then()
    else nextTurn(() => readOn(turns - 1))
  }
  const timer = setTimeout(() => readOn(TURNS_TO_READ), ms)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** A timer set by a timer may be due in the same turn; `setImmediate`, where there is one, is not. */
function nextTurn(step: () => void): void {
  const { setImmediate = (then: () => void) => void setTimeout(then, 0) } = globalThis as {
    setImmediate?: (then: () => void) => unknown
  }
  setImmediate(step)
}
