/** Bytes in columns of type `bytea`, which the rest of the program has as hex text. */

/** The bytes of a column as `0x…` text, in SQL. */
export function shownBytes(column: string): string {
  return `'0x' || encode(${column}, 'hex')`
}

/** `0x…` text as a parameter of type `bytea`; null stays null. */
export function bytesParam(hex: string | null): string | null {
  return hex === null ? null : `\\x${hex.slice(2)}`
}
