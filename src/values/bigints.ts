/** `Math.min`, `Math.max` and `Math.abs` for bigints. */

/** The smaller of two. */
export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** The larger of two. */
export function greatest(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** The number without its sign. */
export function absolute(of: bigint): bigint {
  return of < 0n ? -of : of
}
