/** What every page is given. */
export type PageProps = {
  /** What stands behind the page's name in the address, decoded: `['int_…', 'ref']`. */
  rest: readonly string[]
}

/** The names of the pages that the person sees, so that others link to nothing else. */
export const seenPages = new Set<string>()
