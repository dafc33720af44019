/** Cells of a bank's CSV → days and sen. */
import { parseSen } from '../../money.ts'
import { isDay } from '../day.ts'
import { quoted, refuse } from '../refusal.ts'
import type { Direction } from '../statement/statement.ts'
import type { CsvMapping } from './mapping.ts'
import type { Row } from './table.ts'

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']

const PATTERNS: Readonly<Record<CsvMapping['dateFormat'], RegExp>> = {
  'YYYY-MM-DD': /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$/,
  YYYYMMDD: /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/,
  'DD/MM/YYYY': /^(?<day>\d{2})\/(?<month>\d{2})\/(?<year>\d{4})$/,
  'DD-MM-YYYY': /^(?<day>\d{2})-(?<month>\d{2})-(?<year>\d{4})$/,
  'DD MMM YYYY': /^(?<day>\d{2}) (?<month>[A-Za-z]{3}) (?<year>\d{4})$/,
  'DD-MMM-YYYY': /^(?<day>\d{2})-(?<month>[A-Za-z]{3})-(?<year>\d{4})$/,
}

/** The day in a cell. @throws a refusal when it is not in the declared format */
export function dayIn(row: Row, column: string, format: CsvMapping['dateFormat']): string {
  const text = row.get(column)
  const { year = '', month = '', day = '' } = PATTERNS[format].exec(text)?.groups ?? {}
  const named = MONTHS.indexOf(month.toUpperCase()) + 1
  const date = `${year}-${named > 0 ? String(named).padStart(2, '0') : month}-${day}`
  return isDay(date)
    ? date
    : refuse('wrong_content', `Row ${row.line}: ${quoted(text)} is not a day in the form ${format}.`)
}

/** Digits with a sign before or behind them; Malaysian banks also write `DR` behind what is below zero, and `CR`. */
const SIGNED = /^(?<before>[-+]?)(?<digits>[\d.,]+) ?(?<behind>[-+]|DR|CR)?$/i

/** The amount in a cell, which may be below zero. @throws a refusal: `wrong_amount` */
export function signedSenIn(row: Row, column: string, thousands: CsvMapping['thousands']): bigint {
  const text = row.get(column)
  const { before = '', digits = '', behind = '' } = SIGNED.exec(text)?.groups ?? {}
  const isTwice = before !== '' && behind !== ''
  const amountSen = isTwice ? undefined : parseSen(thousands === ',' ? withoutThousandsCommas(digits) : digits)
  if (amountSen === undefined) {
    refuse('wrong_amount', `Row ${row.line}: ${quoted(text)} is not a ringgit amount with at most two decimals.`)
  }
  return ['-', 'DR'].includes(`${before}${behind}`.toUpperCase()) ? -amountSen : amountSen
}

/** `1,234.50` → `1234.50`; a comma anywhere else stays, and is refused later. */
function withoutThousandsCommas(text: string): string {
  return /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text
}

/**
 * The amount and direction of a row. One without any amount moves nothing: some banks begin with such a row, which brings the balance forward.
 * @throws a refusal when it moves both ways, or cannot be read
 */
export function movementIn(row: Row, { amount, thousands }: CsvMapping): { direction: Direction; amountSen: bigint } {
  const changeSen = isSilent(row, amount) ? 0n : changeIn(row, amount, thousands)
  return changeSen >= 0n ? { direction: 'credit', amountSen: changeSen } : { direction: 'debit', amountSen: -changeSen }
}

function isSilent(row: Row, amount: CsvMapping['amount']): boolean {
  if ('signed' in amount) return row.get(amount.signed) === ''
  return 'direction' in amount && row.get(amount.column) === '' && row.get(amount.direction) === ''
}

function changeIn(row: Row, amount: CsvMapping['amount'], thousands: CsvMapping['thousands']): bigint {
  if ('signed' in amount) return signedSenIn(row, amount.signed, thousands)
  if ('direction' in amount) return unsignedSenIn(row, amount.column, thousands) * signOf(row, amount)
  const [credit, debit] = [amount.credit, amount.debit].map((column) =>
    row.get(column) === '' ? 0n : unsignedSenIn(row, column, thousands),
  )
  if (credit !== 0n && debit !== 0n) refuse('wrong_amount', `Row ${row.line} is a credit and a debit at once.`)
  return (credit ?? 0n) - (debit ?? 0n)
}

function signOf(row: Row, amount: { direction: string; creditWord: string; debitWord: string }): 1n | -1n {
  const word = row.get(amount.direction)
  if (word === amount.creditWord) return 1n
  if (word === amount.debitWord) return -1n
  return refuse('wrong_content', `Row ${row.line}: ${quoted(word)} is neither credit nor debit.`)
}

function unsignedSenIn(row: Row, column: string, thousands: CsvMapping['thousands']): bigint {
  const amountSen = signedSenIn(row, column, thousands)
  if (!/^\d.*\d$|^\d$/.test(row.get(column)))
    refuse('wrong_amount', `Row ${row.line}: an amount has a sign, and its column says which it is.`)
  return amountSen
}
