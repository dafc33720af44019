/** Lists as CSV (RFC 4180), for spreadsheets. */
import { quoted } from '../close/csv.ts'
import type { Row } from './output.ts'

/** One line a row, under the names of its fields; what a row lacks is empty. */
export function csvOf(names: readonly string[], rows: readonly Row[]): string {
  return `${lineOf(names)}${csvRowsOf(names, rows)}`
}

/** The same without the names, which stand above the first of several pages. */
export function csvRowsOf(names: readonly string[], rows: readonly Row[]): string {
  return rows.map((row) => lineOf(names.map((name) => row[name] ?? ''))).join('')
}

const lineOf = (cells: readonly unknown[]): string => `${cells.map(quoted).join(',')}\r\n`
