/** On which day a data processing agreement is signed and put on file (pure). */

/** Days of paper are Malaysian, as those of banks are: the country has not changed its clocks since 1982. */
const AHEAD_OF_UTC_MS = 8 * 3_600_000

/** The day in Malaysia, such as `2026-01-31`. */
export function dayOfPaper(nowMs: number): string {
  return new Date(nowMs + AHEAD_OF_UTC_MS).toISOString().slice(0, 10)
}
