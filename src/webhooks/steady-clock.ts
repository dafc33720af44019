/** Whether this machine's clock can be believed when it says that the time of something is over. */
import { uptime } from 'node:os'

/** A clock that moves this much more or less between two looks than time has passed was wrong, or is now. */
const JUMP_MS = 60_000
/** How long a clock must have run evenly: one that was ahead when its machine began is put right sooner. */
export const STEADY_MS = 3_600_000
/** How much of that a process must have seen itself, however long its machine runs: somebody may have set the clock just before. */
export const WATCHED_MS = 600_000

/**
 * Watches the clock by the time that really passes. What its machine has run before this process counts, too: processes that are often
 * replaced would otherwise never believe it.
 * @param nowMs the clock
 * @param elapsedMs time that no clock's change moves
 * @param machineUpMs how long the machine has run
 * @returns a function that says how long the clock has yet to run evenly until it is believed: 0 once it has for long enough since its machine began, or
 * since the last jump. It is to be called often, so that no jump goes unseen
 */
export function createSteadyClock(
  nowMs: () => number = Date.now,
  elapsedMs: () => number = () => performance.now(),
  machineUpMs: () => number = () => uptime() * 1000,
): () => number {
  let lastMs = elapsedMs()
  let offset = nowMs() - lastMs
  let believedAtMs = lastMs + Math.max(STEADY_MS - machineUpMs(), WATCHED_MS)
  return () => {
    lastMs = elapsedMs()
    const newOffset = nowMs() - lastMs
    if (Math.abs(newOffset - offset) > JUMP_MS) believedAtMs = lastMs + STEADY_MS
    offset = newOffset
    return Math.max(0, believedAtMs - lastMs)
  }
}
