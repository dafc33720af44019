/** Secrets that nobody drew at random. */

/** 32 random bytes have 30 different ones; fewer than 16 come once in 10^16 draws. */
const MIN_DISTINCT_BYTES = 16
/** 32 random hexadecimal digits have 14 different ones; fewer than 8 come once in 28 million draws. */
const MIN_DISTINCT_CHARACTERS = 8

/** Whether a key of 32 bytes has too few different bytes to be random, such as one byte repeated. */
export function isGuessableKey(key: Uint8Array): boolean {
  return new Set(key).size < MIN_DISTINCT_BYTES
}

/** Whether a token is a text repeated, or has too few different characters to be random. */
export function isGuessableToken(token: string): boolean {
  const repeatsItself = `${token}${token}`.indexOf(token, 1) < token.length
  return repeatsItself || new Set(token).size < MIN_DISTINCT_CHARACTERS
}
