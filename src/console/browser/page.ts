/** What every page is given. */
export type PageProps = {
  /** What stands behind the page's name in the address, decoded: `['int_…', 'ref']`. */
  rest: readonly string[]
}
