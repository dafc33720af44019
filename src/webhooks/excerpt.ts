/** The part of an answer that is kept. */

export const EXCERPT_BYTES = 1024

/**
 * The beginning of an answer as text that is safe to store and to print: at most 1 KiB of UTF-8; control, format, unassigned
 * and invalid characters (NUL, terminal escapes, bidirectional overrides) become `?`.
 */
export function excerptOf(answer: Buffer): string {
  const text = answer.subarray(0, EXCERPT_BYTES).toString('utf8')
  return text.replace(/[\t\r\n]+/g, ' ').replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '?')
}
