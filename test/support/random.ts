/** Chances that are the same for the same seed. */

export type Random = {
  /** From 0 to below `limit`. */
  below(limit: number): number
  pick<T>(choices: readonly [T, ...T[]]): T
}

/** Makes a source of chances (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { below, pick: (choices) => choices[below(choices.length)] ?? choices[0] }
}
