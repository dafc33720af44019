/** The report of a day as one CSV (RFC 4180): a table of flows, one of what is open, one of unpaid payouts (pure). */
import { AGE_NAMES, type CloseReport, FLOW_COLUMNS } from './report.ts'

const OPEN_COLUMNS = ['account', 'owner', 'total', ...AGE_NAMES] as const
const UNPAID_COLUMNS = ['integrationId', 'status', 'age', 'payouts', 'amount', 'oldest', 'asOf'] as const

/** Every row begins with its table's name, the day, and whether the day is closed. */
export function closeCsv(report: CloseReport): string {
  const state = report.closed ? 'closed' : 'open'
  const unpaid = report.unpaidPayouts.map((row) => ({ ...row, asOf: report.unpaidAsOf }))
  return [
    ...table('flows', FLOW_COLUMNS, report.flows),
    ...table('open', OPEN_COLUMNS, report.open),
    ...table('unpaidPayouts', UNPAID_COLUMNS, unpaid),
  ]
    .map(({ name, cells, isHeading }) => [name, isHeading ? 'day' : report.day, isHeading ? 'state' : state, ...cells])
    .map((cells) => `${cells.map(quoted).join(',')}\r\n`)
    .join('')
}

type Line = { name: string; cells: readonly unknown[]; isHeading: boolean }

function table<C extends string>(name: string, columns: readonly C[], rows: readonly Record<C, unknown>[]): Line[] {
  return [
    { name: 'table', cells: columns, isHeading: true },
    ...rows.map((row) => ({ name, cells: columns.map((column) => row[column]), isHeading: false })),
  ]
}

/** What a cell may begin with that a spreadsheet runs. Negative amounts are numbers. */
const FORMULA = /^[=+@\t\r\n＝＋－＠]|^-(?!\d+(\.\d+)?$)/

/** A cell of a CSV. A spreadsheet must not take a text for a formula: one gets an apostrophe. */
export function quoted(cell: unknown): string {
  const text = String(cell)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
