/** How many of a list are on a page (contract "Limits"). */

export const DEFAULT_PAGE_SIZE = 50
export const MAX_PAGE_SIZE = 100

const WHOLE_NUMBER = /^[1-9]\d{0,2}$/

/** The size that a query asks for; undefined when it is none from 1 to 100. */
export function parsePageSize(text: string): number | undefined {
  const size = WHOLE_NUMBER.test(text) ? Number(text) : undefined
  return size !== undefined && size <= MAX_PAGE_SIZE ? size : undefined
}
