/** Most of what a column of the type holds, in bits that are all set. */
const HALF = { integer: '1073741823', bigint: '4611686018427387903' } as const

/**
 * SQL: the number after that of a column which only counts. It begins again halfway to the last one of its type: whoever has a login that may write a
 * row could put the last one there, after which there is none, and the statement would fail for ever, with all other rows that it is about.
 */
export function nextNumber(column: string, type: keyof typeof HALF): string {
  return `((${column} & ${HALF[type]}) + 1)`
}
