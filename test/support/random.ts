/** Random numbers from a seed: one generator for a run, and independent ones forked from it by name. */

export type Random = {
  /** In [0, 1). */
  next(): number
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number
  chance(probability: number): boolean
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T
  /** One of a list that is not empty, in proportion to the weights. */
  weighted<T extends { weight: number }>(list: readonly T[]): T
  /** A generator that depends on the seed and the name alone, however many numbers were drawn before. */
  fork(name: string): Random
}

/** mulberry32 over a hash of the seed: small, and the same numbers everywhere. */
export function createRandom(seed: string): Random {
  let state = hash(seed)
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    pick: (list) => at(list, Math.floor(next() * list.length)),
    weighted(list) {
      let left = next() * list.reduce((sum, { weight }) => sum + weight, 0)
      for (const item of list) {
        left -= item.weight
        if (left < 0) return item
      }
      return at(list, list.length - 1)
    },
    fork: (name) => createRandom(`${seed}/${name}`),
  }
}

function at<T>(list: readonly T[], index: number): T {
  if (index >= list.length || index < 0) throw new Error('nothing to choose from')
  return list[index] as T
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return value
}
