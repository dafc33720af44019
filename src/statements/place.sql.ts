/** Where lines stand, as operators read it. */

/** SQL: the place of a line `l` in its statement `s`: `main/S1/3.1` is the first part of the third entry of the account's statement S1. */
export function placeOf(l: string): string {
  return `${l}.bank_account || '/' || s.statement_id || '/' || ${l}.entry || '.' || ${l}.detail`
}
