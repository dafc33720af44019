import { setTimeout as pause } from 'node:timers/promises'

/** Long enough on a machine that does other things, too: the runner, which starts many files at a time, allows more. */
export const PATIENCE_MS = Number(process.env.TEST_PATIENCE_MS ?? 20_000)

/** `ms`, and more where the run is more patient: for what would be a fault only on a machine with nothing else to do. */
export const atLeast = (ms: number): number => Math.max(ms, PATIENCE_MS)

type Falsy = undefined | null | false | 0 | 0n | ''

/**
 * Asks `probe` again and again until it returns something truthy, and returns that. An error it throws counts as "not
 * yet".
 * @throws Error naming `what` and the last failure when `timeoutMs` (default: PATIENCE_MS) have passed
 */
export async function waitFor<T>(
  what: string,
  probe: () => Promise<T> | T,
  options: { timeoutMs?: number; everyMs?: number } = {},
): Promise<Exclude<T, Falsy>> {
  const { timeoutMs = PATIENCE_MS, everyMs = 20 } = options
  const deadline = performance.now() + timeoutMs
  let last: unknown
  for (;;) {
    try {
      const value = await probe()
      if (value) return value as Exclude<T, Falsy>
      last = value
    } catch (error) {
      last = error
    }
    if (performance.now() > deadline) {
      throw new Error(`Waited ${timeoutMs} ms in vain for: ${what} (last: ${String(last)})`, { cause: last })
    }
    await pause(everyMs)
  }
}
