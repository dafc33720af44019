/** Names for prepared statements. */

/**
 * Makes a function that names a text from its second use on, so that texts used once are not kept on the server. At
 * most `max` texts are remembered; any more run unprepared.
 */
export function createStatementNames(max: number): (text: string) => string | undefined {
  const names = new Map<string, string>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined) return known
    if (names.size < max) names.set(text, `s${names.size}`)
    return undefined
  }
}
