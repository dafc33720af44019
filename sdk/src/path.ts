/** Paths with what callers give as parts of them. */

/**
 * `/<route>/<id>`, encoded.
 * @throws TypeError for an id that would make another path of it
 */
export function pathOf(route: string, id: string): string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..') {
    throw new TypeError(`an identifier is needed to read ${route}`)
  }
  return `/${route}/${encodeURIComponent(id)}`
}

/** `?a=1&b=2` of the parameters that have a value; nothing when none has. */
export function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value))
  return query.size === 0 ? '' : `?${query.toString()}`
}
