/** Lists as CSV (RFC 4180), for spreadsheets. */
import { quoted } from '../close/csv.ts'
import type { Row } from './output.ts'

/** One line a row, under the names of its fields; what a row lacks is empty. */
export function csvOf(names: readonly string[], rows: readonly Row[]): string {
  return [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))]
    .map((cells) => `${cells.map(quoted).join(',')}\r\n`)
    .join('')
}
