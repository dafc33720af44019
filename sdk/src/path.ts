/** Paths with parts that callers give. */

/** `encodeURIComponent` would throw an error of its own. */
const HALF_A_CHARACTER = /\p{Surrogate}/u

/**
 * `/<route>/<id>`, encoded.
 * @throws TypeError for an id that would make it a different path, or can be in none
 */
export function pathOf(route: string, id: string): string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..' || HALF_A_CHARACTER.test(id)) {
    throw new TypeError(`an identifier is needed to read ${route}`)
  }
  return `/${route}/${encodeURIComponent(id)}`
}

/** `?a=1&b=2` from the parameters that have a value; empty when none has. */
export function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value))
  return query.size === 0 ? '' : `?${query.toString()}`
}
