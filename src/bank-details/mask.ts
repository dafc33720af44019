/** Account numbers in words that are kept and shown as they came. */

/** Nine digits and more: dates and amounts are shorter, account numbers in Malaysia are not. */
const ACCOUNT_LIKE = /(?<![\p{L}\p{N}])\d{9,}(?![\p{L}\p{N}])/gu

/** A bank's or a rail's words, with the last four digits alone of what may be an account number. */
export function maskAccounts(words: string): string {
  return words.replace(ACCOUNT_LIKE, (digits) => `…${digits.slice(-4)}`)
}
