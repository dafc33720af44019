/** Texts of others, as they are kept and shown. */

/** The beginning of a text, on one line. PostgreSQL stores no NUL and no half of a character, and nothing that controls a terminal is worth keeping. */
export function onOneLine(text: string, maxLength: number): string {
  return text
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
}
