/** Lists as CSV (RFC 4180) for spreadsheets, which must not take a text for a formula. */
import { get, Refusal } from './api.ts'

/** A value of a cell; null: empty. */
export type Cell = string | number | boolean | null | undefined

/** What a cell may begin with that a spreadsheet runs. */
const FORMULA = /^[=+@\t\r\n＝＋－＠]|^-(?!\d+(\.\d+)?$)/

/** A cell. A negative amount is a number; any other text that begins like a formula gets an apostrophe. */
export function quoted(cell: Cell): string {
  const text = cell === null || cell === undefined ? '' : String(cell)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** @param columns head, as in the commands' CSV → what stands below it of a row */
export function csvOf<T>(columns: Readonly<Record<string, (row: T) => Cell>>, rows: readonly T[]): string {
  const lines = [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((value) => value(row)))]
  return lines.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('')
}

const A_PAGE = '500'
/** More than anybody looks through: a narrower filter is the better file. */
export const MOST_PAGES = 20

/**
 * Reads a list from its beginning to its end.
 * @param path of the API, with filters @param name of the list in its answers
 * @returns `isWhole` is false when there is more than `MOST_PAGES` pages hold
 */
export async function readAll<T>(path: string, name: string): Promise<{ rows: T[]; isWhole: boolean }> {
  const [place = '', search = ''] = path.split('?')
  const query = new URLSearchParams(search)
  query.set('limit', A_PAGE)
  query.delete('after')
  const rows: T[] = []
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await get<Record<string, unknown>>(`${place}?${query}`)
    const listed = answer[name]
    if (!Array.isArray(listed)) throw new Refusal('SERVER_ERROR', `The service listed no ${name}.`)
    rows.push(...(listed as T[]))
    if (typeof answer.next !== 'string') return { rows, isWhole: true }
    query.set('after', answer.next)
  }
  return { rows, isWhole: false }
}
