/** Names for prepared statements. */

/**
 * A condition that applies only where its parameter is given. The plan that PostgreSQL makes for all calls, after five of them, cannot use an index for
 * it: that plan reads the table from its beginning, where a plan for the single call reads a page.
 */
const ONLY_WHERE_GIVEN = /\$\d+(::\w+(\[\])?)? is null or/

/**
 * Makes a function that names a text from its second use on, so that texts used once are not kept on the server. At
 * most `max` texts are remembered; any more run unprepared. So does one with a condition that only some of its calls have: each call is
 * planned by itself.
 */
export function createStatementNames(max: number): (text: string) => string | undefined {
  const names = new Map<string, string>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined) return known
    if (ONLY_WHERE_GIVEN.test(text)) return undefined
    if (names.size < max) names.set(text, `s${names.size}`)
    return undefined
  }
}
