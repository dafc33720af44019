/**
 * In SQL: a sum as it was, or as much as books never come to. A greater one was written past the service, and where nothing could be added to it any more it would
 * keep a batch from being recorded, and the chain behind it from going on.
 */
export function within(sum: string): string {
  return `greatest(least(${sum}, 1e35), -1e35)`
}
