/** Most of what a column of the type holds, in bits that are all set. */
const HALF = { integer: '1073741823', bigint: '4611686018427387903' } as const

/**
 * SQL: the number after that of a column which only counts. Halfway to the last number of its type it begins again. Otherwise whoever has a login that may
 * write a row could put the last number there: no number follows it, and every statement that counts on would fail for ever, for all its other rows, too.
 */
export function nextNumber(column: string, type: keyof typeof HALF): string {
  return `((${column} & ${HALF[type]}) + 1)`
}
