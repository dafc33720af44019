/** `Math.min` and `Math.max` for bigints. */

/** The smaller of two. */
export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** The larger of two. */
export function greatest(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
