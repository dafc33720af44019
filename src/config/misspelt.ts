/** Variables that look like a misspelt setting: what somebody meant to set would silently stay at its default. */

/** Nothing else in an environment begins like this. */
const OWN_PREFIX = 'COIN_'
/** But what the guides have a partner export, often in the terminal in which the sandbox is started again. */
const OF_PARTNERS: ReadonlySet<string> = new Set(['COIN_API', 'COIN_KEY'])
/** Kubernetes sets such variables in every container, for each service beside it. */
const OF_A_SERVICE =
  /^(.+?)_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/
/** Shorter names resemble too many variables that are none of ours. */
const MIN_LENGTH = 8
const MAX_EDITS = 2

/**
 * One sentence for each variable that is no setting and is within two edits of one, or begins with `COIN_`.
 * @param names of the variables that are set
 * @param known names of settings
 * @param chosen those of them that the chains file has made up. Nothing is taken for a misspelt one of these: where one is missing, that is a problem of
 *   its own, and what resembles it may be the key or the address before it, which is kept until the new one has proved itself
 */
export function misspeltSettings(
  names: readonly string[],
  known: ReadonlySet<string>,
  chosen: ReadonlySet<string>,
): string[] {
  const fixed = [...known].filter((name) => !chosen.has(name) && name.length >= MIN_LENGTH)
  return names
    .filter((name) => !known.has(name) && !OF_PARTNERS.has(name) && !isOfAService(name, names))
    .flatMap((name) => {
      const meant = fixed.find((one) => isWithinEdits(name, one))
      if (meant !== undefined) return [`${name} is not a setting. Was ${meant} meant?`]
      return name.startsWith(OWN_PREFIX) ? [`${name} is not a setting.`] : []
    })
}

function isOfAService(name: string, names: readonly string[]): boolean {
  const service = OF_A_SERVICE.exec(name)?.[1]
  return service !== undefined && names.includes(`${service}_SERVICE_HOST`)
}

/** Whether Levenshtein's distance of two texts is at most two. */
function isWithinEdits(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > MAX_EDITS) return false
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...b].entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1)
      current.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    above = current
  }
  return (above[b.length] ?? 0) <= MAX_EDITS
}
