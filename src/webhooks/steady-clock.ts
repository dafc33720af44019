/** Whether this machine's clock can be believed when it says that the time of something is over. */

/** A clock that moves this much more or less between two looks than time has passed was wrong, or is now. */
const JUMP_MS = 60_000
/** How long a clock must have run evenly: one that was ahead when its machine began is put right sooner. */
export const STEADY_MS = 3_600_000

/**
 * Watches the clock by the time that really passes.
 * @param nowMs the clock
 * @param elapsedMs time that no clock's change moves
 * @returns asked often, so that no jump goes unseen: how long the clock has yet to run evenly, since this process began or the last jump; then 0
 */
export function createSteadyClock(
  nowMs: () => number = Date.now,
  elapsedMs: () => number = () => performance.now(),
): () => number {
  let since = elapsedMs()
  let offset = nowMs() - since
  return () => {
    const elapsed = elapsedMs()
    const newOffset = nowMs() - elapsed
    if (Math.abs(newOffset - offset) > JUMP_MS) since = elapsed
    offset = newOffset
    return Math.max(0, since + STEADY_MS - elapsed)
  }
}
