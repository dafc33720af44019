/**
 * In SQL: a sum, cut to a size that no books ever reach. A greater one was written past the service. Uncut, nothing could be added to it any more: then a
 * batch could not be recorded, and its chain would stand still.
 */
export function within(sum: string): string {
  return `greatest(least(${sum}, 1e35), -1e35)`
}
